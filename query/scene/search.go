package scene

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// search is the state of one query for nearest objects, taken from a pool.
//
// No object is nearer than the heap entry that leads to it, so the result does not depend on the
// order in which parts of equal distance are opened.
type search struct {
	k       int
	maxDist float32
	filter  query.Filter
	gate    walk.Filter // for instances
	lane    cull.LaneFilter
	parts   []reached // all visited parts
	heap    []entry   // min-heap by distance
	best    []near    // max-heap by distance
	walk    trace.NearWalk
	found   []query.Neighbor
	bounds  space.Extent
}

// reached is a visited part, and the point in its space.
type reached struct {
	view        linear.SceneView
	path        Path
	transform   *xform.Transform
	outer       int        // index of the enclosing part, in parts
	center, off [3]float64 // bound of the distance between the exact point and center, on each axis
	point       [3]float32 // the centre, rounded
	gap         float64    // distance bound between the exact point and point
	scale       float64    // lower bound of the factor from local lengths to those of the scene
	exact       bool       // the point is exact and unscaled: as in package query
	metricPart  int        // the nearest enclosing part in which scaled distances are those of the scene
	low         float32    // lower bound of distances in it
}

// entry is an element of the heap to be visited.
type entry struct {
	low  float32
	what what
	part uint32
	ref  uint32
}

type what uint32

const (
	aPart  what = iota // a part into which the point was transformed
	aPlace             // the instance ref in it
	aNode              // the node or packet ref of its tree of instances
)

func (e *entry) before(f *entry) bool { return e.low < f.low }

// near is a neighbour, ordered by Dist, path, and rank in its part.
type near struct {
	Neighbor
	rank int
}

func (n *near) compare(m *near) int {
	if c := cmp.Compare(n.Dist, m.Dist); c != 0 {
		return c
	}
	if c := n.Path.Compare(m.Path); c != 0 {
		return c
	}
	return cmp.Compare(n.rank, m.rank)
}

func (n *near) before(m *near) bool { return n.compare(m) > 0 }

var searches = sync.Pool{New: func() any { return new(search) }}

func (w *search) release() {
	w.filter, w.gate, w.lane = query.Filter{}, walk.Filter{}, cull.LaneFilter{}
	clear(w.parts)
	w.parts, w.heap, w.best = w.parts[:0], w.heap[:0], w.best[:0]
	searches.Put(w)
}

// run collects the k nearest objects in best.
func (w *search) run(v linear.SceneView, point *[3]float32, k int, maxDist float32, flt *query.Filter) (err error) {
	// The own objects first, by the flat query, which also checks the arguments.
	if w.found, err = query.AppendNearest(w.found[:0], v.Objects(), *point, k, maxDist, *flt); err != nil || k == 0 {
		return err
	}
	w.k, w.maxDist = k, maxDist
	w.filter, w.gate = *flt, walk.Filter{Mask: flt.Mask}
	w.filter.Only, w.filter.Exclude = nil, soa.Handle{}
	w.lane = w.gate.LaneFilter()
	r := reached{view: v, point: *point, scale: 1, exact: true}
	for a, x := range point {
		r.center[a] = float64(x)
	}
	w.parts = append(w.parts, r)
	w.take(0)
	w.instances(0)
	for len(w.heap) > 0 {
		var e entry
		if e, w.heap = pop(w.heap); w.beyond(e.low) {
			break
		}
		switch e.what {
		case aNode:
			w.step(int(e.part), soa.Ref(e.ref))
		case aPlace:
			w.reach(int(e.part), e.ref, e.low)
		default:
			w.open(int(e.part))
		}
	}
	return nil
}

// beyond reports whether no object at this distance can be in the result.
func (w *search) beyond(low float32) bool {
	return low > w.maxDist || len(w.best) == w.k && low > w.best[0].Dist
}

// open searches the objects of a part and pushes its instances on the heap.
func (w *search) open(part int) {
	w.objects(part)
	w.instances(part)
}

