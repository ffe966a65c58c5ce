package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress tells on one line per step what goes on: its name at once, a dot for
// each tenth that is done where that is known, and the time at the end.
type progress struct {
	out   io.Writer
	start time.Time
	dots  int
}

// begin starts a step. The one before must have ended.
func (p *progress) begin(format string, args ...any) {
	p.start, p.dots = time.Now(), 0
	fmt.Fprintf(p.out, format+" ", args...)
}

// share tells which part of the step is done, from 0 to 1.
func (p *progress) done(done float64) {
	if n := int(10*done) - p.dots; n > 0 {
		fmt.Fprint(p.out, strings.Repeat(".", n))
		p.dots += n
	}
}

// end ends the step.
func (p *progress) end() { fmt.Fprintf(p.out, " %.2f s\n", time.Since(p.start).Seconds()) }
