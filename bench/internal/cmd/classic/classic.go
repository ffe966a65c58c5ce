// Package classic implements the command bench classic, the benchmark of Dynamic Irregular Octrees.
package classic

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/nested"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Command is bench classic.
var Command = command.Command{
	Name:  "classic",
	Short: "the benchmark of J. Shagam and J. Pfeiffer, Dynamic Irregular Octrees (2003)",
	Long: `
Three tables. The first is of this library. It takes n spheres of radius 1, uniform in a cube of side 3·n^(1/3), builds the whole
tree with one worker, and takes steps of three parts:

  query    a box of side 100 at a random place: the walk through the nodes, which
           finds w objects, those of all packets to test or wholly inside
  cull     the test of these against the box, with the IDs of what meets it
  shuffle  1,000 random objects moved anywhere, and the tick with the refit that
           they cause

The table tells means of a step: w and the results as numbers, the times in
microseconds; the time to build in nanoseconds per object. The column answer is
the time of query.Box.Append, which does query and cull in one go; its answers
are compared with those of the two parts. The last lines are a and b of the
least-squares fit a·n^b in logarithms. The box holds all of a small scene, and
at most 37,000 objects of a large one: b lies between.

The second has the published figures, measured on an Athlon of 1.1 GHz, and what
the octree of the report and this library reach here, for about 500 results in the
same scene: the candidates of a query and its time, the whole split, the number of
objects from which a query beats a loop over all, how candidates and time grow, the
memory, and the candidates in a badly imbalanced tree. The scene, the language and
the machine are others: the columns are context, no speed-up is meant.

The third is of the octree of the report, with a tenth of the objects: the worst
frame of a camera that turns, when leaves are split only as a query comes to them
(lazy), and when they are split ahead in the three ways of the report.

-thresholds prints another table in their place: the same octree with other
thresholds of a split, shares of straddlers and numbers of planes, the analysis that
the report asks for, with a tenth of the objects.

The octree is written for this comparison, in the module bench/rivals, of which this
builds a command and runs it: that takes the source tree and the go command.

  go run ./bench classic
  go run ./bench classic -n 10M
  go run ./bench classic -thresholds` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var c classic
		count.Var(flags, &c.most, "n", 1_000_000, 1000, "largest `number` of objects, 1k or more")
		count.Var(flags, &c.steps, "steps", 1000, 1, "`number` of steps of a round")
		flags.Uint64Var(&c.seed, "seed", 1, "seed of the scene and the steps")
		flags.BoolVar(&c.thresholds, "thresholds", false, "sweep the thresholds of a split of the irregular octree instead")
		c.tier.Declare(flags)
		c.output.Declare(flags, 3)
		return c.run
	},
}

const (
	classicSide  = 100  // side of the box
	classicMoves = 1000 // moves of a shuffle
)

// classicQuantities are the columns, in the order of classicSums.series.
var classicQuantities = []lab.Quantity{
	{Name: "build", Unit: "ns/object", Title: "build ns"}, {Name: "w", Unit: "objects"}, {Name: "results", Unit: "objects"},
	{Name: "query", Unit: "ns/op", Title: "query us", Per: 1e3}, {Name: "cull", Unit: "ns/op", Title: "cull us", Per: 1e3}, {Name: "answer", Unit: "ns/op", Title: "answer us", Per: 1e3},
	{Name: "shuffle", Unit: "ns/op", Title: "shuffle us", Per: 1e3},
}

// classic is one run of the command.
type classic struct {
	most, steps int
	seed        uint64
	thresholds  bool
	tier        command.TierFlag
	output      command.Output
}

func (c *classic) run(e *command.Env) error {
	restore, err := c.tier.Use()
	if err != nil {
		return err
	}
	defer restore()
	p := &command.Progress{Out: e.Errs}
	out, err := c.output.Begin(e, "classic")
	if err != nil {
		return err
	}
	command.TierNote(out)
	if !c.thresholds {
		if err := c.grow(p, out); err != nil {
			return err
		}
	}
	p.Begin("measuring the irregular octree")
	err = c.replay(e, out)
	p.End()
	if err != nil {
		return err
	}
	return c.output.End(e, out)
}

// replay runs the command of the nested module and repeats its report.
func (c *classic) replay(e *command.Env, out *report.Report) error {
	var text bytes.Buffer
	args := []string{
		fmt.Sprint("-n=", c.most), fmt.Sprint("-count=", c.output.Count), fmt.Sprint("-seed=", c.seed),
		fmt.Sprint("-tier=", asm.Info().Tier), fmt.Sprint("-thresholds=", c.thresholds),
	}
	if err := nested.Run("rivals", "classic", args, &text, e.Errs); err != nil {
		return err
	}
	return out.Replay(text.Bytes())
}