// objects searches the objects of a part.
func (w *search) objects(part int) {
	r := &w.parts[part]
	v := r.view.Objects()
	if v.Len() == 0 {
		return
	}
	if r.metricPart != part {
		w.each(part, v)
		return
	}
	// Objects farther away in the part cannot be in the result.
	limit := math.Inf(1)
	if w.maxDist < query.Unlimited {
		limit = float64(w.maxDist)
		if !r.exact {
			limit = float64((after(w.maxDist)/r.scale+r.gap)*(1+0x1p-20)) + 0x1p-70
		}
	}
	if len(w.best) == w.k {
		last := float64(w.best[0].Dist)
		if !r.exact {
			last = after(w.best[0].Dist) / r.scale * (1 + 0x1p-40)
		}
		limit = min(limit, last)
	}
	var err error
	if w.found, err = query.AppendNearest(w.found[:0], v, r.point, w.k, soa.Above(limit, 0), w.filter); err != nil {
		panic("scene: unreachable: " + err.Error())
	}
	w.take(part)
}

// after returns the next float32.
func after(x float32) float64 { return float64(math.Nextafter32(x, float32(math.Inf(1)))) }

// take offers the results of a flat query of a part.
func (w *search) take(part int) {
	r := &w.parts[part]
	for rank, n := range w.found {
		dist, low := n.Dist(), n.Low()
		if !r.exact {
			dist, low = float32(math.Sqrt(float64(n.Dist2))*r.scale), r.lower(low)
		}
		low = max(low, r.low)
		if !r.exact && low > w.maxDist {
			break
		}
		w.offer(near{Neighbor{r.path, n.ID, max(dist, r.low), low}, rank})
	}
}

// each tests the objects of a part under transforms other than similarities, nearest first, by
// the lower bounds that their distances in the part give for the scene.
func (w *search) each(part int, v linear.View) {
	r := &w.parts[part]
	outward, err := query.NewNearby(r.point)
	if err != nil {
		panic("scene: unreachable: " + err.Error())
	}
	rank := 0
	for n := range outward.All(v, w.filter) {
		low := max(r.lower(n.Low()), r.low)
		if w.beyond(low) {
			break
		}
		low = max(low, w.boxed(part, v, n.ID))
		if !w.beyond(low) {
			w.offer(near{Neighbor{r.path, n.ID, low, low}, rank})
		}
		rank++
	}
}

// boxed returns a lower bound of the distance of the box around the image of the box of an
// object, or of its oriented box, in metricPart.
func (w *search) boxed(part int, v linear.View, id uint32) float32 {
	var b cell
	slot, lane, _ := v.Locate(id) // it was found: see cast.refine
	b.of(&v.Store().Packets, slot, lane, w.filter.Exact)
	metric := w.parts[part].metricPart
	for at := part; at != metric; at = w.parts[at].outer {
		b.out(w.parts[at].transform)
	}
	f := &w.parts[metric]
	var gap [3]float64
	for a := range 3 {
		reach := float64(b.reach(a)) + f.off[a]
		gap[a] = max(b.center[a]-reach-f.center[a], f.center[a]-b.center[a]-reach, 0)
	}
	return rounded(exact.Length(&gap) * f.scale)
}

// lower returns a lower bound of the distance in the scene of an object at a distance in the
// part, or farther.
func (r *reached) lower(local float32) float32 {
	if r.exact {
		return local
	}
	return rounded((float64(local) - r.gap) * r.scale)
}

// rounded returns a float32 not above a distance.
func rounded(x float64) float32 {
	return max(min(soa.Below(float64(x*(1-0x1p-40)), 0), math.MaxFloat32), 0)
}

// offer adds a neighbour to the result if it is among the k nearest.
func (w *search) offer(n near) {
	if len(w.best) == w.k {
		if n.compare(&w.best[0]) >= 0 {
			return
		}
		_, w.best = pop(w.best)
	}
	w.best = push(w.best, n)
}

// places pushes the instances of a part on the heap.
func (w *search) instances(part int) {
	r := &w.parts[part]
	instances := r.view.Instances()
	if instances.Len() == 0 {
		return
	}
	s := instances.Store()
	low := r.low
	for _, slot := range s.Pending {
		w.heap = push(w.heap, entry{low, aNode, uint32(part), uint32(soa.PacketRef(slot))})
	}
	if len(s.Nodes.Hot) > 0 {
		w.heap = push(w.heap, entry{low, aNode, uint32(part), 0})
	}
	for _, id := range r.view.Outgrown() {
		if o, _ := instances.Object(id); w.gate.Mask == 0 || o.Mask&w.gate.Mask != 0 {
			w.heap = push(w.heap, entry{low, aPlace, uint32(part), id})
		}
	}
}

