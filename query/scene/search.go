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
// It visits parts depth-first. In each part it walks through the instances roughly by distance and enters the nearest
// one that the walk has met when nothing in the rest of the walk is nearer. The k-th best distance so far bounds every
// walk. No object is nearer than the bounds that lead to it, so the result does not depend on the order of visits.
type search struct {
	k       int
	maxDist float32
	filter  query.Filter
	gate    walk.Filter // for instances
	lane    cull.LaneFilter
	levels  [linear.MaxDepth + 1]reached // the parts on the path from the scene to the current one
	best    []near                       // max-heap
	paths   []Path                       // of the parts that have been opened
	found   []query.Neighbor
	bounds  space.Extent
}

// reached is a part on the path, and the walk through its instances.
type reached struct {
	nearPart
	id uint32 // ID of the instance

	walk   trace.NearWalk
	places []uint64 // min-heap of instances that the walk has met
}

// nearPart is a part on a path, and the point in its space.
type nearPart struct {
	view        linear.SceneView
	transform   *xform.Transform
	center, off [3]float64 // bound of the distance between the exact point and center, on each axis
	point       [3]float32 // the centre, rounded
	gap         float64    // distance bound between the exact point and point
	scale       float64    // lower bound of the factor from local lengths to those of the scene
	exact       bool       // the point is exact and unscaled: as in package query
	metricLevel int        // the level of the nearest enclosing part in which scaled distances are those of the scene
	low         float32    // lower bound of distances in it
}

// An element of places is an instance, and a squared distance in the space around it that is no larger than its own:
//
//	63           33       32        31      0
//	| bits of d2 | refined          | ID     |
//
// At first that is the distance of the box of the instance. A refined one includes the distance of its bounds.

func placeKey(d2 float32, id uint32) uint64 { return uint64(math.Float32bits(d2))<<33 | uint64(id) }

const refined = 1 << 32

// near is a neighbour: ordered by dist, path, and rank in its part.
type near struct {
	dist, low float32
	id        uint32
	rank      uint32
	path      uint32 // number of the path in search.paths
}

func (w *search) compare(n, m *near) int {
	if c := cmp.Compare(n.dist, m.dist); c != 0 {
		return c
	}
	if n.path != m.path {
		if c := w.paths[n.path].Compare(w.paths[m.path]); c != 0 {
			return c
		}
	}
	return cmp.Compare(n.rank, m.rank)
}

// neighbor returns the neighbour of an element of best.
func (w *search) neighbor(n *near) Neighbor { return Neighbor{w.paths[n.path], n.id, n.dist, n.low} }

var searches = sync.Pool{New: func() any { return new(search) }}

func (w *search) release() {
	w.filter, w.gate, w.lane = query.Filter{}, walk.Filter{}, cull.LaneFilter{}
	for i := range w.levels {
		w.levels[i].view, w.levels[i].transform = linear.SceneView{}, nil
	}
	w.best, w.paths = w.best[:0], w.paths[:0]
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
	w.levels[0].begin(v, point)
	w.take(0)
	w.instances(0)
	return nil
}

// begin sets the level of the scene.
func (r *nearPart) begin(v linear.SceneView, point *[3]float32) {
	r.view, r.transform, r.point = v, nil, *point
	for a, x := range point {
		r.center[a], r.off[a] = float64(x), 0
	}
	r.gap, r.scale, r.exact, r.metricLevel, r.low = 0, 1, true, 0, 0
}

// last returns the largest distance at which an object can be in the result.
func (w *search) last() float32 {
	if len(w.best) == w.k {
		return min(w.maxDist, w.best[0].dist)
	}
	return w.maxDist
}

// beyond reports whether no object at this distance can be in the result.
func (w *search) beyond(low float32) bool { return low > w.last() }

// within returns a limit of squared distances in the part: objects of a larger one are beyond.
func (w *search) within(r *reached) float32 {
	// Low of package query is smaller than the root by less than one part in 2^20 and 2^-70.
	local := (after(w.last())/r.scale+r.gap)*(1+0x1p-20) + 0x1p-70
	return trace.NearBound(soa.Above(local, 0))
}

