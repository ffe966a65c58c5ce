// Package must ends a command at its first error, by panic and recover, so that the functions of the command
// need not return it. Do, Get, Fail and Within panic with the error, deferred functions run, and package
// command catches the panic and prints the error. A test fails by the panic.
package must

import (
	"errors"
	"fmt"
)

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

// Close, deferred, calls close. The error of close ends the work, joined to one that ended it before.
func Close(close func() error) {
	r := recover()
	err := close()
	switch r := r.(type) {
	case nil:
		Do(err)
	case failure:
		Do(errors.Join(r.error, err))
	default:
		panic(r)
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
