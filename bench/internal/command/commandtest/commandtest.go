// Package commandtest runs commands of bench in tests.
package commandtest

import (
	"os"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/testkit"
)

func init() {
	measure.Quick = os.Getenv(testkit.EnvLong) == ""
}

// Bench is a table of commands under test.
type Bench command.Set

// Outcome is the result of a command.
type Outcome struct {
	Code      int
	Out, Errs string
}

// Misused reports whether the command line was rejected, with exactly one line of error that names the help
// command.
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
	return "1000"
}
