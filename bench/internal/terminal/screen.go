package terminal

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Width is the width of the line in characters; a narrower terminal would wrap it.
const Width = 79

// Screen is a terminal whose last line is rewritten in place. Output through its Writers is written above
// that line. A nil Screen shows nothing. A Screen is safe for concurrent use.
type Screen struct {
	mu    sync.Mutex
	to    io.Writer
	shown int // characters of the line
}

// ScreenOf returns the screen of a Writer, or a new one if w is a terminal, or nil.
func ScreenOf(w io.Writer) *Screen {
	if of, ok := w.(*Writer); ok {
		return of.screen
	}
	if Is(w) {
		return &Screen{to: w}
	}
	return nil
}

// Show replaces the line. Characters beyond Width are cut.
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

// Writer writes above the line of a screen, to the same terminal.
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

// Terminal reports true: see Is.
func (w *Writer) Terminal() bool { return true }

func (w *Writer) Write(p []byte) (int, error) {
	w.screen.mu.Lock()
	defer w.screen.mu.Unlock()
	w.screen.clear()
	return w.to.Write(p)
}
