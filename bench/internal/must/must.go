// Package must ends the work of a command at its first error. The command does not hand the error from caller
// to caller: Do, Fail and Get panic with it, deferred functions run, and Catch, in package command, returns it.
package must

import "fmt"

// failure is an error that ends the work.
type failure struct{ error }

// Do ends the work with err, unless it is nil.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Fail ends the work with an error as fmt.Errorf makes it.
func Fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// Get is Do for a call with a result, which it returns.
func Get[T any](v T, err error) T {
	Do(err)
	return v
}

// Within calls work, and puts a description before the error that ends it.
func Within(work func(), format string, args ...any) {
	if err := Catch(work); err != nil {
		Fail("%s: %w", fmt.Sprintf(format, args...), err)
	}
}

// Catch calls work and returns the error that ended it. Other panics go on.
func Catch(work func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	work()
	return nil
}
