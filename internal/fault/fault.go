// Package fault makes errors that tell once whose they are. What a package returns begins
// with its name, "linear: ", and what it wraps often does so, too: the text of the wrapped
// error is told without that. Package internal/house holds the packages to it.
package fault

import (
	"fmt"
	"strings"
)

// owners are the names that errors of this module begin with.
var owners = []string{
	"asm: ", "collide: ", "interest: ", "linear: ", "morton: ", "occlude: ", "query: ",
	"radix: ", "scene: ", "show: ", "snap: ", "soa: ",
}

// Errorf is [fmt.Errorf] whose wrapped errors are written without the name of their
// package, but for one that the text begins with. What they are, for [errors.Is] and
// [errors.As], is as it was.
func Errorf(format string, args ...any) error {
	begins := strings.HasPrefix(format, "%w")
	for i, a := range args {
		if err, ok := a.(error); ok && !(begins && i == 0) {
			args[i] = bare{err}
		}
	}
	return fmt.Errorf(format, args...)
}

// bare is an error without the name of its package.
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
