// Package interest measures interest management: the objects entering and leaving the areas of many viewers.
// The command go run ./bench rivals interest runs it.
package interest

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/internal/machine"
)

// Command measures all forms. It fails if the changes of two forms differ.
var Command = command.Command{Name: "interest", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
	var o versus.Interest
	o.Declare(flags)
	return func(e *command.Env) error {
		if err := o.Check(); err != nil {
			return command.Usage(err)
		}
		show(&o, e.Out)
		return nil
	}
}}

// motions are the percentages of viewers that move.
var motions = []int{100, 10, 0}

// Forms are measured in turns of several frames, each in its own identical simulation. The first frames of a turn
// start with caches full of other data and are not measured.
const (
	turn = 5
	warm = 2
)

// show writes a table for each number of objects.
func show(o *versus.Interest, stdout io.Writer) {
	counts := must.Get(o.Counts())
	out := report.New(stdout, o.Format, "interest")
	out.Machine(machine.Here())
	for _, n := range counts {
		times := make([][]measure.Series, len(forms))
		for _, walking := range motions {
			var fields []*simulation
			var one []measure.Series
			must.Within(func() { fields, one = race(n, walking, o) }, "%d objects, %d %% of the viewers walk", n, walking)
			for k, f := range forms {
				times[k] = append(times[k], one[k])
				out.Measure(report.Measure{Name: report.Name("Interest", "n", n, "walking", walking, "form", f.name), Unit: "ns/op", Samples: one[k]})
			}
			if walking == motions[0] {
				out.Note("objects", fmt.Sprintf("%d, %d viewers with %.0f in view of each", n, n/100, float64(fields[0].inView())/float64(n/100)))
			}
		}
		sheet := out.Table(fmt.Sprint(n, " objects, ms a frame"), table.Column{Title: "form"},
			table.Column{Title: "all walk"}, table.Column{Title: "min"}, table.Column{Title: "10 % walk"}, table.Column{Title: "min"},
			table.Column{Title: "none walks"}, table.Column{Title: "min"})
		for k, f := range forms {
			cells := []string{f.name}
			for _, s := range times[k] {
				cells = append(cells, table.Number(s.Median()/1e6), table.Number(s.Min()/1e6))
			}
			sheet.Row(cells...)
		}
	}
	must.Do(out.Close())
}

// race returns a simulation for each form, and the times of its frames.
func race(n, walking int, o *versus.Interest) (fields []*simulation, times []measure.Series) {
	for _, f := range forms {
		fields = append(fields, newSimulation(n, n/100, walking, o.Seed, f))
	}
	times = make([]measure.Series, len(forms))
	for len(times[0]) < o.Frames {
		var want []digest
		for k, m := range fields {
			var got []digest
			for frame := range warm + turn {
				took, changes := m.frame()
				if got = append(got, changes); frame >= warm {
					times[k] = append(times[k], took)
				}
			}
			switch {
			case m.form.reports && want == nil:
				want = got
			case m.form.reports && !slices.Equal(want, got):
				must.Fail("changes of %s differ: %v, want %v", m.form.name, got, want)
			}
		}
	}
	return fields, times
}

// frame runs the form and returns its time in nanoseconds and the digest of its changes.
func (m *simulation) frame() (took float64, changes digest) {
	m.step()
	start := time.Now()
	m.form.update(m)
	return float64(time.Since(start).Nanoseconds()), m.digest()
}
