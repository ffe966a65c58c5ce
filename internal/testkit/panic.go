package testkit

// Panic calls f and returns what it panics with, nil if it returns.
func Panic(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
