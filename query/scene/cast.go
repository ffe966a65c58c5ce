package scene

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/space"
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
	gate   query.Filter
	until  float64
	most   float64 // upper limit of Dist
	enters bool    // objects that are only touched are left out
	levels [linear.MaxDepth + 1]castLevel
	bounds space.Extent

	best     found
	any      bool      // best is valid
	kept     [2]motion // the motion at the best hit, and at its ballLevel
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

// found is a candidate hit, ordered by dist, path, local, id.
type found struct {
	hit   Hit
	local float32 // the time in the part, before rounding
}

func (f *found) compare(g *found) int {
	if c := cmp.Compare(f.hit.Dist, g.hit.Dist); c != 0 {
		return c
	}
	if c := f.hit.Path.Compare(g.hit.Path); c != 0 {
		return c
	}
	if c := cmp.Compare(f.local, g.local); c != 0 {
		return c
	}
	return cmp.Compare(f.hit.ID, g.hit.ID)
}

// castLevel is a part on the path, and the motion there. Local times of its ray, multiplied by scale
// and offset by the beginning of the span, are times of the scene.
type castLevel struct {
	view      linear.SceneView
	id        uint32 // ID of the instance
	part      uint32
	transform *xform.Transform
	ballLevel int // nearest enclosing level in which a ball is a ball

	motion motion
	exact  bool // the ray is the exact motion: the flat query is used
	form   walk.Swept
	span   span
	scale  float64
	least  float32 // entry time of the instance's box: no hit in it is earlier
	ray    query.Ray

	object, instance func(id uint32, enter float32) (float32, bool) // reachObject and reachInstance, bound once
}

var casts = sync.Pool{New: func() any {
	c := new(cast)
	for i := range c.levels {
		c.levels[i].object = func(id uint32, enter float32) (float32, bool) { return c.reachObject(i, id, enter) }
		c.levels[i].instance = func(id uint32, enter float32) (float32, bool) { return c.reachInstance(i, id, enter) }
	}
	return c
}}

func launch(want want, s *walk.Sweep, v linear.SceneView, flt *query.Filter) *cast {
	if err := flt.Check(); err != nil {
		panic(err.Error())
	}
	c := casts.Get().(*cast)
	c.want, c.filter, c.gate = want, *flt, query.Filter{Mask: flt.Mask}
	c.any, c.all, c.counters = false, c.all[:0], Counters{}
	l := &c.levels[0]
	s.Lift(&l.form)
	(*walk.Sweep)(&l.ray).Lower(&l.form)
	c.until, c.most, c.enters = l.form.Until, min(l.form.Until, math.MaxFloat32), s.IsEntering()
	l.view, l.part, l.ballLevel, l.exact = v, 0, 0, true
	l.span, l.scale, l.least = span{0, c.until}, 1, 0
	l.motion.set(&l.form)
	return c
}

func (c *cast) release() {
	c.filter, c.testFunc, c.heat = query.Filter{}, nil, nil
	clear(c.trail[:])
	c.at = contact{}
	for i := range c.levels {
		c.levels[i].view, c.levels[i].transform = linear.SceneView{}, nil
	}
	casts.Put(c)
}

// run queries the scene.
func (c *cast) run() {
	if c.levels[0].form.None {
		return
	}
	c.objects(0)
	c.filter.Only, c.filter.Exclude = nil, soa.Handle{}
	c.instances(0)
}

// done reports whether the search can stop.
func (c *cast) done() bool { return c.want == wantAny && c.any }

// objects queries the objects of a part.
func (c *cast) objects(depth int) {
	l := &c.levels[depth]
	v := l.view.Objects()
	if v.Len() == 0 {
		return
	}
	tested := c.want == wantAll || c.want == wantTested || !l.exact && (l.motion.ball || c.enters || c.filter.Exact && !l.motion.plain)
	switch {
	case c.want == wantCounted:
		c.explain(l, v)
	case tested:
		l.ray.FirstFunc(v, c.filter, l.object)
	case c.want == wantAny:
		c.any = l.ray.Any(v, c.filter)
	default:
		if id, local, ok := l.ray.FirstID(v, c.filter); ok {
			c.offer(depth, id, local)
		}
	}
}

// places visits the instances of a part.
func (c *cast) instances(depth int) {
	l := &c.levels[depth]
	instances := l.view.Instances()
	if instances.Len() == 0 || c.done() {
		return
	}
	(*walk.Sweep)(&l.ray).SetEntering(false) // only objects are left out
	if c.want == wantCounted {
		c.explainInstances(l)
	}
	l.ray.FirstFunc(instances, c.gate, l.instance)
	for _, id := range l.view.Outgrown() {
		if c.done() {
			return
		}
		if o, _ := instances.Object(id); c.gate.Mask == 0 || o.Mask&c.gate.Mask != 0 {
			c.enter(depth, id, l.least)
		}
	}
}

