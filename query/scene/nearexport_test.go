package scene

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// NearReference is AppendNearest without a heap and without limits: every object of every part,
// by the same formulas, and a sort.
func NearTwin(v linear.SceneView, point [3]float32, k int, maxDist float32, flt query.Filter) []Neighbor {
	w := search{maxDist: float32(math.Inf(1)), filter: flt}
	w.k = math.MaxInt
	type twin struct {
		near
		low float32
	}
	var all []twin
	var visit func(level int)
	visit = func(level int) {
		r := &w.levels[level]
		objects := r.view.Objects()
		limit := float32(math.Inf(1))
		if r.exact {
			limit = maxDist
		}
		found, err := query.AppendNearest(nil, objects, r.Point, objects.Len(), limit, w.filter)
		if err != nil {
			panic(err)
		}
		for rank, n := range found {
			dist, low := n.Dist(), n.Low()
			switch {
			case r.metricLevel != level:
				low = max(r.lower(low), w.boxed(level, objects, n.ID))
				dist = low
			case !r.exact:
				dist, low = float32(math.Sqrt(float64(n.Dist2))*r.scale), r.lower(low)
			}
			if dist, low = max(dist, r.low), max(low, r.low); r.exact || low <= maxDist {
				all = append(all, twin{near{dist, n.Dist2, n.ID, uint32(rank), w.addPath(level)}, low})
			}
		}
		w.filter.Only, w.filter.Exclude = nil, linear.Handle{}
		for slot := range uint32(r.view.Instances().Slots()) {
			for _, id := range r.view.Instances().IDs(slot) {
				o, _ := r.view.Instances().Object(id)
				inner := &w.levels[level+1]
				inner.id = id
				inner.view, _, inner.transform = instanceOf(r.view, id)
				bounds := inner.view.Bounds()
				if flt.Mask != 0 && flt.Mask&o.Mask == 0 || bounds.Min[0] > bounds.Max[0] {
					continue
				}
				inner.into(&r.nearPart, level+1, &bounds)
				inner.low = max(inner.low, r.low)
				if !slices.Contains(r.view.Outgrown(), id) {
					inner.low = max(inner.low, r.below(testkit.ReferenceDist2(&o.Box, r.Point)))
				}
				if inner.low <= maxDist {
					visit(level + 1)
				}
			}
		}
	}
	w.levels[0].begin(v, &point)
	visit(0)
	slices.SortFunc(all, func(a, b twin) int { return w.compare(&a.near, &b.near) })
	var out []Neighbor
	for _, n := range all[:min(k, len(all))] {
		out = append(out, Neighbor{w.paths[n.path].path, n.id, n.dist, n.low})
	}
	return out
}

// ArriveTwice moves a point into a part with these bounds by the kernel and in Go. It reports whether the kernel
// did, and the numbers of both.
func ArriveTwice(point [3]float64, transform *linear.Transform, bounds soa.AABB) (ok bool, kernel, want trace.Arrival) {
	outer, r := nearPart{Arrival: trace.Arrival{Center: point}}, nearPart{transform: (*xform.Transform)(transform)}
	ok = kernel.Enter(&point, (*[13]float64)(r.transform.All()[:]), &bounds)
	r.move(&outer, 1, &bounds)
	return ok, kernel, r.Arrival
}
