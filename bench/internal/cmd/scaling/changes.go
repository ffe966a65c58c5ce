package scaling

import (
	"flag"
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// Changes is bench scaling changes.
var Changes = command.Command{
	Name:  "scaling changes",
	Short: "queries of a changing tree beside those of a new one, in many situations",
	Long: `
Moves the objects of a tree in many ways for 96 frames, and asks 64 boxes of some
objects each for the nodes and packets that they visit, and a new tree of the same
objects for the same:

  before    visits over those in the new tree, before a tick: the worst of every
            eighth frame
  after     the same after the tick
  time      time of the queries after the last frame, over that in the new tree,
            the median of the rounds
  rebuilt   objects moved by rebuilds, per object that the program moved
  change    time of moves and ticks per moved object, ns, by the wall clock, the
            median

The motions: drift moves objects at random by a hundredth of the scene, fly at a
constant speed of their own; jump, swap and stream (removal and insertion) move
them anywhere; pulse to the centre and back. The visits are a function of the
seed, equal on every CPU; more than 1.5 after a tick is marked.

  go run ./bench scaling changes
  go run ./bench scaling changes -only "fly, 100 %"` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var c changes
		count.Objects(flags, &c.objects, "n", 20_000, 1000, "`number` of moving objects, 1k or more")
		flags.StringVar(&c.only, "only", "", "only the situations whose name begins with `TEXT`")
		flags.Uint64Var(&c.seed, "seed", 1, "seed of objects and motions")
		c.tier.Declare(flags)
		c.output.Declare(flags, 1)
		return c.run
	},
}

// changes is one run of the command.
type changes struct {
	objects int
	only    string
	seed    uint64
	tier    command.TierFlag
	output  command.Output
}

func (c *changes) run(e *command.Env) error {
	var chosen []lab.Situation
	for _, x := range lab.Situations() {
		if strings.HasPrefix(x.Name, c.only) {
			chosen = append(chosen, x)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no situation begins with %q", c.only)
	}
	defer c.tier.Use()()
	p := &command.Progress{Out: e.Errs, Steps: len(chosen)}
	out := c.output.Begin(e, "scaling changes")
	command.TierNote(out)
	out.Note("objects", fmt.Sprint(c.objects))
	t := out.Table("Changes", table.Column{Title: "situation", Width: -44}, table.Column{Title: "before", Width: 7}, table.Column{Title: "after", Width: 7},
		table.Column{Title: "", Width: 1}, table.Column{Title: "time", Width: 7}, table.Column{Title: "rebuilt", Width: 8}, table.Column{Title: "change", Width: 8})
	for _, x := range chosen {
		p.Begin("measuring %s", x.Name)
		var o lab.Outcome
		var times, costs measure.Series
		must.Within(func() {
			for range c.output.Count {
				o = x.Run(c.seed, c.objects)
				times, costs = append(times, o.Time), append(costs, o.Change)
			}
		}, "%s", x.Name)
		p.End()
		after, rebuilt, mark := "-", "-", ""
		if o.After > 0 {
			after, rebuilt = fmt.Sprintf("%.2f", o.After), fmt.Sprintf("%.2f", o.Rebuilt)
			out.Measure(report.Measure{Name: report.Name("Changes", "situation", x.Name, "quantity", "after"), Unit: "new tree", Samples: measure.Series{o.After}})
		}
		if o.After > 1.5 {
			mark = "!"
		}
		t.Row(x.Name, fmt.Sprintf("%.2f", o.Before), after, mark, fmt.Sprintf("%.2f", times.Median()), rebuilt, fmt.Sprintf("%.1f", costs.Median()))
		for _, m := range []report.Measure{
			{Name: report.Name("Changes", "situation", x.Name, "quantity", "before"), Unit: "new tree", Samples: measure.Series{o.Before}},
			{Name: report.Name("Changes", "situation", x.Name, "quantity", "time"), Unit: "new tree", Samples: times},
			{Name: report.Name("Changes", "situation", x.Name, "quantity", "change"), Unit: "ns/move", Samples: costs},
		} {
			out.Measure(m)
		}
	}
	return c.output.End(e, out)
}
