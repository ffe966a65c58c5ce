// Command interest measures what enters and leaves the areas of many viewers for go run
// ./bench interest, which runs it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/internal/machine"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 1 when forms differ, 2 for a wrong command line.
func run(args []string, stdout, stderr io.Writer) int {
	var o versus.Interest
	flags := flag.NewFlagSet("interest", flag.ContinueOnError)
	flags.SetOutput(stderr)
	o.Declare(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "interest:", err)
		return 2
	}
	if err := show(&o, stdout); err != nil {
		fmt.Fprintln(stderr, "interest:", err)
		return 1
	}
	return 0
}

// motions are the shares of viewers that walk, in a hundred.
var motions = []int{100, 10, 0}

// warm is the number of frames before those that are measured.
const warm = 3

// show writes a table for each number of objects.
func show(o *versus.Interest, stdout io.Writer) error {
	counts, err := o.Counts()
	if err != nil {
		return err
	}
	out := report.New(stdout, o.Format, "interest")
	out.Machine(machine.Here())
	for _, n := range counts {
		times := map[string][]measure.Series{}
		for _, walking := range motions {
			m, err := newMeadow(n, n/100, walking, o.Seed)
			if err != nil {
				return err
			}
			one, err := m.frames(o.Frames)
			if err != nil {
				return fmt.Errorf("%d objects, %d %% of the viewers walk: %w", n, walking, err)
			}
			for _, f := range forms {
				times[f.name] = append(times[f.name], one[f.name])
				out.Measure(report.Measure{Name: report.Name("Interest", "n", n, "walking", walking, "form", f.name), Unit: "ns/op", Samples: one[f.name]})
			}
			if walking == motions[0] {
				out.Note(fmt.Sprint(n, " objects"), fmt.Sprintf("%d viewers, %.0f objects in view of each", n/100, float64(m.seen())/float64(n/100)))
			}
		}
		sheet := out.Table(fmt.Sprint(n, " objects, ms a frame"), table.Column{Title: "form"},
			table.Column{Title: "all walk"}, table.Column{Title: "least"}, table.Column{Title: "10 % walk"}, table.Column{Title: "least"},
			table.Column{Title: "all stand"}, table.Column{Title: "least"})
		for _, f := range forms {
			cells := []string{f.name}
			for _, s := range times[f.name] {
				cells = append(cells, table.Number(s.Median()/1e6), table.Number(s.Min()/1e6))
			}
			sheet.Row(cells...)
		}
	}
	return out.Close()
}

// frames returns the times of all forms.
func (m *meadow) frames(n int) (map[string]measure.Series, error) {
	times := map[string]measure.Series{}
	for frame := range warm + n {
		if err := m.step(); err != nil {
			return nil, err
		}
		var want digest
		for k := range forms {
			f := forms[(frame+k)%len(forms)] // none is always the first, with cold caches
			start := time.Now()
			if err := f.tell(m); err != nil {
				return nil, err
			}
			if frame >= warm {
				times[f.name] = append(times[f.name], float64(time.Since(start).Nanoseconds()))
			}
			switch got := m.told(f.name); {
			case f.name == "query":
			case want == digest{}:
				want = got
			case got != want:
				return nil, fmt.Errorf("frame %d: what %s tells differs: %v, want %v", frame, f.name, got, want)
			}
		}
	}
	return times, nil
}