// reachInstance enters an instance that a ray reaches at a local time. It returns the local time that ends
// the walk, if one is set.
func (c *cast) reachInstance(depth int, id uint32, enter float32) (end float32, set bool) {
	l := &c.levels[depth]
	if outgrown := l.view.Outgrown(); len(outgrown) > 0 {
		if _, later := slices.BinarySearch(outgrown, id); later {
			return c.endOfWalk(l, enter)
		}
	}
	c.enter(depth, id, l.time(enter, c.most))
	return c.endOfWalk(l, enter)
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
		local = float32(min(l.span.from+float64(float64(local)*l.scale), most))
	}
	return max(local, l.least)
}

// local returns an upper bound of the local times of scene times up to time.
func (l *castLevel) local(time float64) float32 {
	if l.exact {
		return float32(time)
	}
	after := float64(math.Nextafter32(float32(time), float32(math.Inf(1))))
	if after > math.MaxFloat32 {
		return float32(math.Inf(1))
	}
	return soa.Above(max((after-l.span.from)/l.scale*(1+0x1p-50), 0x1p-100), 0)
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

// enter queries the contents of an instance, with no hits before a time.
func (c *cast) enter(depth int, id uint32, least float32) {
	if !c.better(least) {
		return
	}
	outer, l := &c.levels[depth], &c.levels[depth+1]
	l.view, l.part, l.transform = instanceOf(outer.view, id)
	l.id, l.least = id, least
	c.counters.Instances++
	bounds := l.view.Bounds()
	if bounds.Min[0] > bounds.Max[0] || c.misses(&outer.motion, l.transform, &bounds) || !c.into(outer, l, depth, &bounds) {
		c.counters.Rejected++
		return
	}
	c.counters.Entered++
	c.objects(depth + 1)
	c.instances(depth + 1)
}

// misses reports whether a ray surely hits nothing in the bounds of an instance before the best hit. into would find
// that out, too, at a higher cost.
func (c *cast) misses(m *motion, transform *xform.Transform, bounds *soa.AABB) bool {
	if m.box || m.ball || m.off != [3]float64{} || m.dirOff != [3]float64{} {
		return false
	}
	until := c.until
	if c.any && (c.want == wantNearest || c.want == wantTested) {
		until = min(until, float64(float64(c.best.hit.Dist)*(1+0x1p-20))+0x1p-140)
	}
	return transform.RayMisses(&m.center, &m.dir, bounds, until)
}

// into transforms the motion into a part. It returns false if the motion hits nothing there
// before the best hit.
func (c *cast) into(outer, l *castLevel, depth int, bounds *soa.AABB) bool {
	l.motion.move(&outer.motion, l.transform)
	if l.ballLevel = depth + 1; l.motion.ball && !l.motion.spherical {
		l.ballLevel = outer.ballLevel
	}
	until := c.until
	if l.exact = outer.exact && c.isExact(l, outer); l.exact {
		// The kernels alone determine hits and times, because they round differently from clip.
		l.scale, l.span = 1, span{0, until}
	} else {
		c.bounds.Set(bounds)
		var ok bool
		if l.span, ok = l.motion.clip(&c.bounds, until); !ok || !c.better(float32(l.span.from)) {
			return false
		}
		l.scale = l.motion.close(&l.form, l.span, &c.bounds)
		until = float64(soa.Above((l.span.to-l.span.from)/l.scale*(1+0x1p-50), 0))
	}
	l.form.Until, l.form.Cut = until, float32(math.Inf(1))
	if c.any {
		// Times after the best hit are cut off at a time that is also after it.
		l.form.Cut = math.Nextafter32(l.local(float64(c.best.hit.Dist)), l.form.Cut)
	}
	(*walk.Sweep)(&l.ray).Lower(&l.form)
	return true
}

// isExact reports whether the motion in the space of the part is exactly representable in float32:
// under the identity, and if a translation maps it to such numbers. Then the flat query is used,
// with the same results.
func (c *cast) isExact(l, outer *castLevel) bool {
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
		c.all = append(c.all, c.foundAt(depth, id, at))
		c.contact(depth).complete(&c.all[len(c.all)-1].hit, c.filter.Exact)
	case wantTested:
		t := l.time(at, c.most)
		if c.any && t > c.best.hit.Dist {
			break
		}
		d, hit := c.testFunc(c.path(depth), id, t)
		c.levels[0].view.Objects() // panics if the scene has changed
		d = max(d, t)              // NaN if d is
		if hit && float64(d) <= c.most && !(c.any && d > c.best.hit.Dist) {
			f := found{Hit{ID: id, Path: c.path(depth), Dist: d + 0}, 0}
			if !c.any || f.compare(&c.best) < 0 {
				c.best, c.any = f, true
			}
		}
	default:
		c.offer(depth, id, at)
	}
	return c.endOfWalk(l, enter)
}

