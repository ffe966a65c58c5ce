package scene

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// search is the state of one query for nearest objects, taken from a pool.
//
// It visits parts depth-first. In each part it walks through the instances roughly by distance and enters the nearest
// one that the walk has met when nothing in the rest of the walk is nearer. The k-th best distance so far bounds every
// walk. No object is nearer than the bounds that lead to it, so the result does not depend on the order of visits.
type search struct {
	nearList
	maxDist float32
	filter  query.Filter
	keep    walk.Filter // the same, prepared for a tree
	gate    walk.Filter // for instances
	lane    cull.LaneFilter
	levels  [linear.MaxDepth + 1]reached // the parts on the path from the scene to the current one
	nearest walk.Nearest                 // in the tree of a part
	outward walk.Outward                 // the same, under transforms other than similarities
	images  imageBounds
	found   []query.Neighbor
}

// reached is a part on the path, and the walk through its instances.
type reached struct {
	nearPart
	id uint32 // ID of the instance

	walk       trace.NearWalk
	candidates candidates
}

// nearPart is a part on a path, and the point in its space.
type nearPart struct {
	view      linear.SceneView
	transform *xform.Transform
	trace.Arrival
	metricLevel int // the level of the nearest enclosing part in which scaled distances are those of the scene
	nearMeasure
}

var searches = sync.Pool{New: func() any { return new(search) }}

func (w *search) release() {
	w.filter, w.keep, w.gate, w.lane = query.Filter{}, walk.Filter{}, walk.Filter{}, cull.LaneFilter{}
	w.levels[0].view = linear.SceneView{}
	for i := 1; i < len(w.levels) && w.levels[i].transform != nil; i++ {
		w.levels[i].view, w.levels[i].transform = linear.SceneView{}, nil
	}
	w.nearList.reset(0)
	searches.Put(w)
}

// run collects the k nearest objects in best.
func (w *search) run(v linear.SceneView, point *[3]float32, k int, maxDist float32, flt *query.Filter) (err error) {
	// The own objects first, by the flat query, which also checks the arguments.
	if own := v.Objects(); own.Len() == 0 && k > 0 && maxDist >= 0 && allFinite(point) && flt.Check() == nil {
		w.found = w.found[:0]
	} else if w.found, err = query.AppendNearest(w.found[:0], own, *point, k, maxDist, *flt); err != nil || k == 0 {
		return err
	}
	w.nearList.reset(k)
	w.maxDist = maxDist
	w.filter, w.gate = *flt, walk.Filter{Mask: flt.Mask}
	w.filter.Only, w.filter.Exclude = nil, soa.Handle{}
	w.lane = w.gate.LaneFilter()
	w.levels[0].begin(v, point)
	w.take(0)
	label := phase.Enter(phase.Nearest)
	w.instances(0)
	label.Leave()
	return nil
}

// allFinite reports whether no coordinate is NaN or infinite.
func allFinite(p *[3]float32) bool { return (p[0]-p[0])+(p[1]-p[1])+(p[2]-p[2]) == 0 }

// begin sets the level of the scene.
func (r *nearPart) begin(v linear.SceneView, point *[3]float32) {
	r.view, r.transform, r.Arrival = v, nil, trace.Arrival{Point: *point}
	for a, x := range point {
		r.Center[a] = float64(x)
	}
	r.nearMeasure, r.metricLevel = nearMeasure{scale: 1, exact: true}, 0
}

