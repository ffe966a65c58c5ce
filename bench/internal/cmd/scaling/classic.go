package scaling

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/cmd/nested"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Classic is bench scaling classic.
var Classic = command.Command{
	Name:  "scaling classic",
	Short: "the benchmark of J. Shagam and J. Pfeiffer, Dynamic Irregular Octrees (2003)",
	Long: `
Prints three tables. The first measures this library. It inserts n spheres of radius 1, uniform in a cube of side
3·n^(1/3), builds the tree with one worker, and runs steps of three parts:

  query    a box of side 100 at a random position: the traversal of the nodes, which
           yields w objects, in packets that are to be tested or are fully contained
  cull     the tests of these objects against the box, and the IDs of the hits
  shuffle  1,000 random objects move to random positions; Tick and Refit follow

The columns are means of a step: w and the results as numbers, the times in
microseconds; the build time in nanoseconds per object. The column append is
the time of query.Box.Append, which does query and cull in one call; its results
are compared with those of the two parts. The last lines are a and b of the
least-squares fit a·n^b in logarithms. The box holds all of a small scene, and
at most 37,000 objects of a large one: b lies between.

The second table has the published figures, measured on an Athlon of 1.1 GHz, and the figures of
the report's octree and of this library on this machine, for about 500 results in the
same scene: the candidates of a query and its time, the whole split, the number of
objects from which a query is faster than a loop over all, the growth of candidates and time, the
memory, and the candidates in a badly imbalanced tree. The scene, the language and
the machine differ from the report's: the columns are context, not a speed-up.

The third table measures the report's octree, with a tenth of the objects: the worst
frame of a rotating camera, when a query splits the leaves that it visits
(lazy), and when leaves are split ahead in the three ways of the report.

The octree was written for this comparison, in the module bench/rivals, which this command
builds and runs. It needs the source tree and the go command.

  go run ./bench scaling classic
  go run ./bench scaling classic -n 10M` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var c classic
		count.Objects(flags, &c.most, "n", 1_000_000, 1000, "largest `number` of objects, 1k or more")
		count.Var(flags, &c.steps, "steps", 1000, 1, "`number` of steps of a round")
		flags.Uint64Var(&c.seed, "seed", 1, "seed of the scene and the steps")
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
	{Name: "query", Unit: "ns/op", Title: "query us", Per: 1e3}, {Name: "cull", Unit: "ns/op", Title: "cull us", Per: 1e3}, {Name: "append", Unit: "ns/op", Title: "append us", Per: 1e3},
	{Name: "shuffle", Unit: "ns/op", Title: "shuffle us", Per: 1e3},
}

// classic is one run of the command.
type classic struct {
	most, steps int
	seed        uint64
	tier        command.TierFlag
	output      command.Output
}

func (c *classic) run(e *command.Env) error {
	defer c.tier.Use()()
	p := &command.Progress{Out: e.Errs}
	out := c.output.Begin(e, "scaling classic")
	command.TierNote(out)
	c.grow(p, out)
	p.Begin("measuring the irregular octree")
	c.replay(e, out)
	p.End()
	return c.output.End(e, out)
}

// replay runs the command of the nested module and repeats its report.
func (c *classic) replay(e *command.Env, out *report.Report) {
	var text bytes.Buffer
	args := []string{
		"classic", fmt.Sprint("-n=", c.most), fmt.Sprint("-count=", c.output.Count), fmt.Sprint("-seed=", c.seed),
		fmt.Sprint("-tier=", asm.Info().Tier),
	}
	must.Do(nested.Run("rivals", args, &text, e.Errs))
	must.Do(out.Replay(text.Bytes()))
}

// grow prints the table of this library.
func (c *classic) grow(p *command.Progress, out *report.Report) {
	out.Note("steps", fmt.Sprintf("%d, %s", c.steps, count.Of(c.output.Count, "round")))
	g := lab.NewGrowth(out, "Classic", classicQuantities)
	for _, n := range lab.SizesTo(c.most) {
		p.Begin("%s with %s", count.Of(c.steps, "step"), count.Of(n, "object"))
		samples := make([]measure.Series, len(classicQuantities))
		for round := range c.output.Count {
			var m classicSums
			must.Within(func() { m = c.measure(n, c.seed+uint64(round)) }, "%d objects", n)
			for i, x := range m.series(n, c.steps) {
				samples[i] = append(samples[i], x)
			}
		}
		p.End()
		g.Add(n, samples)
	}
	g.Fit()
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
func (c *classic) measure(n int, seed uint64) (m classicSums) {
	uniform, _ := scene.ByName("uniform")
	objects := uniform.Make(n, seed)
	bounds := scene.Bounds(objects)
	runtime.GC()
	start := time.Now()
	tree := must.Get(lab.Build(objects, 1, make([]uint32, 0, n)))
	m.build = time.Since(start)
	var (
		r       = rand.New(rand.NewPCG(seed, 81))
		queries boxQueries
		movers  = make([]uint32, classicMoves)
		to      = make([]soa.AABB, classicMoves)
	)
	for step := range c.steps {
		must.Within(func() {
			queries.query(&m, tree.View(), randomCube(r, bounds, classicSide), step%2 == 0)
		}, "step %d", step)
		for k := range movers {
			movers[k] = uint32(r.IntN(n))
			to[k] = randomCube(r, bounds, 2)
		}
		start := time.Now()
		must.Do(tree.MoveBatch(movers, to))
		must.Do(tree.Tick())
		m.shuffle += time.Since(start)
	}
	must.Do(tree.Validate())
	return m
}

// boxQueries runs box queries in two steps and in one.
type boxQueries struct {
	phases     baseline.Phases
	set        baseline.Set
	parts, ids []uint32
}

// query measures a box query in two steps and in one. partsFirst alternates the order, because the second run
// has warm caches.
func (a *boxQueries) query(m *classicSums, v linear.View, b soa.AABB, partsFirst bool) {
	whole := must.Get(query.NewBox(b.Min, b.Max))
	s, box := v.Store(), cull.MakeBox(b.Min, b.Max)
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
		must.Fail("query and cull differ from Append: %w", err)
	}
}

// randomCube returns a cube with that edge and a centre uniform in the bounds.
func randomCube(r *rand.Rand, bounds soa.AABB, edge float64) (b soa.AABB) {
	for a := range 3 {
		lo, hi := float64(bounds.Min[a]), float64(bounds.Max[a])
		c := lo + float64((hi-lo)*r.Float64())
		b.Min[a], b.Max[a] = float32(c-edge/2), float32(c+edge/2)
	}
	return b
}
