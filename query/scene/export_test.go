package scene

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Outside and Inside are results of classification; any other value is on the border.
const (
	Outside = exact.Outside
	Inside  = exact.Inside
)

// ListAhead sets the number of instances from which sweeps list packets ahead, and returns the former one.
func ListAhead(n int) (former int) {
	former, listAhead = listAhead, n
	return former
}

// Moved is a volume in the space of a part, for the reference of the walk.
type Moved struct {
	Form       walk.Volume
	transforms []*xform.Transform
	balls      []*walk.Volume // outer ones
	query      any
}

// Opened is a volume in the space of the scene.
func Opened[V query.Volume](volume V) *Moved {
	m := &Moved{query: &volume}
	var l level
	l.set(&volume).Lift(&m.Form)
	return m
}

// Into transforms a volume into a part with these bounds.
func (m *Moved) Into(transform *linear.Transform, bounds soa.AABB) (*Moved, int) {
	var e space.Extent
	e.Set(&bounds)
	to := &Moved{transforms: append(m.transforms[:len(m.transforms):len(m.transforms)], (*xform.Transform)(transform))}
	to.balls = append(m.balls[:len(m.balls):len(m.balls)], &m.Form)
	if transform.Kind() == linear.TransformIdentity {
		to.Form, to.query = m.Form, m.query
		return to, int(space.Classify(&to.Form, &e))
	}
	return to, int(space.Move(&to.Form, &m.Form, (*xform.Transform)(transform), &e))
}

// Find returns the objects of a tree that the query in the space of the part finds: the caller's own query, or a
// transformed one.
func (m *Moved) Find(v linear.View, flt query.Filter) []uint32 {
	l := level{form: &m.Form}
	if m.query != nil {
		l.treeQuery = l.set(m.query)
	}
	keep := walk.Filter{Mask: flt.Mask, Motion: uint8(flt.Motion), Exact: flt.Exact, Only: flt.Only}
	keep.ExcludeAt(v.LocateHandle(flt.Exclude))
	return l.query().Begin(v.Store()).Append(nil, &keep)
}

// Keeps reports whether an object of the part is kept for the box around the image of its box, or of its
// oriented box, if that decides.
func (m *Moved) Keeps(v linear.View, id uint32, bounds bool) bool {
	if m.Form.Kind != walk.KindBall || m.Form.Spherical {
		return true
	}
	var b cell
	o, _ := v.Object(id)
	b.set(&o.Box)
	if turned, ok := v.Oriented(id); ok && bounds {
		b.setOriented(&turned)
	}
	ball := &m.Form
	for i := len(m.transforms) - 1; !ball.Spherical; i-- {
		b.out(m.transforms[i])
		ball = m.balls[i]
	}
	var gap [3]float64
	for a := range 3 {
		reach := b.reach(a) + ball.Off[a]
		gap[a] = max(b.center[a]-reach-ball.Center[a], ball.Center[a]-b.center[a]-reach, 0)
	}
	return !(exact.Length(&gap)*(1-0x1p-40) > ball.Radius)
}

// Inside calls f for each box of a tree of instances, and whether it is surely inside the volume.
func (m *Moved) Inside(places linear.View, f func(box soa.AABB, inside bool)) {
	var s space.Inside
	s.Set(&m.Form, places.Store())
	p := &s.Store().Packets
	for slot := range p.Bounds {
		s.Scan(uint32(slot), 1)
		for lane, hit := range s.List(nil, uint32(slot), lanes(s.Store(), uint32(slot), 0)) {
			f(p.Box(uint32(slot), lane), hit.Sides == wholly)
		}
	}
}

// BatchKeeps reports whether a finished batch still refers to a scene or to its queries.
func BatchKeeps(b *VolumeBatch[query.Box]) bool {
	return b.batch.queries != nil || b.batch.view != linear.SceneView{}
}

