package ratios

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
)

// buildRef is a scene to build. lead is the time of the fastest bulk build of the field, and most the limit
// of a first build along the curve, both in ns per object.
type buildRef struct {
	scene      string
	n          int
	lead, most float64
}

var buildRefs = []buildRef{
	{"uniform", 10_000, 43, 25}, {"city", 10_000, 33, 25}, {"points", 10_000, 0, 20},
	{"uniform", 100_000, 60, 25}, {"city", 100_000, 47, 25}, {"points", 100_000, 0, 20},
	{"uniform", 1_000_000, 93, 48}, {"city", 1_000_000, 88, 70},
}

// buildExperiments measure builds.
func buildExperiments() (all []experiment) {
	for _, x := range buildRefs {
		name := fmt.Sprintf("build %s %s", x.scene, count.Format(x.n))
		all = append(all, experiment{name, x.n, func(s *session) []row { return s.build(name, x) }})
	}
	return all
}

// build measures first builds, cut or along the curve, in memory that the heap holds already. No garbage
// collection runs in between.
func (s *session) build(name string, x buildRef) []row {
	objects := must.Get(lab.Objects(x.scene, x.n, s.seed))
	ids := make([]uint32, 0, x.n)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	first := func(cut linear.Cut) measure.Task {
		insert := func() uint64 {
			t := must.Get(linear.New(linear.Config{Workers: 1, Cut: cut}))
			must.Get(t.InsertBatch(ids[:0], objects))
			return uint64(t.Len())
		}
		// The runtime returns free memory to the system gradually.
		return measure.Task{Units: x.n, Before: func() { insert(); runtime.GC() }, Do: insert}
	}
	times := measure.Interleave(s.rounds, first(linear.CutSpace), first(linear.CutCurve))
	holder := ""
	if x.lead != 0 {
		holder = "OrthoTree"
	}
	return []row{
		figure{name: name + ": first build", values: times[0], unit: "ns/object", lead: x.lead, holder: holder},
		figure{name: name + ": first build, along the curve", values: times[1], unit: "ns/object", target: atMost(x.most)},
	}
}
