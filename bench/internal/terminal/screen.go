package terminal

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Width is the number of letters of the line: a terminal of fewer would break it.
const Width = 79

// Screen is a terminal whose last line is rewritten. What is written to its Writers stands above
// that line. A nil Screen shows nothing. All goroutines may use it.
type Screen struct {
	mu    sync.Mutex
	to    io.Writer
	shown int // letters of the line
}

// ScreenOf returns the screen of a Writer, or one of a terminal, or nil.
func ScreenOf(w io.Writer) *Screen {
	if of, ok := w.(*Writer); ok {
		return of.screen
	}
	if Is(w) {
		return &Screen{to: w}
	}
	return nil
}

// Show shows a line in place of the last one. What is beyond Width is cut.
func (s *Screen) Show(line string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if letters := []rune(line); len(letters) > Width {
		line = string(letters[:Width])
	}
	n := utf8.RuneCountInString(line)
	io.WriteString(s.to, "\r"+line+strings.Repeat(" ", max(s.shown-n, 0)))
	s.shown = n
}

// Clear removes the line.
func (s *Screen) Clear() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *Screen) clear() {
	if s.shown > 0 {
		io.WriteString(s.to, "\r"+strings.Repeat(" ", s.shown)+"\r")
		s.shown = 0
	}
}

// Writer writes above the line of a screen, to that terminal or another name of it.
type Writer struct {
	screen *Screen
	to     io.Writer
}

// Writer returns w as a writer above the line if it is a terminal too, else w itself.
func (s *Screen) Writer(w io.Writer) io.Writer {
	if s == nil || !Is(w) {
		return w
	}
	return &Writer{s, w}
}

// Terminal reports that it is one.
func (w *Writer) Terminal() bool { return true }

func (w *Writer) Write(p []byte) (int, error) {
	w.screen.mu.Lock()
	defer w.screen.mu.Unlock()
	w.screen.clear()
	return w.to.Write(p)
}
