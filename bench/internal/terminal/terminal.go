// Package terminal detects terminals and provides their features that are useless in a file: a last line that
// is rewritten, and colours.
package terminal

import (
	"io"
	"os"
)

// Is reports whether w is a terminal that can rewrite a line: a file that is a character device other than
// the null device, unless TERM is dumb, or a writer whose method Terminal returns true.
func Is(w io.Writer) bool {
	switch w := w.(type) {
	case interface{ Terminal() bool }:
		return w.Terminal()
	case *os.File:
		info, err := w.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice == 0 || os.Getenv("TERM") == "dumb" {
			return false
		}
		null, err := os.Stat(os.DevNull)
		return err != nil || !os.SameFile(info, null)
	}
	return false
}

// Colours reports whether text written to w may be coloured: w is a terminal, and NO_COLOR is not set or
// empty (https://no-color.org).
func Colours(w io.Writer) bool { return Is(w) && os.Getenv("NO_COLOR") == "" }

// Colour is a colour of text.
type Colour string

// The colours; the zero Colour is the default colour.
const (
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
)

// On returns text in that colour.
func (c Colour) On(text string) string {
	if c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// Verdict returns the colour of a word that names an outcome.
func Verdict(word string) Colour {
	switch word {
	case "ok", "pass", "right":
		return Green
	case "miss", "MISMATCH", "wrong":
		return Red
	case "real":
		return Yellow
	}
	return ""
}
