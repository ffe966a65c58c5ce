package command

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/zoctree/zoctree/bench/internal/terminal"
)

// Progress tells on the last line of a terminal what goes on: the step, which of how many it is,
// what part of it is done, and the time that is left. The line is rewritten in place and removed
// when a step ends. Where Out is no terminal it tells nothing.
type Progress struct {
	Out   io.Writer
	Steps int // of about the same length; 0: not known

	screen      *terminal.Screen
	name        string
	step        int       // that is under way, 1 or more
	first       time.Time // when the first one began
	start, told time.Time // when this one began, and when the line was written
}

// tellEvery is the least time between two lines: more of them would take time from what is measured.
const tellEvery = 100 * time.Millisecond

// Begin starts a step. The one before must have ended.
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
	p.tell(0)
}

// Done tells which part of the step is done, from 0 to 1.
func (p *Progress) Done(done float64) {
	if p.screen != nil && time.Since(p.told) > tellEvery {
		p.tell(done)
	}
}

// End ends the step.
func (p *Progress) End() { p.screen.Clear() }

// tell writes the line.
func (p *Progress) tell(done float64) {
	p.told = time.Now()
	before, after := "", ""
	if done > 0 {
		after = fmt.Sprintf(", %.0f %%", 100*done)
	}
	since, part := p.told.Sub(p.start), done
	if p.Steps > 0 {
		before = fmt.Sprintf("[%d/%d] ", p.step, p.Steps)
		since, part = p.told.Sub(p.first), (float64(p.step-1)+done)/float64(p.Steps)
	}
	after += left(since, part)
	name := []rune(p.name)
	if room := terminal.Width - utf8.RuneCountInString(before+after); len(name) > room {
		name = append(name[:room-1], '…')
	}
	p.screen.Show(before + string(name) + after)
}

// left says how long the rest takes when a part has taken so long, once that is long enough to tell.
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
