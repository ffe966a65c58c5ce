// Package pauses measures the longest calls of trees that change in each frame.
package pauses

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/linear"
)

// Command is bench pauses.
var Command = command.Command{
	Name:  "pauses",
	Short: "percentiles of the time of every kind of call, in trees that change in each frame",
	Long: `
Changes a uniform scene frame by frame in many mixes of calls. The tree is cut in
space before the first frame. A frame is the changes, a view, queries and a tick. All
frames are replayed -count times, with identical calls, and the time of a call is the
least of all replays. The first table has percentiles over the calls of a kind, in us:

  50, 99, 99.9, worst   percentiles of the time
  beyond                the worst in excess of 25 ns for each object that is given to the
                        call or returned by it
  carried               the same for a view and a tick, in excess also of the time that the
                        changes before it have left of their 25 ns, for their work may be
                        deferred: marked above 0.5 ms up to 100k objects, else 3 ms
  frame                 the frame of the worst call
  touched               objects touched, the worst; a function of the seed. Of a query the
                        objects of the packets that it tests (a ray tests them as for all
                        hits). Of a tick, from linear.Work, with the changes before it: Moved
                        + Placed + Shifted + Rebuilt + 16*(RefitPackets + RefitNodes) +
                        256*Recut, the entries that such packets and nodes have at most

In frame 1 and in every eighth one, 64 queries of each kind, 16 frusta, are compared
with those in a new tree of the same objects:

  before, after         visits of nodes and packets, before and after the tick, over those in
                        the new tree: the worst of all frames
  time                  the same for the time, the larger of before and after the tick
  frame                 the frame of the worst time
  last visits, time     the larger of before and after the tick in the last of these frames:
                        marked above 1.3 if all changes are in frame 1; else the worst is

About half of the objects, up to 5,000, are changed by single calls, the others by
a batch. One worker builds.

  go run ./bench pauses -n 100k
  go run ./bench pauses -n 1M -only "all teleport" -budget n/64`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var c pauses
		flags.StringVar(&c.sizes, "n", "100k,1M", "numbers of objects, `LIST` like 100k,1M")
		count.Var(flags, &c.frames, "frames", 70, 1, "`number` of frames")
		flags.StringVar(&c.only, "only", "", "only the mixes whose name begins with `TEXT`")
		flags.Var(&c.budget, "budget", "linear.Config.TickBudget: a `number` of objects, or n/64 for that share of all; 0 is none")
		flags.Uint64Var(&c.seed, "seed", 1, "seed of objects, queries and changes")
		c.tier.Declare(flags)
		c.output.Declare(flags, 5)
		return c.run
	},
}

// pauses is one run of the command.
type pauses struct {
	sizes, only string
	frames      int
	budget      budget
	seed        uint64
	tier        command.TierFlag
	output      command.Output
}

// budget is a number of objects, or a share of all. It is a flag.Value.
type budget struct {
	number int
	share  int // n/share; 0: the number
}

func (b *budget) String() string {
	if b.share > 0 {
		return "n/" + count.Format(b.share)
	}
	return count.Format(b.number)
}

func (b *budget) Set(text string) (err error) {
	if share, ok := strings.CutPrefix(text, "n/"); ok {
		if b.share, err = count.Parse(share); b.share == 0 && err == nil {
			err = fmt.Errorf("want n/1 or less")
		}
		return err
	}
	b.share = 0
	b.number, err = count.Parse(text)
	return err
}

// of returns the budget of a tree of n objects.
func (b *budget) of(n int) int {
	if b.share > 0 {
		return max(n/b.share, 1)
	}
	return b.number
}

// result is the outcome of a mix.
type result struct {
	n   int
	mix lab.Mix
	*lab.Pauses
}

func (c *pauses) run(e *command.Env) error {
	sizes, err := count.List(c.sizes, 1000, 100_000_000)
	if err != nil {
		return command.Usagef("-n %w", err)
	}
	mixes := slices.DeleteFunc(lab.Mixes(), func(x lab.Mix) bool { return !strings.HasPrefix(x.Name, c.only) })
	if len(mixes) == 0 {
		return fmt.Errorf("no mix begins with %q", c.only)
	}
	defer c.tier.Use()()
	p := &command.Progress{Out: e.Errs, Steps: len(sizes) * len(mixes)}
	out := c.output.Begin(e, "pauses")
	command.TierNote(out)
	out.Note("frames", fmt.Sprintf("%d, %s", c.frames, count.Of(c.output.Count, "replay")))
	out.Note("budget", c.budget.String())
	var results []result
	for _, n := range sizes {
		for _, x := range mixes {
			p.Begin("%s with %s", x.Name, count.Of(n, "object"))
			must.Within(func() {
				results = append(results, result{n, x, x.Run(n, c.frames, c.output.Count, c.seed, linear.Config{Workers: 1, TickBudget: c.budget.of(n)})})
			}, "%s", x.Name)
			p.End()
		}
	}
	printCalls(out, results)
	printComparisons(out, results)
	return c.output.End(e, out)
}

