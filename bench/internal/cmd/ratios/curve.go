package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
)

// curvePercents are the shares of objects found along a curve, in percent.
var curvePercents = []float64{0, 0.1, 1, 5, 10, 20, 35, 50, 65, 80, 90, 95, 100}

const (
	curveQueries = 8
	curveLimit   = 1.1 // sweeps
	curveGrace   = 50  // ns, fixed cost of a query
)

// curveKind makes queries that find about a given share of the objects, for the tree and for the sweep.
type curveKind struct {
	name string // in the names of experiments, with a blank; empty for frusta
	make func(b *sceneTree, share float64) (tree, sweep lab.QueryFunc)
}

var curveKinds = []curveKind{{"", curveOfFrusta}, {"box ", curveOfBoxes}, {"sphere ", curveOfSpheres}}

// curveExperiments find queries that are slower on the tree than they need to be.
func curveExperiments() (all []experiment) {
	for _, of := range scene.All() {
		for _, n := range []int{100, 1_000, 10_000, 100_000, 1_000_000} {
			for _, k := range curveKinds {
				name := fmt.Sprintf("curve %s%s %s", k.name, of.Name, count.Format(n))
				all = append(all, experiment{name, n, func(s *session) []row { return s.curve(name, k, of.Name, n) }})
			}
		}
	}
	return all
}

// curve holds the ratio tree / sweep by share, and the worst ratio after the grace.
type curve struct {
	name    string
	ratios  []float64 // ratios of minimum times
	rounds  []measure.Series
	worst   float64
	percent float64 // share of the worst ratio
}

func curveColumns() []table.Column {
	cols := []table.Column{{Title: "tree / sweep, found:", Width: -30}}
	for _, p := range curvePercents {
		cols = append(cols, table.Column{Title: fmt.Sprintf("%v %%", p), Width: 6})
	}
	return append(cols, table.Column{Title: "worst", Width: 6}, table.Column{Title: "at", Width: 6},
		table.Column{Title: "target", Width: 7}, table.Column{Title: "verdict", Width: -7})
}

func (c curve) cells() []string {
	cells := []string{c.name}
	for _, r := range c.ratios {
		cells = append(cells, table.Number(r))
	}
	limit := atMost(curveLimit)
	return append(cells, table.Number(c.worst), fmt.Sprintf("%v %%", c.percent), limit.String(), limit.verdict(c.worst))
}

func (c curve) measures() (all []report.Measure) {
	for i, percent := range curvePercents {
		all = append(all, report.Measure{Name: measureName("Curve", c.name, "found", percent), Unit: "x", Samples: c.rounds[i]})
	}
	return all
}

func (s *session) curve(name string, k curveKind, scene string, n int) []row {
	b := s.tree(scene, n)
	c := curve{name: name}
	for _, percent := range curvePercents {
		tree, sweep := k.make(b, percent/100)
		must.Do(b.Same(curveQueries, tree, sweep))
		times := measure.Interleave(s.rounds, b.Task(curveQueries, tree), b.Task(curveQueries, sweep))
		// Minimum times, because the worst of many medians would be the worst of the noise.
		ours, floor := times[0].Min(), times[1].Min()
		c.ratios = append(c.ratios, ours/floor)
		c.rounds = append(c.rounds, times[0].Over(times[1]))
		if worst := (ours - curveGrace) / floor; worst > c.worst || len(c.ratios) == 1 {
			c.worst, c.percent = worst, percent
		}
	}
	return []row{c}
}
