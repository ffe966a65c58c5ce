// Package scaling implements the command bench scaling, which measures the growth of costs with the number of
// objects, and scaling classic, the benchmark of Dynamic Irregular Octrees.
package scaling

import (
	"flag"
	"fmt"
	"runtime"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Command is bench scaling.
var Command = command.Command{
	Name:  "scaling",
	Short: "cost against the number of objects, with fitted exponents",
	Long: `
Makes ever larger scenes and measures, with one worker:

  build, rebuild   a first build, and a frozen rebuild of it, ns per object
  pairs            all overlapping pairs, ns per object
  move             1 % of all objects in a frame, 95 % of them drift and 5 % jump,
                   with the tick: ns per moved object
  frustum          10 % of the scene visible, us; nearly all of it writes the results
  box              about 450 results, ns
  ray              to the first hit, ns
  knn              the nearest 8, ns

A sample of all results is compared with plain loops before anything is timed.
The last lines are a and b of the least-squares fit a·n^b in logarithms: b is 0
where the cost of an operation, or of an object, does not depend on the size. Ten
million objects take about 4 GB.

  go run ./bench scaling
  go run ./bench scaling -scene city -n 1M` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var s scaling
		flags.StringVar(&s.scene, "scene", "uniform", "the objects of `NAME`: "+command.SceneNames())
		count.Objects(flags, &s.most, "n", 10_000_000, 1000, "largest `number` of objects, 1k or more")
		flags.Uint64Var(&s.seed, "seed", 1, "seed of scene, queries and motion")
		s.tier.Declare(flags)
		s.output.Declare(flags, 5)
		return s.run
	},
}

// scaling is one run of the command.
type scaling struct {
	scene  string
	most   int
	seed   uint64
	tier   command.TierFlag
	output command.Output
}

// scalingQuantities are the columns, in the order of scaling.measure.
var scalingQuantities = []lab.Quantity{
	{Name: "build", Unit: "ns/object"}, {Name: "rebuild", Unit: "ns/object"}, {Name: "pairs", Unit: "ns/object"},
	{Name: "move", Unit: "ns/move"}, {Name: "frustum", Unit: "ns/op", Title: "frustum us", Per: 1e3}, {Name: "box", Unit: "ns/op"},
	{Name: "ray", Unit: "ns/op"}, {Name: "knn", Unit: "ns/op"},
}

func (s *scaling) run(e *command.Env) error {
	if _, err := lab.Objects(s.scene, 0, s.seed); err != nil {
		return command.Usage(err)
	}
	defer s.tier.Use()()
	p := &command.Progress{Out: e.Errs}
	out := s.output.Begin(e, "scaling")
	command.TierNote(out)
	out.Note("objects", fmt.Sprintf("%s, seed %d", s.scene, s.seed))
	g := lab.NewGrowth(out, "Scaling", scalingQuantities)
	for _, n := range lab.SizesTo(s.most) {
		p.Begin("measuring %s", count.Of(n, "object"))
		var samples []measure.Series
		must.Within(func() { samples = s.measure(n) }, "%d objects", n)
		p.End()
		g.Add(n, samples)
	}
	g.Fit()
	return s.output.End(e, out)
}

// measure returns the samples of all quantities.
func (s *scaling) measure(n int) []measure.Series {
	changes := s.changes(n)
	runtime.GC()
	b := must.Get(lab.NewSceneTree(s.scene, n, s.seed))
	lenses := must.Get(b.Lenses(0.1, 50))
	cull := b.TreeQueries(lenses)
	must.Within(func() { must.Do(b.Same(len(lenses), cull, b.SweepQueries(lenses))) }, "frustum")
	pairs := &lab.AllPairs{}
	if !lab.Agrees(pairs, b.View, b.Boxes()) {
		must.Fail("pairs: results differ from the oracle")
	}
	tasks := []measure.Task{
		{Units: n, Do: func() uint64 { return uint64(collide.Count(collide.Within(b.View), collide.Filter{StaticPairs: true})) }},
		b.Task(len(lenses), cull),
	}
	for _, kind := range []lab.QueryKind{lab.Box450, lab.RayNearest, lab.Nearest8} {
		must.Within(func() { tasks = append(tasks, b.QueryTask(must.Get(b.Batch(kind)))) }, "%s", kind.Name)
	}
	times := measure.Interleave(s.output.Count, tasks...)
	return []measure.Series{changes[0], changes[1], times[0], changes[2], times[1], times[2], times[3], times[4]}
}

// changes returns the times of a build, a rebuild and a move.
func (s *scaling) changes(n int) []measure.Series {
	objects := must.Get(lab.Objects(s.scene, n, s.seed))
	h := must.Get(lab.NewMovingTree(objects, s.seed))
	still := must.Get(lab.Build(objects, 1, make([]uint32, 0, n)))
	movers := max(n/lab.FrameShare, 1)
	times := measure.Interleave(s.output.Count,
		h.FirstBuild(objects),
		measure.Task{Units: n, Before: runtime.GC, Do: func() uint64 {
			h.Note(still.Rebuild(nil, linear.RebuildOptions{Frozen: true}))
			return uint64(still.Len())
		}},
		measure.Task{Units: movers, Before: func() { h.Draw(1, movers) }, Do: func() uint64 { return h.Move(movers) }},
	)
	must.Do(h.Sound())
	return times
}