// last returns the largest distance at which an object can be in the result.
func (w *search) last() float32 {
	if w.full() {
		return min(w.maxDist, w.worst().dist)
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
	q, list := &r.walk, &r.candidates
	q.Point, q.Bound, q.Filter = r.Point, w.within(r), w.gate.NodeFilter()
	q.Stack = q.Stack[:0]
	list.reset()
	for _, slot := range s.Pending {
		q.Stack = append(q.Stack, trace.NearEntry(0, soa.PacketRef(slot)))
	}
	if len(s.Nodes.Hot) > 0 {
		q.Stack = append(q.Stack, trace.NearEntry(0, 0))
	}
	for {
		for !list.empty() && (len(q.Stack) == 0 || list.least() <= uint32(q.Stack[len(q.Stack)-1]>>32)) {
			if math.Float32frombits(list.least()) > q.Bound {
				list.reset() // all are at least as far away
				break
			}
			if w.reach(level, s) {
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
		m = w.lane.Kept(&s.Packets, q.Slot, m)
		if len(outgrown) > 0 {
			for rest := m; rest != 0; rest &= rest - 1 {
				if l := bits.TrailingZeros32(rest) & (soa.Lanes - 1); contains(outgrown, s.Packets.IDs[q.Slot][l]) {
					m &^= 1 << l
				}
			}
		}
		if m != 0 {
			list.add(q.Slot, m, &q.Dist)
			if int(s.Count) >= listAhead {
				r.fetch(s, q.Slot, list.packets[len(list.packets)-1].least())
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

// reach searches the nearest instance that the walk has found, or puts it back if its bounds are farther away than the
// next one. It reports whether it has searched the instance.
func (w *search) reach(level int, s *soa.Store) bool {
	r, inner := &w.levels[level], &w.levels[level+1]
	slot, lane, d2, again := r.candidates.take()
	if !w.arrive(level, s.Packets.IDs[slot][lane], r.low) {
		r.candidates.settle()
		return false
	}
	// The distance of the box of the instance is a lower bound, too. It is at most the root of d2.
	if !r.exact || float64(inner.low)*float64(inner.low) < float64(d2) {
		if inner.low = max(inner.low, r.below(d2)); w.beyond(inner.low) {
			r.candidates.settle()
			return false
		}
	}
	if !again {
		local := float64(inner.low) / r.scale
		if r.candidates.putBack(max(float32(local*local*(1-0x1p-20)), d2)) {
			return false
		}
	}
	r.candidates.settle()
	if slot, lane, ok := r.candidates.next(); ok && int(s.Count) >= listAhead {
		r.fetch(s, slot, lane)
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
	r.into(&outer.nearPart, level+1, &bounds)
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
	if w.full() {
		last := float64(w.worst().dist)
		if !r.exact {
			last = after(w.worst().dist) / r.scale * (1 + 0x1p-40)
		}
		limit = min(limit, last)
	}
	s, bound, f := v.Store(), trace.NearBound(soa.Above(limit, 0)), keepsIn(&w.keep, &w.filter, v)
	w.found = w.found[:0]
	if q := &w.nearest; w.k == 1 {
		if n, ok := q.First(s, &r.Point, bound, f); ok {
			w.found = append(w.found, query.Neighbor(n))
		}
	} else {
		q.Search(s, &r.Point, w.k, bound, f)
		for _, key := range q.Found() {
			w.found = append(w.found, query.Neighbor(q.Neighbor(key)))
		}
	}
	w.take(level)
}

// after returns the next float32, or a larger number.
func after(x float32) float64 {
	if x >= math.MaxFloat32 {
		return math.Inf(1)
	}
	return float64(float64(x)*(1+0x1p-23)) + 0x1p-149
}

// take offers the results of a flat query of a part.
func (w *search) take(level int) {
	r, path := &w.levels[level], uint32(0)
	limited := !r.exact && w.maxDist < math.MaxFloat32 // no lower bound is above the largest float32
	for rank, n := range w.found {
		var dist float32
		if r.exact {
			dist = n.Dist()
		} else {
			dist = float32(math.Sqrt(float64(n.Dist2)) * r.scale)
		}
		dist = max(dist, r.low)
		if w.full() && dist > w.worst().dist || limited && r.lowOf(n.Dist2) > w.maxDist {
			break // the others are at least as far away
		}
		if rank == 0 {
			path = w.addPath(level)
		}
		w.offer(near{dist, n.Dist2, n.ID, uint32(rank), path})
	}
}

// addPath adds the path to a level to the list, and returns its number.
func (w *search) addPath(level int) uint32 {
	w.paths = append(w.paths, nearPath{w.path(level), w.levels[level].nearMeasure})
	return uint32(len(w.paths) - 1)
}

// path returns the path to a level.
func (w *search) path(level int) (p Path) {
	for i := range level {
		p.push(w.levels[i+1].id)
	}
	return p
}

// each tests the objects of a part under transforms other than similarities: those whose distances in the part give a
// lower bound for the scene that is not beyond.
func (w *search) each(level int, v linear.View) {
	r, path := &w.levels[level], w.addPath(level)
	s, f := v.Store(), keepsIn(&w.keep, &w.filter, v)
	q, p := &w.outward, &s.Packets
	q.Begin(s, &r.Point, w.within(r), f)
	m, scale := w.boundImages(level), w.levels[r.metricLevel].scale
	m.limit(after(w.last()) / scale)
	plain := !w.filter.Exact || !p.Bounded() // the oriented box of an object may be larger than its box by a rounding
	for slot, lanes := q.Next(s, f); lanes != 0; slot, lanes = q.Next(s, f) {
		if plain && m.beyondPacket(s, slot) {
			continue
		}
		for ; lanes != 0; lanes &= lanes - 1 {
			lane := bits.TrailingZeros32(lanes) & (soa.Lanes - 1)
			if plain {
				if box := p.Box(slot, lane); m.beyond(&box) {
					continue
				}
			}
			x, rank := q.Neighbor(s, lane, f)
			low := max(r.lower(query.Neighbor(x).Low()), r.low)
			if w.beyond(low) {
				continue
			}
			if low = max(low, w.boxed(level, p, slot, lane)); !w.beyond(low) {
				w.offer(near{low, noDist2, x.ID, rank, path})
				m.limit(after(w.last()) / scale)
			}
		}
		q.Lower(w.within(r))
	}
}

// boundImages prepares the quick bounds of images in metricLevel.
func (w *search) boundImages(level int) *imageBounds {
	r, m := &w.levels[level], &w.images
	m.begin()
	for at := level; at != r.metricLevel; at-- {
		m.through(w.levels[at].transform)
	}
	metric, bounds := &w.levels[r.metricLevel], r.view.Bounds()
	m.end(&metric.Center, &metric.Off, &bounds)
	return m
}

// boxed returns a lower bound of the distance of the box around the image of the box of an
// object, or of its oriented box, in metricLevel.
func (w *search) boxed(level int, p *soa.PacketColumns, slot uint32, lane int) float32 {
	var b cell
	b.of(p, slot, lane, w.filter.Exact)
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
		reach := float64(b.reach(a)) + r.Off[a]
		gap[a] = max(b.center[a]-reach-r.Center[a], r.Center[a]-b.center[a]-reach, 0)
	}
	return rounded(exact.Length(&gap) * r.scale)
}

// rounded returns a float32 not above a distance, at least 0.
func rounded(x float64) float32 {
	if x = float64(x * (1 - 0x1p-40)); !(x > 0) {
		return 0
	}
	f := float32(min(x, math.MaxFloat32))
	if bits := math.Float32bits(f); float64(f) > x {
		f = math.Float32frombits(bits - 1)
	}
	return f
}

// far is the limit of coordinates in a part, beyond which their squares may overflow float32:
// distances are then computed outside of it.
const far = 0x1p60

// into sets the point in the space of a part, and the lower bound of its distance from the bounds
// of the part. The bound is slightly reduced, so that it does not change the distance of an
// object that touches the bounds.
func (r *nearPart) into(outer *nearPart, level int, bounds *soa.AABB) {
	least, most := r.transform.Stretch()
	r.scale = outer.scale * least
	r.exact = outer.exact && r.transform.Kind() <= xform.Translation
	r.metricLevel = level
	if outer.metricLevel != level-1 || most*(1-0x1p-16) > least {
		r.metricLevel = outer.metricLevel
	}
	if outer.Off != [3]float64{} || r.transform.AtMost(xform.Aligned) || !r.Enter(&outer.Center, (*[13]float64)(r.transform.All()[:]), bounds) {
		r.move(outer, level, bounds)
	}
	r.gap = r.Gap
	r.low = rounded(r.Dist * r.scale)
}

// move sets the point for any transform, as [trace.Arrival.Enter] does for most.
func (r *nearPart) move(outer *nearPart, level int, bounds *soa.AABB) {
	r.Center, r.Off = r.transform.LocalWithin(outer.Center, outer.Off)
	var off, gap [3]float64
	for a, x := range r.Center {
		least, most := float64(bounds.Min[a]), float64(bounds.Max[a])
		if max(math.Abs(x), -least, most) > far {
			r.metricLevel = outer.metricLevel
		}
		p := float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
		r.Point[a] = p
		off[a] = math.Abs(x-float64(p)) + r.Off[a]
		r.exact = r.exact && off[a] == 0
		gap[a] = max(least-x-r.Off[a], x-most-r.Off[a], 0)
	}
	if r.exact {
		r.metricLevel = level
	}
	r.Gap = exact.Length(&off) * (1 + 0x1p-40)
	r.Dist = exact.Length(&gap) * (1 - 0x1p-20)
}