// quantity is a named number of a row.
type quantity struct {
	name  string
	value float64
}

// measureAll reports the quantities of a row as measures whose names begin with that of the row.
func measureAll(out *report.Report, list []quantity, unit, row string) {
	for _, q := range list {
		out.Measure(report.Measure{Name: report.Name(row, "quantity", q.name), Unit: unit, Samples: measure.Series{q.value}})
	}
}

// printCalls prints the table of calls.
func printCalls(out *report.Report, results []result) {
	cols := []table.Column{{Title: "mix", Width: -24}, {Title: "n", Width: 5}, {Title: "call", Width: -16}, {Title: "calls", Width: 6}}
	for _, title := range []string{"50", "99", "99.9", "worst", "beyond", "carried"} {
		cols = append(cols, table.Column{Title: title, Width: 8})
	}
	t := out.Table("Pauses", append(cols, table.Column{Width: 1}, table.Column{Title: "frame", Width: 5}, table.Column{Title: "touched", Width: 9})...)
	for _, x := range results {
		for _, kind := range append(slices.Clone(x.mix.Kinds), lab.PauseQueries...) {
			s := summarize(x.Calls, kind)
			cells := []string{x.mix.Name, count.Format(x.n), kind, fmt.Sprint(len(s.times))}
			list := []quantity{{"p50", s.times.Quantile(0.5)}, {"p99", s.times.Quantile(0.99)}, {"p99.9", s.times.Quantile(0.999)}, {"worst", s.times.Max()}}
			for _, q := range list {
				cells = append(cells, table.Number(q.value/1e3))
			}
			for _, d := range []time.Duration{s.beyond, s.carried} {
				cells = append(cells, table.Number(float64(d.Nanoseconds())/1e3))
			}
			mark, touched := "", "-"
			if s.carried > limit(x.n) {
				mark = "!"
			}
			if s.touched > 0 {
				touched = fmt.Sprint(s.touched)
			}
			t.Row(append(cells, mark, fmt.Sprint(s.frame), touched)...)
			row := report.Name("Pauses", "n", x.n, "mix", x.mix.Name, "call", kind)
			measureAll(out, list, "ns/op", row)
			if s.touched > 0 {
				measureAll(out, []quantity{{"touched", float64(s.touched)}}, "objects", row)
			}
		}
	}
}

// limit is the longest pause of a tree of n objects that is not marked.
func limit(n int) time.Duration {
	if n <= 100_000 {
		return 500 * time.Microsecond
	}
	return 3 * time.Millisecond
}

// summary describes the calls of one kind.
type summary struct {
	times           measure.Series // ns
	beyond, carried time.Duration
	touched         int
	worst           time.Duration
	frame           int // frame of the worst
}

func summarize(calls []lab.Call, kind string) (s summary) {
	for i := range calls {
		if c := &calls[i]; c.Kind == kind {
			s.times = append(s.times, float64(c.Time.Nanoseconds()))
			s.beyond, s.carried, s.touched = max(s.beyond, c.Beyond), max(s.carried, c.Carried), max(s.touched, c.Touched)
			if c.Time > s.worst {
				s.worst, s.frame = c.Time, c.Frame
			}
		}
	}
	return s
}

// queryLimit is the largest ratio of a query in a changing tree to that in a new one that is not marked.
const queryLimit = 1.3

// printComparisons prints the table of queries.
func printComparisons(out *report.Report, results []result) {
	t := out.Table("Queries", table.Column{Title: "mix", Width: -24}, table.Column{Title: "n", Width: 5}, table.Column{Title: "query", Width: -16},
		table.Column{Title: "before", Width: 7}, table.Column{Title: "after", Width: 7}, table.Column{Title: "time", Width: 7}, table.Column{Title: "frame", Width: 5},
		table.Column{Title: "last visits", Width: 11}, table.Column{Title: "last time", Width: 9}, table.Column{Width: 1})
	for _, x := range results {
		for _, kind := range lab.PauseQueries {
			var worst, last lab.Comparison
			for _, c := range x.Comparisons {
				if c.Kind != kind {
					continue
				}
				worst.Before, worst.After = max(worst.Before, c.Before), max(worst.After, c.After)
				if c.Time > worst.Time {
					worst.Time, worst.Frame = c.Time, c.Frame
				}
				last = c
			}
			judged, mark := worst, ""
			if x.mix.Event {
				judged = last
			}
			if max(judged.Before, judged.After, judged.Time) > queryLimit {
				mark = "!"
			}
			cells := []string{x.mix.Name, count.Format(x.n), kind}
			list := []quantity{{"before", worst.Before}, {"after", worst.After}, {"time", worst.Time}}
			for _, q := range list {
				cells = append(cells, fmt.Sprintf("%.2f", q.value))
			}
			t.Row(append(cells, fmt.Sprint(worst.Frame), fmt.Sprintf("%.2f", max(last.Before, last.After)), fmt.Sprintf("%.2f", last.Time), mark)...)
			measureAll(out, list, "ratio", report.Name("Queries", "n", x.n, "mix", x.mix.Name, "query", kind))
		}
	}
}
