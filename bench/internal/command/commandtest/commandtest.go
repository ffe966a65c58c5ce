// Package commandtest runs commands of bench in tests.
package commandtest

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command"
)

// Bench is a command line with these commands.
type Bench command.Set

// Outcome is what a command did.
type Outcome struct {
	Code      int
	Out, Errs string
}

// Misused reports whether the command line was wrong and nothing but one line told so, with where
// to ask for help.
func (o Outcome) Misused() bool {
	return o.Code == 2 && o.Out == "" && strings.HasPrefix(o.Errs, "bench: ") &&
		strings.Count(o.Errs, "\n") == 1 && strings.Contains(o.Errs, " (bench ")
}

// Do runs a command.
func (b Bench) Do(args ...string) (o Outcome) {
	var out, errs strings.Builder
	o.Code = command.Set(b).Run(args, &out, &errs)
	o.Out, o.Errs = out.String(), errs.String()
	return o
}

// Good runs a command that must succeed and returns its output.
func (b Bench) Good(t *testing.T, args ...string) string {
	t.Helper()
	o := b.Do(args...)
	if o.Code != 0 {
		t.Fatalf("bench %v: exit code %d\n%s%s", args, o.Code, o.Out, o.Errs)
	}
	return o.Out
}

// Small is the number of objects of most tests.
func Small() string {
	if testing.Short() {
		return "200"
	}
	return "3000"
}
