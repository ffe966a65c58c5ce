// Package tiers implements the commands that compare the library with itself: bench tiers on every tier, bench noise in
// turns on one, for the ratios that chance explains.
package tiers

import (
	"flag"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
)

// options are the flags of both commands.
type options struct {
	scene, sizes string
	seed         uint64
	output       command.Output
}

func (o *options) declare(flags *flag.FlagSet, rounds int) {
	flags.StringVar(&o.scene, "scene", "uniform", "make the objects of `NAME`: "+command.SceneNames())
	flags.StringVar(&o.sizes, "n", "100k", "numbers of objects, `LIST` like 100k,1M")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of scenes, queries and motion")
	o.output.Declare(flags, rounds)
}

// counts returns the numbers of objects.
func (o *options) counts() []int {
	if _, ok := scene.ByName(o.scene); !ok {
		must.Do(command.Usagef("unknown scene %q", o.scene))
	}
	list, err := count.List(o.sizes, 2, 10_000_000)
	if err != nil {
		must.Do(command.Usagef("-n %w", err))
	}
	return list
}

// Command is bench tiers.
var Command = command.Command{
	Name:  "tiers",
	Short: "the time of builds, queries and moves on every SIMD tier of this machine",
	Long: `
Measures a build, queries, all pairs and moves on every tier that the machine has, the best first, in turns in one
process. Queries run on one frozen tree, and agree with a loop over the boxes before they are timed. A build or a move is
one of a tree with default settings; moves are those of 1 % of all objects, and the end of the frame. Everything runs on
one goroutine.

The times are minima over the rounds, in ns; the last columns have the ratio of a tier's minimum to the best tier's.

  go run ./bench tiers
  go run ./bench tiers -n 100k,1M -scene city` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o options
		o.declare(flags, 9)
		return o.compare
	},
}

// compare runs bench tiers.
func (o *options) compare(e *command.Env) error {
	counts := o.counts()
	former := asm.Info().Tier
	defer asm.SetTier(former)
	tiers := slices.Clone(asm.Info().Available)
	slices.Reverse(tiers)
	out := o.output.Begin(e, "tiers")
	out.Note("tier", fmt.Sprintf("each of %v", tiers))
	columns := []table.Column{{Title: "ns", Width: -22}}
	for _, tier := range tiers {
		columns = append(columns, table.Column{Title: tier.String(), Width: 9})
	}
	for _, tier := range tiers[1:] {
		columns = append(columns, table.Column{Title: fmt.Sprintf("%v / %v", tier, tiers[0]), Width: 13})
	}
	p := command.Progress{Out: e.Errs, Steps: len(counts)}
	for _, n := range counts {
		p.Begin("measuring %s on %d tiers", about(o.scene, n), len(tiers))
		f := newField(o.scene, n, o.seed)
		tasks, sound := make([][]measure.Task, len(tiers)), make([]func() error, len(tiers))
		for i, tier := range tiers {
			tasks[i], sound[i] = f.tasks()
			for k := range tasks[i] {
				tasks[i][k].Do = on(tier, tasks[i][k].Do)
			}
		}
		out.Note("scene", about(o.scene, n))
		t := out.Table(about(o.scene, n), columns...)
		for k, name := range rows {
			var turns []measure.Task
			for i := range tiers {
				turns = append(turns, tasks[i][k])
			}
			times := measure.Interleave(o.output.Count, turns...)
			cells := []string{name}
			for _, s := range times {
				cells = append(cells, table.Number(s.Min()))
			}
			for _, s := range times[1:] {
				cells = append(cells, table.Number(s.Min()/times[0].Min()))
			}
			t.Row(cells...)
			for i, tier := range tiers {
				out.Measure(report.Measure{Name: report.Name("Tiers", "scene", o.scene, "n", n, "row", name, "tier", tier), Unit: "ns/op", Samples: times[i]})
			}
			p.Done(float64(k+1) / float64(len(rows)))
		}
		for _, check := range sound {
			must.Do(check())
		}
		p.End()
	}
	return o.output.End(e, out)
}

// on returns work that runs on a tier.
func on(tier asm.Tier, work func() uint64) func() uint64 {
	return func() uint64 {
		must.Get(asm.SetTier(tier))
		return work()
	}
}
