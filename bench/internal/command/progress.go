package command

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress tells on one line per step what goes on: its name at once, a dot for
// each tenth that is done where that is known, and the time at the end.
type Progress struct {
	Out   io.Writer
	start time.Time
	dots  int
}

// Begin starts a step. The one before must have ended.
func (p *Progress) Begin(format string, args ...any) {
	p.start, p.dots = time.Now(), 0
	fmt.Fprintf(p.Out, format+" ", args...)
}

// Done tells which part of the step is done, from 0 to 1.
func (p *Progress) Done(done float64) {
	if n := int(10*done) - p.dots; n > 0 {
		fmt.Fprint(p.Out, strings.Repeat(".", n))
		p.dots += n
	}
}

// End ends the step.
func (p *Progress) End() { fmt.Fprintf(p.Out, " %.2f s\n", time.Since(p.start).Seconds()) }
