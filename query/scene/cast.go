package scene

import (
	"github.com/zoctree/zoctree/asm/trace"
	"math"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// cast is the state of one ray cast or shape cast, taken from a pool.
//
// It visits instances as the flat query visits objects, roughly front to back. It enters an
// instance when the walk reaches it, and the best hit so far shortens the rest of the motion, in
// the space of every level.
type cast struct {
	want   want
	filter query.Filter // for objects in parts
	keep   walk.Filter  // the same, prepared for the part of keepOf
	until  float64
	most   float64 // upper limit of Dist
	enters bool    // objects that are only touched are left out
	levels [linear.MaxDepth + 1]castLevel

	best     found
	any      bool // best is valid
	at       contact
	trail    [linear.MaxDepth]*xform.Transform
	all      []found
	testFunc func(Path, uint32, float32) (float32, bool)

	heat     *Heat
	counters Counters
}

// want is the kind of result.
type want uint8

const (
	wantNearest want = iota // the best
	wantAny                 // whether a hit exists
	wantAll                 // all of them
	wantTested              // the best by the caller's test
	wantCounted             // counters
)

// castLevel is a part on the path, and the motion there. Local times of its ray, multiplied by scale
// and offset by the beginning of the span, are times of the scene.
type castLevel struct {
	castPart
	id        uint32 // ID of the instance
	transform *xform.Transform
	ballLevel int // nearest enclosing level in which a ball is a ball

	motion motion
	isRay  bool       // the motion is a ray without errors
	exact  bool       // the ray is the exact motion: the flat query is used
	form   walk.Swept // the motion, if it is exact
	span   trace.Span
	scale  float64
	least  float32 // entry time of the instance's box: no hit in it is earlier
	ray    query.Ray
	walk   walk.Cast // in the trees of the part, one after the other

	reached [2][soa.Lanes]walk.HitKey // the instances of two packets, in turn

	// The instances of a packet, to which a ray is clipped before the first one is entered: the transforms are loaded
	// and applied side by side.
	clipped [soa.Lanes]trace.Clipped
	entries [soa.Lanes]trace.Entry

	object func(id uint32, enter float32) (float32, bool) // reachObject, bound once
}

// castPart is a part, or the scene. It is set again only for another part: values that were just copied to it would
// stall the kernel that reads them.
type castPart struct {
	view    linear.SceneView
	number  uint32
	bounds  soa.AABB
	isInner bool // the part has instances
}

func (p *castPart) setPart(view linear.SceneView, number uint32) {
	if view != p.view {
		p.view, p.number, p.isInner, p.bounds = view, number, view.Instances().Len() > 0, view.Bounds()
	}
}

var casts = sync.Pool{New: func() any {
	c := new(cast)
	for i := range c.levels {
		c.levels[i].object = func(id uint32, enter float32) (float32, bool) { return c.reachObject(i, id, enter) }
	}
	return c
}}

func launch(want want, s *walk.Sweep, v linear.SceneView, flt *query.Filter) *cast {
	if err := flt.Check(); err != nil {
		panic(err.Error())
	}
	c := casts.Get().(*cast)
	c.want, c.filter = want, *flt
	c.any, c.all, c.counters = false, c.all[:0], Counters{}
	l := &c.levels[0]
	s.Lift(&l.form)
	l.ray = query.Ray(*s)
	c.until, c.most, c.enters = l.form.Until, min(l.form.Until, math.MaxFloat32), s.IsEntering()
	l.setPart(v, 0)
	l.ballLevel, l.exact = 0, true
	l.span, l.scale, l.least = trace.Span{From: 0, To: c.until}, 1, 0
	l.motion.set(&l.form)
	return c
}

func (c *cast) release() {
	c.filter, c.keep, c.testFunc, c.heat = query.Filter{}, walk.Filter{}, nil, nil
	clear(c.trail[:])
	c.at = contact{}
	for i := 0; i < len(c.levels) && c.levels[i].view != (linear.SceneView{}); i++ {
		c.levels[i].view, c.levels[i].transform = linear.SceneView{}, nil
	}
	casts.Put(c)
}

// run queries the scene.
func (c *cast) run() {
	if c.levels[0].form.None {
		return
	}
	label := phase.Enter(phase.Ray)
	c.objects(0)
	c.filter.Only, c.filter.Exclude = nil, soa.Handle{}
	c.instances(0)
	label.Leave()
}

// done reports whether the search can stop.
func (c *cast) done() bool { return c.want == wantAny && c.any }

// objects queries the objects of a part.
func (c *cast) objects(depth int) {
	l := &c.levels[depth]
	v := l.view.Objects()
	store := v.Store()
	if store.Count == 0 {
		return
	}
	tested := c.want == wantAll || c.want == wantTested || !l.exact && (l.motion.ball || c.enters || c.filter.Exact && !l.motion.plain)
	switch {
	case c.want == wantCounted:
		c.explain(l, v)
	case tested:
		l.ray.FirstFunc(v, c.filter, l.object)
	case c.want == wantAny:
		s, f := (*walk.Sweep)(&l.ray), c.keepsIn(v)
		l.walk.Begin(s, store, f)
		c.any = l.walk.HitsAny(s, store, f)
	default:
		if m, ok := l.walk.Next((*walk.Sweep)(&l.ray), store, c.keepsIn(v)); ok {
			c.offer(depth, m.ID(), m.Dist(), m.Location())
		}
	}
}

// keepsIn prepares the filter for a tree of objects.
func (c *cast) keepsIn(v linear.View) *walk.Filter { return keepsIn(&c.keep, &c.filter, v) }

// keepsIn writes a filter prepared for a tree of objects, and returns it or the filter that keeps all.
func keepsIn(keep *walk.Filter, f *query.Filter, v linear.View) *walk.Filter {
	if f.Mask|f.Exclude.Gen|uint32(f.Motion) == 0 && !f.Exact && f.Only == nil {
		return &walk.Everything
	}
	*keep = walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact, Only: f.Only}
	keep.DropMask(&v.Store().Packets)
	if f.Exclude.Gen != 0 { // the generation of a live object is odd
		keep.ExcludeAt(v.LocateHandle(f.Exclude))
	}
	return keep
}