func (c *cast) path(depth int) (p Path) {
	for i := range depth {
		p.push(c.levels[i+1].id)
	}
	return p
}

func (c *cast) foundAt(depth int, id uint32, local float32) found {
	return found{Hit{ID: id, Path: c.path(depth), Dist: c.levels[depth].time(local, c.most)}, local}
}

// offer makes a hit the best one if it is better.
func (c *cast) offer(depth int, id uint32, local float32) {
	f := c.foundAt(depth, id, local)
	if c.any && f.compare(&c.best) >= 0 {
		return
	}
	c.best, c.any = f, true
	c.keep(depth)
}

// contact returns the location of a hit at a level.
func (c *cast) contact(depth int) *contact {
	l := &c.levels[depth]
	for i := range depth {
		c.trail[i] = c.levels[i+1].transform
	}
	c.at = contact{l.view.Objects(), l.exact, l.form, l.span, &l.motion, &c.levels[l.ballLevel].motion, c.trail[:depth], l.ballLevel}
	return &c.at
}

// keep stores the location of the best hit.
func (c *cast) keep(depth int) {
	at := c.contact(depth)
	c.kept = [2]motion{*at.motion, *at.outer}
	at.motion, at.outer = &c.kept[0], &c.kept[1]
}

// refine returns the local time at which a ball or a ray, which reaches an object at the time
// enter, hits the object or all its bounds. The test is that of [query.SweptSphere], from the
// beginning of the span on, in float64. A ball that is an ellipsoid here must also hit the box
// around the image of the object, in the space where it is a ball.
func (c *cast) refine(depth int, id uint32, enter float32) (at float32, ok bool) {
	l := &c.levels[depth]
	m, v := &l.motion, l.view.Objects()
	// An object that was hit is in a packet, so it has a location. This holds in files, too:
	// [linear.CheckSafe] compares the location of each object of a packet with its packet and
	// lane.
	slot, lane, _ := v.Locate(id)
	p := &v.Store().Packets
	t, bound := 0.0, false
	if c.filter.Exact {
		if s, ok := p.Sphere(slot, lane); ok {
			if t, ok = m.hitSphere(l.span, &s); !ok {
				return enter, false
			}
			bound = true
		}
		if o, turned := p.Oriented(slot, lane); turned {
			then, ok := m.hitOriented(l.span, &o)
			if !ok {
				return enter, false
			}
			t, bound = max(t, then), true
		}
	}
	if !bound {
		if !m.ball {
			return enter, true
		}
		box := p.Box(slot, lane)
		if t, ok = m.hitBox(l.span, m.radius, &box); !ok {
			return enter, false
		}
	}
	if m.ball && !m.spherical {
		var b cell
		b.of(p, slot, lane, c.filter.Exact)
		for i := depth; i > l.ballLevel; i-- {
			b.out(c.levels[i].transform)
		}
		outer := b.box()
		f := &c.levels[l.ballLevel].motion
		late, ok := f.hitBox(l.span, f.radius, &outer)
		if !ok {
			return enter, false
		}
		t = max(t, late)
	}
	return max(enter, float32(t/l.scale)), true
}

// hitBox returns the time, from the beginning of a span on, at which a ball about the centre
// hits a box. meetSphere does so for the ball, or the point, and a sphere, meetOriented for an
// oriented box.
func (m *motion) hitBox(s span, radius float64, box *soa.AABB) (t float64, ok bool) {
	return walk.BallTime(m.at(s.from), m.dir, radius+m.slip(s), s.to-s.from, box)
}

func (m *motion) hitSphere(s span, o *[4]float32) (t float64, ok bool) {
	c := [3]float32{o[0], o[1], o[2]}
	return m.hitBox(s, m.radius+float64(o[3]), &soa.AABB{Min: c, Max: c})
}

func (m *motion) hitOriented(s span, o *soa.OrientedBox) (t float64, ok bool) {
	return walk.BallTimeOriented(m.at(s.from), m.dir, m.radius+m.slip(s), s.to-s.from, o)
}

// slip bounds the error of the centre over a span.
func (m *motion) slip(s span) (sum float64) {
	for a := range 3 {
		sum += m.off[a] + float64(s.to*m.dirOff[a]) + float64((math.Abs(m.center[a])+float64(s.to*math.Abs(m.dir[a])))*0x1p-50)
	}
	return sum
}
