package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
)

// frustumCameras is the number of cameras of each share.
const frustumCameras = 200

// frustumRef is a share to measure: the times of the fastest library and of the reference in ns, and the
// required speedup of the tree over the sweep, where it is stated.
type frustumRef struct {
	scene   string
	n       int
	percent int
	lead    float64
	holder  string
	ref     float64
	speedup float64
}

var frustumRefs = []frustumRef{
	{"uniform", 100_000, 1, 59_700, "PhysX", 3475, 0},
	{"uniform", 100_000, 10, 87_300, "scan, PhysX", 16_100, 0},
	{"uniform", 100_000, 50, 60_000, "scan", 27_700, 0},
	{"city", 100_000, 1, 19_400, "PhysX", 1330, 0},
	{"city", 100_000, 10, 86_300, "scan, PhysX", 6080, 0},
	{"city", 100_000, 50, 60_600, "scan", 11_400, 0},
	{"uniform", 1_000_000, 1, 739_000, "PhysX", 24_700, 40},
	{"uniform", 1_000_000, 10, 963_000, "scan, PhysX", 140_000, 6.5},
	{"uniform", 1_000_000, 50, 700_000, "scan", 297_000, 2},
	{"city", 1_000_000, 1, 152_000, "PhysX", 8600, 100},
	{"city", 1_000_000, 10, 786_000, "scan, PhysX", 35_000, 28},
	{"city", 1_000_000, 50, 699_000, "scan", 90_000, 8},
}

// frustumExperiments compare frustum queries with the sweep and the reference.
func frustumExperiments() (all []experiment) {
	for _, x := range frustumRefs {
		name := fmt.Sprintf("frustum %s %s %d %%", x.scene, count.Format(x.n), x.percent)
		all = append(all, experiment{name, x.n, func(s *session) []row { return s.frustum(name, x) }})
	}
	return all
}

func (s *session) frustum(name string, x frustumRef) []row {
	b := s.tree(x.scene, x.n)
	lenses := must.Get(b.Lenses(float64(x.percent)/100, frustumCameras))
	tree, sweep := b.TreeQueries(lenses), b.SweepQueries(lenses)
	must.Do(b.Same(len(lenses), tree, sweep))
	times := measure.Interleave(s.rounds, b.Task(len(lenses), tree), b.Task(len(lenses), sweep))
	speedup := figure{name: name + ": sweep / tree", values: times[1], over: times[0], unit: "x"}
	if x.speedup > 0 {
		speedup.target = atLeast(x.speedup)
	}
	slack := 1.15
	if x.n < 1_000_000 {
		slack = 1.25
	}
	return []row{
		speedup,
		figure{name: name + ": tree", values: times[0], unit: "ns", ref: x.ref, lead: x.lead, holder: x.holder, target: against(x.lead, x.ref, slack)},
	}
}
