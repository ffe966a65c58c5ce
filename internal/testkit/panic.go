package testkit

// Panic calls f and returns the value of its panic, or nil if it returns.
func Panic(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