// grow prints the table of this library.
func (c *classic) grow(p *command.Progress, out *report.Report) error {
	out.Note("steps", fmt.Sprintf("%d, %s", c.steps, count.Of(c.output.Count, "round")))
	g := lab.NewGrowth(out, "Classic", classicQuantities)
	for _, n := range lab.SizesTo(c.most) {
		p.Begin("%s with %s", count.Of(c.steps, "step"), count.Of(n, "object"))
		samples := make([]measure.Series, len(classicQuantities))
		for round := range c.output.Count {
			m, err := c.measure(n, c.seed+uint64(round))
			if err != nil {
				p.End()
				return fmt.Errorf("%d objects: %w", n, err)
			}
			for i, x := range m.series(n, c.steps) {
				samples[i] = append(samples[i], x)
			}
		}
		p.End()
		g.Add(n, samples)
	}
	g.Fit()
	return nil
}

// classicSums are sums over all steps.
type classicSums struct {
	build, query, cull, answer, shuffle time.Duration
	found, results                      int
}

// series returns the means over the steps.
func (m *classicSums) series(n, steps int) []float64 {
	each := func(x int) float64 { return float64(x) / float64(steps) }
	ns := func(d time.Duration) float64 { return each(int(d.Nanoseconds())) }
	return []float64{
		float64(m.build.Nanoseconds()) / float64(n), each(m.found), each(m.results),
		ns(m.query), ns(m.cull), ns(m.answer), ns(m.shuffle),
	}
}

// measure runs the steps.
func (c *classic) measure(n int, seed uint64) (m classicSums, err error) {
	uniform, _ := scene.ByName("uniform")
	objects := uniform.Make(n, seed)
	bounds := scene.Bounds(objects)
	runtime.GC()
	start := time.Now()
	tree, err := lab.Insert(objects, 1, make([]uint32, 0, n))
	m.build = time.Since(start)
	if err != nil {
		return m, err
	}
	var (
		r      = rand.New(rand.NewPCG(seed, 81))
		asker  boxAsker
		movers = make([]uint32, classicMoves)
		to     = make([]soa.AABB, classicMoves)
	)
	for step := range c.steps {
		if err := asker.ask(&m, tree.View(), place(r, bounds, classicSide), step%2 == 0); err != nil {
			return m, fmt.Errorf("step %d: %w", step, err)
		}
		for k := range movers {
			movers[k] = uint32(r.IntN(n))
			to[k] = place(r, bounds, 2)
		}
		start := time.Now()
		if err := tree.MoveBatch(movers, to); err != nil {
			return m, err
		}
		if err := tree.Tick(); err != nil {
			return m, err
		}
		m.shuffle += time.Since(start)
	}
	return m, tree.Validate()
}

// boxAsker runs box queries in two steps and in one.
type boxAsker struct {
	phases     baseline.Phases
	set        baseline.Set
	parts, ids []uint32
}

// ask measures a box query in two steps and in one. partsFirst alternates the order, because the second run
// has warm caches.
func (a *boxAsker) ask(m *classicSums, v linear.View, b soa.AABB, partsFirst bool) error {
	whole, err := query.NewBox(b.Min, b.Max)
	if err != nil {
		return err
	}
	s, box := v.Store(), asm.MakeBox(b.Min, b.Max)
	inParts := func() {
		start := time.Now()
		a.phases.Query(s, &box)
		middle := time.Now()
		m.found += a.phases.Found(s)
		again := time.Now()
		a.parts = a.phases.Cull(a.parts[:0], s, &box)
		m.query += middle.Sub(start)
		m.cull += time.Since(again)
	}
	if partsFirst {
		inParts()
	}
	start := time.Now()
	a.ids = whole.Append(a.ids[:0], v, query.Filter{})
	m.answer += time.Since(start)
	if !partsFirst {
		inParts()
	}
	m.results += len(a.ids)
	if err := a.set.Same(a.parts, a.ids); err != nil {
		return fmt.Errorf("query and cull differ from the answer: %w", err)
	}
	return nil
}

// place returns a cube with that edge and a centre uniform in the bounds.
func place(r *rand.Rand, bounds soa.AABB, edge float64) (b soa.AABB) {
	for a := range 3 {
		lo, hi := float64(bounds.Min[a]), float64(bounds.Max[a])
		c := lo + float64((hi-lo)*r.Float64())
		b.Min[a], b.Max[a] = float32(c-edge/2), float32(c+edge/2)
	}
	return b
}