// EnterTwice moves a ray into a part with these bounds by the kernel and by the motion. It reports the result of the
// kernel, whether the ray enters the part, and the numbers of both: of the motion and the span, and of the box.
func EnterTwice(from, dir [3]float64, transform *linear.Transform, bounds soa.AABB, until float64) (e trace.Entry, enters bool, kernel, want [14]float64, box, wantBox trace.BoxRay) {
	m, to := motion{Motion: trace.Motion{Center: from, Dir: dir}}, motion{}
	var p trace.Clipped
	if e = p.Enter(&m.Motion, (*[13]float64)((*xform.Transform)(transform).All()[:]), &bounds, until); e == trace.Crosses {
		e = p.Box(&to.Motion, &box)
	}
	s := p.Span
	numbers := func(m *trace.Motion, s trace.Span) (all [14]float64) {
		for a := range 3 {
			all[a], all[3+a], all[6+a], all[9+a] = m.Center[a], m.Off[a], m.Dir[a], m.DirOff[a]
		}
		all[12], all[13] = s.From, s.To
		return all
	}
	kernel = numbers(&to.Motion, s)
	to = motion{}
	to.move(&m, (*xform.Transform)(transform))
	if s, enters = to.clip(&bounds, until); enters {
		var q walk.Sweep
		exp := 0
		wantBox.Unit = to.close(&q, s, &bounds)
		lo, hi := q.Start()
		wantBox.Most = q.Limit()
		wantBox.Ray, exp = trace.MakeRay(lo, hi, q.Motion(), float32(wantBox.Most))
		wantBox.Back = math.Ldexp(1, -exp)
	}
	return e, enters, kernel, numbers(&to.Motion, s), box, wantBox
}

// Changed returns the number of own objects and instances that the last update of a tracker found changed.
func Changed(t *Tracker) int { return len(t.changes.Own.List) + len(t.changes.Instances.List) }

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
				slot, lane, _ := objects.Locate(n.ID)
				low = max(r.lower(low), w.boxed(level, &objects.Store().Packets, slot, lane))
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

// NearbyReads returns how many objects a search from the point reads until it has found k.
func NearbyReads(v linear.SceneView, point [3]float32, k int) (objects uint32) {
	var w nearbySearch
	w.add().begin(v, &point)
	w.enter(0)
	for range k {
		e, _ := w.next()
		w.follow(&e)
	}
	for i := range w.parts {
		objects += w.parts[i].ranks
	}
	return objects
}

// ArriveTwice moves a point into a part with these bounds by the kernel and in Go. It reports whether the kernel
// did, and the numbers of both.
func ArriveTwice(point [3]float64, transform *linear.Transform, bounds soa.AABB) (ok bool, kernel, want trace.Arrival) {
	outer, r := nearPart{Arrival: trace.Arrival{Center: point}}, nearPart{transform: (*xform.Transform)(transform)}
	ok = kernel.Enter(&point, (*[13]float64)(r.transform.All()[:]), &bounds)
	r.move(&outer, 1, &bounds)
	return ok, kernel, r.Arrival
}

// EachImage calls a function for each object under transforms other than similarities, with the distance of its image
// from a point, and what imageBounds says of it and a distance.
func EachImage(v linear.SceneView, point [3]float32, f func(boxed float32, judge func(distance float32) (beyond, within bool))) {
	var w search
	w.nearList.reset(1)
	var visit func(level int)
	visit = func(level int) {
		r := &w.levels[level]
		if objects := r.view.Objects(); r.metricLevel != level {
			p := &objects.Store().Packets
			m := w.boundImages(level)
			for slot := range uint32(objects.Slots()) {
				for lane := range objects.IDs(slot) {
					f(w.boxed(level, p, slot, lane), func(distance float32) (beyond, within bool) {
						scale := w.levels[r.metricLevel].scale
						b := p.Box(slot, lane)
						m.limit(after(distance) / scale)
						beyond = m.beyond(&b)
						m.limit(float64(distance) / scale)
						return beyond, m.within(&b)
					})
				}
			}
		}
		instances := r.view.Instances()
		for slot := range uint32(instances.Slots()) {
			for _, id := range instances.IDs(slot) {
				if w.arrive(level, id, 0) {
					visit(level + 1)
				}
			}
		}
	}
	w.maxDist = float32(math.Inf(1))
	w.levels[0].begin(v, &point)
	visit(0)
}
