package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// A profile that cannot be written fails the command.
func TestProfileFull(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	var o Output
	set := Set{{Name: "x", Setup: func(flags *flag.FlagSet) func(e *Env) error {
		o.Declare(flags, 1)
		return func(e *Env) error { return o.End(e, o.Begin(e, "x")) }
	}}}
	var errs strings.Builder
	if code := set.Run([]string{"x", "-cpuprofile", full}, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), full) {
		t.Errorf("code %d, %s", code, &errs)
	}
}

// Only the first error of a writer is kept.
func TestErrorWriter(t *testing.T) {
	first := errors.New("first")
	w := errorWriter{w: failing{first}}
	for range 2 {
		if n, err := w.Write([]byte("a")); n != 0 || err != first {
			t.Errorf("%d, %v", n, err)
		}
		w.w = failing{first}
	}
	w.w = io.Discard
	if n, err := w.Write([]byte("a")); n != 1 || err != nil || w.err != first {
		t.Errorf("%d, %v, kept %v", n, err, w.err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Results and help that cannot be written fail every command, once.
func TestOutputFull(t *testing.T) {
	full := errors.New("full")
	set := Set{{Name: "x", Setup: func(*flag.FlagSet) func(e *Env) error {
		return func(e *Env) error {
			fmt.Fprintln(e.Out, "a result")
			if e.Operand == "returned" {
				return fmt.Errorf("x: %w", full)
			}
			return nil
		}
	}, Operand: "[WORD]"}}
	for line, want := range map[string]string{
		"help": "full", "-h": "full", "help x": "full", "x -h": "full", "x": "full", "x returned": "x: full",
	} {
		var errs strings.Builder
		if code := set.Run(strings.Fields(line), failing{full}, &errs); code != 1 || errs.String() != "bench: "+want+"\n" {
			t.Errorf("%s: code %d, %s", line, code, &errs)
		}
	}
}
