package scene

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// NearReference is AppendNearest without a heap and without limits: every object of every part,
// by the same formulas, and a sort.
func NearTwin(v linear.SceneView, point [3]float32, k int, maxDist float32, flt query.Filter) []Neighbor {
	w := search{k: math.MaxInt, maxDist: float32(math.Inf(1)), filter: flt}
	var all []near
	var visit func(at int)
	visit = func(at int) {
		r := w.parts[at]
		objects := r.view.Objects()
		limit := float32(math.Inf(1))
		if r.exact {
			limit = maxDist
		}
		found, err := query.AppendNearest(nil, objects, r.point, objects.Len(), limit, w.filter)
		if err != nil {
			panic(err)
		}
		for rank, n := range found {
			dist, low := n.Dist(), n.Low()
			switch {
			case r.metricPart != at:
				low = max(r.lower(low), w.boxed(at, objects, n.ID))
				dist = low
			case !r.exact:
				dist, low = float32(math.Sqrt(float64(n.Dist2))*r.scale), r.lower(low)
			}
			if dist, low = max(dist, r.low), max(low, r.low); r.exact || low <= maxDist {
				all = append(all, near{Neighbor{r.path, n.ID, dist, low}, rank})
			}
		}
		w.filter.Only, w.filter.Exclude = nil, linear.Handle{}
		for slot := range uint32(r.view.Instances().Slots()) {
			for _, id := range r.view.Instances().IDs(slot) {
				o, _ := r.view.Instances().Object(id)
				inner := reached{path: r.path}
				inner.view, _, inner.transform = instanceOf(r.view, id)
				bounds := inner.view.Bounds()
				if flt.Mask != 0 && flt.Mask&o.Mask == 0 || bounds.Min[0] > bounds.Max[0] {
					continue
				}
				inner.path.push(id)
				w.bounds.Set(&bounds)
				inner.into(&r, at, len(w.parts), &w.bounds)
				inner.low = max(inner.low, r.low)
				if !slices.Contains(r.view.Outgrown(), id) {
					inner.low = max(inner.low, r.below(testkit.ReferenceDist2(&o.Box, r.point)))
				}
				if inner.low <= maxDist {
					w.parts = append(w.parts, inner)
					visit(len(w.parts) - 1)
				}
			}
		}
	}
	root := reached{view: v, point: point, scale: 1, exact: true}
	for a, x := range point {
		root.center[a] = float64(x)
	}
	w.parts = append(w.parts, root)
	visit(0)
	slices.SortFunc(all, func(a, b near) int { return a.compare(&b) })
	var out []Neighbor
	for _, n := range all[:min(k, len(all))] {
		out = append(out, n.Neighbor)
	}
	return out
}
