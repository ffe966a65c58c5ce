package terminal

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// tty is a terminal with its lines: a return moves back to the beginning of the last one.
type tty struct{ text strings.Builder }

func (t *tty) Write(p []byte) (int, error) { return t.text.Write(p) }
func (t *tty) Terminal() bool              { return true }

// lines returns the visible lines.
func (t *tty) lines() (list []string) {
	for line := range strings.SplitSeq(t.text.String(), "\n") {
		var visible []rune
		for part := range strings.SplitSeq(line, "\r") {
			over := []rune(part)
			if len(over) < len(visible) {
				over = append(over, visible[len(over):]...)
			}
			visible = over
		}
		list = append(list, strings.TrimRight(string(visible), " "))
	}
	return list
}

// Neither a file, nor the null device, nor a buffer is a terminal.
func TestIs(t *testing.T) {
	file := must.Get(os.Create(filepath.Join(t.TempDir(), "a")))
	defer file.Close()
	null := must.Get(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
	defer null.Close()
	for name, w := range map[string]io.Writer{"file": file, "null": null, "buffer": &strings.Builder{}} {
		if Is(w) || Colours(w) || ScreenOf(w) != nil {
			t.Errorf("%s is a terminal", name)
		}
	}
	if !Is(&tty{}) || ScreenOf(&tty{}) == nil {
		t.Error("a terminal is none")
	}
}

func TestColours(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	if !Colours(&tty{}) {
		t.Error("no colours on a terminal")
	}
	t.Setenv("NO_COLOR", "1")
	if Colours(&tty{}) {
		t.Error("NO_COLOR is not honoured")
	}
	if got := Red.On("wrong"); got != "\x1b[31mwrong\x1b[0m" || Colour("").On("x") != "x" || Green.On("") != "" {
		t.Errorf("red is %q", got)
	}
	for word, want := range map[string]Colour{"ok": Green, "pass": Green, "right": Green, "miss": Red, "MISMATCH": Red, "wrong": Red, "real": Yellow, "chance": "", "": ""} {
		if got := Verdict(word); got != want {
			t.Errorf("%q has the colour %q, want %q", word, got, want)
		}
	}
}

// The line is rewritten in place, at any length, and other output stands above it.
func TestScreen(t *testing.T) {
	term := &tty{}
	s := ScreenOf(term)
	out, errs := s.Writer(term), s.Writer(term)
	check := func(want ...string) {
		t.Helper()
		if got := term.lines(); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	s.Show("a long line")
	s.Show("short")
	check("short")
	fmt.Fprintln(out, "result")
	check("result", "")
	s.Show("more …")
	fmt.Fprintln(errs, "error")
	check("result", "error", "")
	s.Show(strings.Repeat("x", 200))
	check("result", "error", strings.Repeat("x", Width))
	s.Clear()
	s.Clear()
	check("result", "error", "")
	if ScreenOf(out) != s || !Is(out) {
		t.Error("a writer without its screen")
	}
	var buffer strings.Builder
	if w := s.Writer(&buffer); w != io.Writer(&buffer) {
		t.Error("a writer that is not a terminal has a screen")
	}
	var none *Screen
	none.Show("nothing")
	none.Clear()
	if none.Writer(&buffer) != io.Writer(&buffer) || buffer.Len() > 0 {
		t.Error("no screen shows something")
	}
}

func TestScreenRace(t *testing.T) {
	term := &tty{}
	s := ScreenOf(term)
	out := s.Writer(term)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 100 {
				s.Show(fmt.Sprint("line ", i))
				fmt.Fprintln(out, "text")
			}
		})
	}
	all.Wait()
	s.Clear()
	if lines := term.lines(); len(lines) != 401 || lines[0] != "text" || lines[400] != "" {
		t.Errorf("%d lines, the first %q, the last %q", len(lines), lines[0], lines[len(lines)-1])
	}
}
