package command

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/zoctree/zoctree/bench/internal/terminal"
)

// tty is a terminal.
type tty struct{ strings.Builder }

func (t *tty) Terminal() bool { return true }

// last returns the last visible line, before it is rewritten.
func (t *tty) last() string {
	list := strings.FieldsFunc(t.String(), func(r rune) bool { return r == '\r' || r == '\n' })
	for len(list) > 0 && strings.TrimSpace(list[len(list)-1]) == "" {
		list = list[:len(list)-1]
	}
	return strings.TrimRight(list[len(list)-1], " ")
}

func TestProgress(t *testing.T) {
	term := &tty{}
	p := &Progress{Out: term, Steps: 3}
	p.Begin("making %d objects", 7)
	if got := term.last(); got != "[1/3] making 7 objects" {
		t.Errorf("the line is %q", got)
	}
	p.updated = time.Time{}
	p.first = p.first.Add(-10 * time.Second)
	p.Done(0.5)
	if got := term.last(); got != "[1/3] making 7 objects, 50 %, 50 s left" {
		t.Errorf("the line is %q", got)
	}
	written := term.Len()
	p.Done(0.6) // too soon
	if term.Len() != written {
		t.Error("the line is rewritten at once")
	}
	p.End()
	if !strings.HasSuffix(term.String(), "\r") || strings.Contains(term.String(), "\n") {
		t.Errorf("the line is not removed: %q", term.String())
	}
	p.Begin("%s", strings.Repeat("long ", 40))
	if got := term.last(); utf8.RuneCountInString(got) > terminal.Width || !strings.HasSuffix(got, "…") && !strings.HasSuffix(got, "left") {
		t.Errorf("the line is %q", got)
	}
	p.End()
}

// Progress is not written to a file.
func TestProgressElsewhere(t *testing.T) {
	var file strings.Builder
	p := &Progress{Out: &file}
	p.Begin("making objects")
	p.Done(0.5)
	p.End()
	if file.Len() > 0 {
		t.Errorf("a file gets %q", file.String())
	}
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		since time.Duration
		part  float64
		want  string
	}{
		{time.Millisecond, 0.5, ""}, {time.Minute, 0, ""}, {time.Minute, 1, ""}, {10 * time.Second, 0.5, ", 10 s left"},
		{10 * time.Second, 0.1, ", 1 min 30 s left"}, {time.Hour, 0.3333, ", 2 h 00 min left"},
	} {
		if got := left(c.since, c.part); got != c.want {
			t.Errorf("%v for %v: %q, want %q", c.since, c.part, got, c.want)
		}
	}
}

// On a terminal results and errors stand above the line, which is erased at the end; elsewhere standard
// error has errors alone.
func TestRunOnTerminal(t *testing.T) {
	set := Set{{Name: "run", Setup: func(*flag.FlagSet) func(e *Env) error {
		return func(e *Env) error {
			p := &Progress{Out: e.Errs}
			p.Begin("working")
			fmt.Fprintln(e.Out, "result")
			p.Begin("failing")
			return errors.New("one\ntwo")
		}
	}}}
	t.Setenv("NO_COLOR", "")
	term := &tty{}
	if code := set.Run(nil, term, term); code != 1 {
		t.Errorf("exit code %d", code)
	}
	blank := func(s string) string { return "\r" + s + "\r" + strings.Repeat(" ", len(s)) + "\r" }
	if got, want := term.String(), blank("working")+"result\n"+blank("failing")+"\x1b[31mbench:\x1b[0m one; two\n"; got != want {
		t.Errorf("the terminal gets %q, want %q", got, want)
	}
	t.Setenv("NO_COLOR", "1")
	var out strings.Builder
	term = &tty{}
	if set.Run(nil, &out, term); out.String() != "result\n" || strings.Contains(term.String(), "\x1b") {
		t.Errorf("the file gets %q, the terminal %q", out.String(), term.String())
	}
	var errs strings.Builder
	if set.Run(nil, term, &errs); errs.String() != "bench: one; two\n" {
		t.Errorf("errors %q", errs.String())
	}
}