// instances searches the instances of a part.
func (w *search) instances(level int) {
	r := &w.levels[level]
	instances := r.view.Instances()
	if instances.Len() == 0 {
		return
	}
	s, outgrown := instances.Store(), r.view.Outgrown()
	q := &r.walk
	q.Point, q.Bound, q.Filter = r.point, w.within(r), w.gate.NodeFilter()
	q.Stack, r.places = q.Stack[:0], r.places[:0]
	for _, slot := range s.Pending {
		q.Stack = append(q.Stack, trace.NearEntry(0, soa.PacketRef(slot)))
	}
	if len(s.Nodes.Hot) > 0 {
		q.Stack = append(q.Stack, trace.NearEntry(0, 0))
	}
	for {
		for len(r.places) > 0 && (len(q.Stack) == 0 || r.places[0]>>33 <= q.Stack[len(q.Stack)-1]>>32) {
			var place uint64
			if place, r.places = popKey(r.places); placeDist(place) > q.Bound {
				r.places = r.places[:0] // the others are at least as far away
				break
			}
			if w.reach(level, place) {
				q.Bound = w.within(r)
			}
		}
		if len(q.Stack) == 0 {
			break
		}
		m := trace.NearNext(q, s.Nodes.Hot, s.Packets.Bounds)
		if m == 0 {
			continue
		}
		for m = w.lane.Kept(&s.Packets, q.Slot, m); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			id := s.Packets.IDs[q.Slot][l]
			if later := len(outgrown) > 0 && contains(outgrown, id); !later {
				r.places = pushKey(r.places, placeKey(q.Dist[l], id))
			}
		}
	}
	for _, id := range outgrown {
		if o, _ := instances.Object(id); w.gate.Mask == 0 || o.Mask&w.gate.Mask != 0 {
			if w.arrive(level, id, r.low) {
				w.open(level + 1)
			}
		}
	}
}

// contains reports whether an ascending list contains an ID.
func contains(ids []uint32, id uint32) bool {
	_, found := slices.BinarySearch(ids, id)
	return found
}

func placeDist(place uint64) float32 { return math.Float32frombits(uint32(place >> 33)) }

// reach searches an instance, or puts it back if its bounds are farther away than the next instance. It reports
// whether it has searched the instance.
func (w *search) reach(level int, place uint64) bool {
	r := &w.levels[level]
	low := max(r.low, r.below(placeDist(place)))
	if w.beyond(low) || !w.arrive(level, uint32(place), low) {
		return false
	}
	if place&refined == 0 && len(r.places) > 0 {
		local := float64(w.levels[level+1].low) / r.scale
		d2 := max(float32(local*local*(1-0x1p-20)), placeDist(place))
		if again := placeKey(d2, uint32(place)) | refined; again > r.places[0] {
			r.places = pushKey(r.places, again)
			return false
		}
	}
	w.open(level + 1)
	return true
}

// arrive transforms the point into an instance that is no nearer than low, and reports whether an object there can be
// in the result.
func (w *search) arrive(level int, id uint32, low float32) bool {
	outer, r := &w.levels[level], &w.levels[level+1]
	r.view, _, r.transform = instanceOf(outer.view, id)
	bounds := r.view.Bounds()
	if bounds.Min[0] > bounds.Max[0] {
		return false
	}
	w.bounds.Set(&bounds)
	r.into(&outer.nearPart, level+1, &w.bounds)
	r.id, r.low = id, max(r.low, low)
	return !w.beyond(r.low)
}

// open searches a part.
func (w *search) open(level int) {
	w.objects(level)
	w.instances(level)
}

// objects searches the objects of a part.
func (w *search) objects(level int) {
	r := &w.levels[level]
	v := r.view.Objects()
	if v.Len() == 0 {
		return
	}
	if r.metricLevel != level {
		w.each(level, v)
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
		last := float64(w.best[0].dist)
		if !r.exact {
			last = after(w.best[0].dist) / r.scale * (1 + 0x1p-40)
		}
		limit = min(limit, last)
	}
	var err error
	if w.found, err = query.AppendNearest(w.found[:0], v, r.point, w.k, soa.Above(limit, 0), w.filter); err != nil {
		panic("scene: unreachable: " + err.Error())
	}
	w.take(level)
}

// after returns the next float32.
func after(x float32) float64 { return float64(math.Nextafter32(x, float32(math.Inf(1)))) }

