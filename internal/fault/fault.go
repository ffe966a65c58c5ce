// Package fault formats errors without repeating package prefixes. The error of a package begins
// with its name, "linear: ", and so do many errors that it wraps; the text of a wrapped error is
// written without this prefix. Tests of package internal/layers check that packages use it.
package fault

import (
	"fmt"
	"strings"
)

// owners are the prefixes of errors of this module.
var owners = []string{
	"asm: ", "collide: ", "interest: ", "linear: ", "morton: ", "occlude: ", "query: ",
	"radix: ", "scene: ", "show: ", "snap: ", "soa: ",
}

// Errorf is [fmt.Errorf], except that wrapped errors are written without the name of their package,
// unless the format begins with %w for them. [errors.Is] and [errors.As] are not affected.
func Errorf(format string, args ...any) error {
	begins := strings.HasPrefix(format, "%w")
	for i, a := range args {
		if err, ok := a.(error); ok && !(begins && i == 0) {
			args[i] = bare{err}
		}
	}
	return fmt.Errorf(format, args...)
}

// bare is an error whose text omits the name of its package.
type bare struct{ error }

func (b bare) Error() string {
	text := b.error.Error()
	for _, o := range owners {
		if rest, ok := strings.CutPrefix(text, o); ok {
			return rest
		}
	}
	return text
}

func (b bare) Unwrap() error { return b.error }
