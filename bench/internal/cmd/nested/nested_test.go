package nested

import (
	"fmt"
	"strings"
	"testing"
)

// The output of a program is passed on, and its last line is kept, for any split of the writes.
func TestLineWriter(t *testing.T) {
	for said, want := range map[string]string{
		"": "", "\n": "", "one": ", one", "one\n": ", one", "one\ntwo\n": ", two", "one\n  two \n\n": ", two", "one\n\n\nfour": ", four",
	} {
		for size := 1; size <= len(said)+1; size++ {
			var to strings.Builder
			l := &lineWriter{to: &to}
			for from := 0; from < len(said); from += size {
				fmt.Fprint(l, said[from:min(from+size, len(said))])
			}
			if to.String() != said || l.String() != want {
				t.Errorf("%q in pieces of %d: %q, last line %q, want %q", said, size, to.String(), l, want)
			}
		}
	}
}
