package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/table"
)

// queryRef is a query to measure, with the times of the fastest library and of the reference in ns.
type queryRef struct {
	kind      lab.QueryKind
	scene     string
	n         int
	lead, ref float64
	holder    string
}

var queryRefs = []queryRef{
	{lab.Box8, "uniform", 100_000, 473, 142, "Jolt"},
	{lab.Box450, "uniform", 100_000, 6250, 746, "Boost R-tree"},
	{lab.Sphere550, "uniform", 100_000, 14_000, 0, "PhysX, Boost"},
	{lab.RayAll, "uniform", 100_000, 1036, 0, "Embree"},
	{lab.RayNearest, "uniform", 100_000, 302, 285, "Embree"},
	{lab.Nearest1, "uniform", 100_000, 570, 0, "Embree"},
	{lab.Nearest8, "uniform", 100_000, 1763, 0, "Embree, Boost"},
	{lab.Nearest8, "uniform points", 100_000, 1255, 0, "nanoflann"},

	{lab.Box8, "city", 100_000, 388, 126, "Jolt"},
	{lab.Box450, "city", 100_000, 3160, 448, "Boost R-tree"},
	{lab.Sphere550, "city", 100_000, 7000, 0, "PhysX, Boost"},
	{lab.RayAll, "city", 100_000, 273, 0, "Embree"},
	{lab.RayNearest, "city", 100_000, 231, 324, "Embree"},
	{lab.Nearest1, "city", 100_000, 529, 0, "Embree"},
	{lab.Nearest8, "city", 100_000, 1343, 0, "Embree, Boost"},
	{lab.Nearest8, "city points", 100_000, 940, 0, "nanoflann"},

	{lab.Box8, "uniform", 1_000_000, 698, 218, "Jolt"},
	{lab.Box450, "uniform", 1_000_000, 10_700, 1760, "Boost R-tree"},
	{lab.Sphere550, "uniform", 1_000_000, 21_600, 0, "PhysX, Boost"},
	{lab.RayAll, "uniform", 1_000_000, 8315, 0, "Embree"},
	{lab.RayNearest, "uniform", 1_000_000, 1088, 534, "Embree"},
	{lab.Nearest1, "uniform", 1_000_000, 864, 0, "Embree"},
	{lab.Nearest8, "uniform", 1_000_000, 3811, 0, "Embree, Boost"},
	{lab.Nearest8, "uniform points", 1_000_000, 1876, 0, "nanoflann"},

	{lab.Box8, "city", 1_000_000, 570, 213, "Jolt"},
	{lab.Box450, "city", 1_000_000, 4200, 735, "Boost R-tree"},
	{lab.Sphere550, "city", 1_000_000, 8900, 0, "PhysX, Boost"},
	{lab.RayAll, "city", 1_000_000, 811, 0, "Embree"},
	{lab.RayNearest, "city", 1_000_000, 506, 539, "Embree"},
	{lab.Nearest1, "city", 1_000_000, 737, 0, "Embree"},
	{lab.Nearest8, "city", 1_000_000, 1864, 0, "Embree, Boost"},
	{lab.Nearest8, "city points", 1_000_000, 1266, 0, "nanoflann"},
}

// querySlack is the largest allowed ratio of a query's time to the reference.
const querySlack = 1.2

// queryExperiments compare queries on a frozen tree with other libraries.
func queryExperiments() (all []experiment) {
	for _, x := range queryRefs {
		name := fmt.Sprintf("query %s %s %s", x.kind.Name, x.scene, count.Format(x.n))
		all = append(all, experiment{name, x.n, func(s *session) []row { return s.query(name, x) }})
	}
	return all
}

func (s *session) query(name string, x queryRef) []row {
	b := s.tree(x.scene, x.n)
	q := must.Get(b.Batch(x.kind))
	results := float64(q.Pass(b.View)) / float64(q.Len())
	times := measure.Interleave(s.rounds, b.QueryTask(q))
	return []row{figure{
		name: fmt.Sprintf("%s: tree, %s results", name, table.Digits(results)), values: times[0], unit: "ns",
		ref: x.ref, lead: x.lead, holder: x.holder, target: against(x.lead, x.ref, querySlack),
	}}
}