// take offers the results of a flat query of a part.
func (w *search) take(level int) {
	if len(w.found) == 0 {
		return
	}
	r := &w.levels[level]
	path := w.addPath(level)
	for rank, n := range w.found {
		dist := n.Dist()
		if !r.exact {
			dist = float32(math.Sqrt(float64(n.Dist2)) * r.scale)
		}
		dist = max(dist, r.low)
		if len(w.best) == w.k && dist > w.best[0].dist {
			break // the others are at least as far away
		}
		low := n.Low()
		if !r.exact {
			low = r.lower(low)
		}
		low = max(low, r.low)
		if !r.exact && low > w.maxDist {
			break
		}
		w.offer(near{dist, low, n.ID, uint32(rank), path})
	}
}

// addPath adds the path to a level to the list, and returns its number.
func (w *search) addPath(level int) uint32 {
	w.paths = append(w.paths, w.path(level))
	return uint32(len(w.paths) - 1)
}

// path returns the path to a level.
func (w *search) path(level int) (p Path) {
	for i := range level {
		p.push(w.levels[i+1].id)
	}
	return p
}

// each tests the objects of a part under transforms other than similarities, nearest first, by
// the lower bounds that their distances in the part give for the scene.
func (w *search) each(level int, v linear.View) {
	r, path := &w.levels[level], w.addPath(level)
	outward, err := query.NewNearby(r.point)
	if err != nil {
		panic("scene: unreachable: " + err.Error())
	}
	rank := uint32(0)
	for n := range outward.All(v, w.filter) {
		low := max(r.lower(n.Low()), r.low)
		if w.beyond(low) {
			break
		}
		low = max(low, w.boxed(level, v, n.ID))
		if !w.beyond(low) {
			w.offer(near{low, low, n.ID, rank, path})
		}
		rank++
	}
}

// boxed returns a lower bound of the distance of the box around the image of the box of an
// object, or of its oriented box, in metricLevel.
func (w *search) boxed(level int, v linear.View, id uint32) float32 {
	var b cell
	slot, lane, _ := v.Locate(id) // it was found: see cast.refine
	b.of(&v.Store().Packets, slot, lane, w.filter.Exact)
	metric := w.levels[level].metricLevel
	for at := level; at != metric; at-- {
		b.out(w.levels[at].transform)
	}
	return w.levels[metric].distance(&b)
}

// distance returns a lower bound of the distance in the scene of the box around a cell.
func (r *nearPart) distance(b *cell) float32 {
	var gap [3]float64
	for a := range 3 {
		reach := float64(b.reach(a)) + r.off[a]
		gap[a] = max(b.center[a]-reach-r.center[a], r.center[a]-b.center[a]-reach, 0)
	}
	return rounded(exact.Length(&gap) * r.scale)
}

// lower returns a lower bound of the distance in the scene of an object at a distance in the
// part, or farther.
func (r *nearPart) lower(local float32) float32 {
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
	if len(w.best) < w.k {
		w.push(n)
	} else if w.compare(&n, &w.best[0]) < 0 {
		w.best[0] = n
		w.sink()
	}
}

// below implements lower for a squared distance, as package query computes it.
func (r *nearPart) below(d2 float32) float32 { return r.lower(query.Neighbor{Dist2: d2}.Low()) }

// far is the limit of coordinates in a part, beyond which their squares may overflow float32:
// distances are then computed outside of it.
const far = 0x1p60

// into sets the point in the space of a part, and the lower bound of its distance from the bounds
// of the part. The bound is slightly reduced, so that it does not change the distance of an
// object that touches the bounds.
func (r *nearPart) into(outer *nearPart, level int, bounds *space.Extent) {
	r.center, r.off = r.transform.LocalWithin(outer.center, outer.off)
	least, most := r.transform.Stretch()
	r.scale = outer.scale * least
	r.exact = outer.exact && r.transform.Kind() <= xform.Translation
	r.metricLevel = level
	if outer.metricLevel != level-1 || most*(1-0x1p-16) > least {
		r.metricLevel = outer.metricLevel
	}
	var off, gap [3]float64
	for a, x := range r.center {
		if math.Abs(x) > far || bounds.Most[a] > far {
			r.metricLevel = outer.metricLevel
		}
		p := float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
		r.point[a] = p
		off[a] = math.Abs(x-float64(p)) + r.off[a]
		r.exact = r.exact && off[a] == 0
		gap[a] = max(bounds.Min[a]-x-r.off[a], x-bounds.Max[a]-r.off[a], 0)
	}
	if r.exact {
		r.metricLevel = level
	}
	r.gap = exact.Length(&off) * (1 + 0x1p-40)
	r.low = rounded(exact.Length(&gap) * (1 - 0x1p-20) * r.scale)
}