// step opens a node or a packet of the tree of instances of a part.
func (w *search) step(part int, ref soa.Ref) {
	r := &w.parts[part]
	s, outgrown := r.view.Instances().Store(), r.view.Outgrown()
	q := &w.walk
	q.Point, q.Bound, q.Filter = r.point, float32(math.Inf(1)), w.gate.NodeFilter()
	q.Stack = append(q.Stack[:0], trace.NearEntry(0, ref))
	m := trace.NearStep(q, s.Nodes.Hot, s.Packets.Bounds)
	base := r.low
	for _, e := range q.Stack {
		if low := max(base, r.below(math.Float32frombits(uint32(e>>32)))); !w.beyond(low) {
			w.heap = push(w.heap, entry{low, aNode, uint32(part), uint32(e)})
		}
	}
	if m == 0 {
		return
	}
	for m = w.lane.Kept(&s.Packets, q.Slot, m); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		id := s.Packets.IDs[q.Slot][l]
		if _, later := slices.BinarySearch(outgrown, id); !later {
			if low := max(base, r.below(q.Dist[l])); !w.beyond(low) {
				w.heap = push(w.heap, entry{low, aPlace, uint32(part), id})
			}
		}
	}
}

// below implements lower for a squared distance, as package query computes it.
func (r *reached) below(d2 float32) float32 { return r.lower(query.Neighbor{Dist2: d2}.Low()) }

// reach transforms the point into an instance that is no nearer than low, and opens the instance
// if the heap holds nothing nearer.
func (w *search) reach(part int, id uint32, low float32) {
	w.parts = append(w.parts, reached{})
	outer, r := &w.parts[part], &w.parts[len(w.parts)-1]
	r.view, _, r.transform = instanceOf(outer.view, id)
	bounds := r.view.Bounds()
	if bounds.Min[0] <= bounds.Max[0] {
		w.bounds.Set(&bounds)
		r.into(outer, part, len(w.parts)-1, &w.bounds)
		if r.low = max(r.low, low); !w.beyond(r.low) {
			r.path = outer.path
			r.path.push(id)
			if len(w.heap) > 0 && w.heap[0].low < r.low {
				w.heap = push(w.heap, entry{r.low, aPart, uint32(len(w.parts) - 1), 0})
			} else {
				w.open(len(w.parts) - 1)
			}
			return
		}
	}
	w.parts = w.parts[:len(w.parts)-1]
}

// far is the limit of coordinates in a part, beyond which their squares may overflow float32:
// distances are then computed outside of it.
const far = 0x1p60

// into sets the point in the space of a part, and the lower bound of its distance from the bounds
// of the part. The bound is slightly reduced, so that it does not change the distance of an
// object that touches the bounds.
func (r *reached) into(outer *reached, from, at int, bounds *space.Extent) {
	r.outer = from
	r.center, r.off = r.transform.LocalWithin(outer.center, outer.off)
	least, most := r.transform.Stretch()
	r.scale = outer.scale * least
	r.exact = outer.exact && r.transform.Kind() <= xform.Translation
	r.metricPart = at
	if outer.metricPart != from || most*(1-0x1p-16) > least {
		r.metricPart = outer.metricPart
	}
	var off, gap [3]float64
	for a, x := range r.center {
		if math.Abs(x) > far || bounds.Most[a] > far {
			r.metricPart = outer.metricPart
		}
		p := float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
		r.point[a] = p
		off[a] = math.Abs(x-float64(p)) + r.off[a]
		r.exact = r.exact && off[a] == 0
		gap[a] = max(bounds.Min[a]-x-r.off[a], x-bounds.Max[a]-r.off[a], 0)
	}
	if r.exact {
		r.metricPart = at
	}
	r.gap = exact.Length(&off) * (1 + 0x1p-40)
	r.low = rounded(exact.Length(&gap) * (1 - 0x1p-20) * r.scale)
}
