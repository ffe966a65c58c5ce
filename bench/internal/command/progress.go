package command

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/zoctree/zoctree/bench/internal/terminal"
)

// Progress is a progress line on a terminal: the step, its number, the share done, and the remaining time.
// The line is rewritten in place and removed at the end of a step. If Out is no terminal, Progress prints
// nothing.
type Progress struct {
	Out   io.Writer
	Steps int // number of steps of about the same length; 0: unknown

	screen         *terminal.Screen
	name           string
	step           int       // number of the current step, from 1
	first          time.Time // start of the first step
	start, updated time.Time // start of the current step, and time of the last update
}

// tellEvery is the minimum time between two updates, so that they do not disturb measurements.
const tellEvery = 100 * time.Millisecond

// Begin starts a step. The previous step must have ended.
func (p *Progress) Begin(format string, args ...any) {
	if p.screen == nil {
		if p.screen = terminal.ScreenOf(p.Out); p.screen == nil {
			return
		}
	}
	p.start = time.Now()
	if p.step++; p.step == 1 {
		p.first = p.start
	}
	p.name = fmt.Sprintf(format, args...)
	p.update(0)
}

// Done updates the share of the step that is done, from 0 to 1.
func (p *Progress) Done(done float64) {
	if p.screen != nil && time.Since(p.updated) > tellEvery {
		p.update(done)
	}
}

// End ends the step.
func (p *Progress) End() { p.screen.Clear() }

// update prints the line.
func (p *Progress) update(done float64) {
	p.updated = time.Now()
	before, after := "", ""
	if done > 0 {
		after = fmt.Sprintf(", %.0f %%", 100*done)
	}
	since, part := p.updated.Sub(p.start), done
	if p.Steps > 0 {
		before = fmt.Sprintf("[%d/%d] ", p.step, p.Steps)
		since, part = p.updated.Sub(p.first), (float64(p.step-1)+done)/float64(p.Steps)
	}
	after += left(since, part)
	name := []rune(p.name)
	if room := terminal.Width - utf8.RuneCountInString(before+after); len(name) > room {
		name = append(name[:room-1], '…')
	}
	p.screen.Show(before + string(name) + after)
}

// left estimates the remaining time from the time and the share so far; "" if it is too early.
func left(since time.Duration, part float64) string {
	if since < time.Second || !(part > 0) || part >= 1 {
		return ""
	}
	s := int(since.Seconds()*(1-part)/part + 0.5)
	switch {
	case s < 60:
		return fmt.Sprintf(", %d s left", s)
	case s < 3600:
		return fmt.Sprintf(", %d min %02d s left", s/60, s%60)
	}
	return fmt.Sprintf(", %d h %02d min left", s/3600, s/60%60)
}