// instances visits the instances of a part, in the order of the packets in which the sweep reaches them. Where there
// are many, it lists those of the next packet while the transforms of the present ones are fetched from memory.
func (c *cast) instances(depth int) {
	l := &c.levels[depth]
	if !l.isInner || c.done() {
		return
	}
	instances := l.view.Instances()
	l.isRay = l.motion.isRay()
	s := (*walk.Sweep)(&l.ray)
	s.SetEntering(false) // only objects are left out
	if c.want == wantCounted {
		c.explainInstances(l)
	}
	store, outgrown, gate := instances.Store(), l.view.Outgrown(), walk.Filter{Mask: c.filter.Mask}
	gate.DropMask(&store.Packets)
	last, cut := float32(math.Inf(1)), float32(math.Inf(1)) // no hit in the part is later; the best Dist behind it
	l.walk.Begin(s, store, &gate)
	ahead := int(store.Count) >= listAhead
	reached := l.walk.Reached(l.reached[0][:0], s, store, &gate)
	for turn := 1; len(reached) > 0; turn ^= 1 {
		if ahead || len(reached) > 1 {
			l.fetchReached(reached)
		}
		var next []walk.HitKey
		if ahead {
			next = l.walk.Reached(l.reached[turn][:0], s, store, &gate)
		}
		for k, m := range reached {
			if m.Dist() > last {
				break // the packet was listed before a better hit was found
			}
			c.clip(depth, k, m.ID())
		}
		for k, m := range reached {
			if m.Dist() > last {
				break
			}
			if len(outgrown) > 0 {
				if _, later := slices.BinarySearch(outgrown, m.ID()); later {
					continue
				}
			}
			c.enter(depth, k, m.ID(), l.time(m.Dist(), c.most))
			if c.done() {
				return
			}
			if c.any && c.best.hit.Dist < cut {
				cut = c.best.hit.Dist
				last = l.local(float64(cut))
				l.walk.Shorten(s, last)
			}
		}
		if !ahead {
			next = l.walk.Reached(l.reached[turn][:0], s, store, &gate)
		}
		reached = next
	}
	for _, id := range outgrown {
		if c.done() {
			return
		}
		if o, _ := instances.Object(id); c.filter.Mask == 0 || o.Mask&c.filter.Mask != 0 {
			c.clip(depth, 0, id)
			c.enter(depth, 0, id, l.least)
		}
	}
}

// endOfWalk returns a local time, not before enter, after which no hit can beat the best one so far, if
// there is one.
func (c *cast) endOfWalk(l *castLevel, enter float32) (end float32, set bool) {
	switch {
	case !c.any:
		return 0, false
	case c.want == wantAny:
		return enter, true
	}
	return max(enter, l.local(float64(c.best.hit.Dist))), true
}

// time converts a local time to a time of the scene, rounded to float32.
func (l *castLevel) time(local float32, most float64) float32 {
	if !l.exact {
		local = float32(min(l.span.From+float64(float64(local)*l.scale), most))
	}
	return max(local, l.least)
}

// local returns an upper bound of the local times of scene times up to time.
func (l *castLevel) local(time float64) float32 {
	if l.exact {
		return float32(time)
	}
	after := float64(nextUp(float32(time)))
	if after > math.MaxFloat32 {
		return float32(math.Inf(1))
	}
	return soa.Above(max((after-l.span.From)/l.scale*(1+0x1p-50), 0x1p-100), 0)
}

// nextUp returns the next float32 after a time of 0 or more.
func nextUp(time float32) float32 {
	if time > math.MaxFloat32 {
		return time
	}
	return math.Float32frombits(math.Float32bits(time+0) + 1)
}

// better reports whether a hit at a time may beat the best one so far.
func (c *cast) better(time float32) bool {
	switch c.want {
	case wantNearest, wantTested:
		return !c.any || time <= c.best.hit.Dist
	case wantAny:
		return !c.any
	}
	return true
}

// clip moves a ray into the part of an instance and clips it to the bounds there, as number k.
func (c *cast) clip(depth, k int, id uint32) {
	outer, l := &c.levels[depth], &c.levels[depth+1]
	if !outer.isRay {
		return
	}
	part, number, transform := instanceOf(outer.view, id)
	if outer.entries[k] = trace.Unknown; !transform.AtMost(xform.Aligned) {
		l.setPart(part, number)
		l.id = id
		outer.entries[k] = outer.clipped[k].Enter(&outer.motion.Motion, (*[13]float64)(transform.All()[:]), &l.bounds, c.until)
	}
}

// skips reports whether a ray that was clipped to a part hits nothing there before the best hit.
func (c *cast) skips(e trace.Entry, p *trace.Clipped) bool {
	return e == trace.Misses || e == trace.Crosses && !c.better(float32(p.Span.From))
}

// enter queries the contents of instance k, with no hits before a time.
func (c *cast) enter(depth, k int, id uint32, least float32) {
	if !c.better(least) {
		return
	}
	outer, l := &c.levels[depth], &c.levels[depth+1]
	l.id, l.least = id, least
	c.counters.Instances++
	if outer.isRay && c.skips(outer.entries[k], &outer.clipped[k]) {
		c.counters.Rejected++
		return
	}
	if e := c.into(outer, l, depth, k); e == trace.Misses || !c.lower(l, e) {
		c.counters.Rejected++
		return
	}
	c.counters.Entered++
	c.objects(depth + 1)
	c.instances(depth + 1)
}

// into transforms the motion into the part of instance k. The result is that of [trace.Clipped.Enter] or
// [trace.Clipped.Box], never Unknown.
func (c *cast) into(outer, l *castLevel, depth, k int) trace.Entry {
	part, number, transform := instanceOf(outer.view, l.id)
	l.setPart(part, number)
	l.transform = transform
	if l.bounds.Min[0] > l.bounds.Max[0] {
		return trace.Misses
	}
	if l.ballLevel = depth + 1; outer.isRay && outer.entries[k] == trace.Crosses {
		p := &outer.clipped[k]
		l.exact, l.span.From, l.span.To = false, p.Span.From, p.Span.To
		l.motion.setShape(&outer.motion)
		return (*walk.Sweep)(&l.ray).Enter(&l.motion.Motion, p)
	}
	l.motion.move(&outer.motion, l.transform)
	if l.motion.ball && !l.motion.spherical {
		l.ballLevel = outer.ballLevel
	}
	if l.exact = outer.exact && l.isExact(outer); l.exact {
		// The kernels alone determine hits and times, because they round differently from clip.
		l.scale, l.span = 1, trace.Span{From: 0, To: c.until}
		return trace.Crosses
	}
	var ok bool
	if l.span, ok = l.motion.clip(&l.bounds, c.until); !ok {
		return trace.Misses
	}
	return trace.Crosses
}

// lower sets the sweep in the part, if into has not. It returns false if the motion hits nothing there before the best
// hit.
func (c *cast) lower(l *castLevel, e trace.Entry) bool {
	s := (*walk.Sweep)(&l.ray)
	switch {
	case l.exact:
		l.form.Until = c.until
		s.Lower(&l.form)
	case !c.better(float32(l.span.From)):
		return false
	case e == trace.Enters:
		l.scale = s.Unit()
	default:
		l.scale = l.motion.close(s, l.span, &l.bounds)
	}
	if c.any {
		// Times after the best hit are cut off at a time that is also after it.
		s.Cut(nextUp(l.local(float64(c.best.hit.Dist))))
	}
	return true
}

// isExact reports whether the motion in the space of the part is exactly representable in float32:
// under the identity, and if a translation maps it to such numbers. Then the flat query is used,
// with the same results.
func (l *castLevel) isExact(outer *castLevel) bool {
	if l.transform.Kind() == xform.Identity {
		l.form = outer.form
		return true
	}
	if l.transform.Kind() != xform.Translation || outer.form.Spherical {
		return false
	}
	f := outer.form
	var offLo, offHi [3]float64
	f.Min, offLo = l.transform.Local(f.Min)
	f.Max, offHi = l.transform.Local(f.Max)
	for a := range 3 {
		if offLo[a] != 0 || offHi[a] != 0 || float64(float32(f.Min[a])) != f.Min[a] || float64(float32(f.Max[a])) != f.Max[a] {
			return false
		}
	}
	if f.Ball {
		f.Center = f.Min
	}
	l.form = f
	return true
}

// reachObject handles an object that a ray reaches at a local time. It returns the local time that ends
// the walk, if one is set.
func (c *cast) reachObject(depth int, id uint32, enter float32) (end float32, set bool) {
	l := &c.levels[depth]
	if c.done() {
		return enter, true
	}
	at := enter
	if !l.exact && (l.motion.ball || c.filter.Exact && !l.motion.plain) {
		var ok bool
		if at, ok = c.refine(depth, id, enter); !ok {
			return c.endOfWalk(l, enter)
		}
	}
	if !l.exact && c.enters && !c.entersObject(depth, id) {
		return c.endOfWalk(l, enter)
	}
	switch c.want {
	case wantAny:
		c.any = true
	case wantAll:
		c.all = append(c.all, c.foundAt(depth, id, at, soa.NoLocation))
		c.contact(depth).complete(&c.all[len(c.all)-1], c.filter.Exact)
	case wantTested:
		t := l.time(at, c.most)
		if c.any && t > c.best.hit.Dist {
			break
		}
		d, hit := c.testFunc(c.path(depth), id, t)
		c.levels[0].view.Objects() // panics if the scene has changed
		d = max(d, t)              // NaN if d is
		if hit && float64(d) <= c.most && !(c.any && d > c.best.hit.Dist) {
			f := found{hit: Hit{ID: id, Path: c.path(depth), Dist: d + 0}, at: soa.NoLocation}
			if !c.any || f.compare(&c.best) < 0 {
				c.best, c.any = f, true
			}
		}
	default:
		c.offer(depth, id, at, soa.NoLocation)
	}
	return c.endOfWalk(l, enter)
}

func (c *cast) path(depth int) (p Path) {
	for i := range depth {
		p.push(c.levels[i+1].id)
	}
	return p
}
