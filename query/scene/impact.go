package scene

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Impact is a pair of objects that touch during a time step, with their time of impact: the first time in [0, 1] at
// which they touch, 0 if they overlap at the start. A is before B ([Object.Compare]).
type Impact struct {
	A, B Object
	Time float32
}

// AppendImpacts performs continuous collision detection of a scene. It appends the pairs of two objects whose images
// touch or overlap at some time of a step to dst, and returns it. It corresponds to [collide.AppendImpacts] of a tree.
//
//	motions.Set(cart, [3]float32{4, 0, 0}) // in this step
//	impacts = scene.AppendImpacts(impacts[:0], yard.View(), &motions, nil, scene.PairFilter{})
//	scene.SortImpacts(impacts)
//
// Instances of the scene move along straight lines, and keep their orientation: motions has the displacement of each
// during the step, by ID. The scene holds their transforms at the start. Own objects of the scene move as in
// collide.AppendImpacts: its tree holds their swept boxes ([collide.Step.Swept]), and steps has their motion by ID.
// An instance or object without an entry rests. If motions or steps are nil, all of them rest. Objects in an
// instance do not move in its part.
//
// The pairs are those of [AppendPairs] of Part 0: of own objects, of own objects and objects in instances, and of
// objects in two instances. With Filter.Instances the pairs inside of each instance follow, at time 0. The order is a
// function of the changes made to the scene and its parts, of the motions and of the filter, the same on every CPU.
//
// With Filter.Exact, bounding spheres and oriented boxes collide, as in AppendPairs: a pair in which at least one
// object has a bound touches at the first time at which each bound of one object touches each bound of the other. The
// moving box stands for an object without a bound. Bounds of own objects move as in collide.AppendImpacts.
//
// The cost is as of AppendPairs with two exceptions. Each moving instance is searched for by its swept box, and
// objects are candidates if they are no further apart than the length of the relative motion of their instances:
// choose a step that is short relative to the gaps.
// It allocates only when dst lacks room. Any number of goroutines may query one view while no goroutine writes to
// motions or steps. It panics if Filter.Distance is not 0, if the filter is out of range ([collide.Filter.Check]), or
// if a displacement is not finite.
//
// # Precision
//
// On each axis of the separating axis test of AppendPairs, the gap of two images is linear in time. It is computed at
// the start and at the end of the step in float64, less the bounds of rounding errors given there, of which the
// motions are summands. The images touch from the last beginning to the first end of their overlaps on all axes.
// There are no false negatives, and no time is late before it is rounded to float32. A false positive misses by less
// than twice the limit of AppendPairs on each axis. Bounds are compared likewise. Times of balls are as in
// collide.AppendImpacts for their images, with radii larger by the errors of their centres.
func AppendImpacts(dst []Impact, v linear.SceneView, motions *linear.Column[[3]float32], steps *linear.Column[collide.Step], flt PairFilter) []Impact {
	if flt.Distance != 0 {
		panic(fmt.Sprintf("scene: AppendImpacts with a Filter.Distance of %v, want 0", flt.Distance))
	}
	w := joins.Get().(*join)
	w.prepare(&flt)
	m := &w.step
	m.on, m.motions, m.steps, m.found = true, motions, steps, dst
	w.impacts(v, &flt)
	dst = m.found
	w.release()
	if !flt.Instances {
		return dst
	}
	inside := joins.Get().(*join)
	inside.within = true
	inside.step.inside = inside.run(inside.step.inside[:0], v, &flt)
	dst = slices.Grow(dst, len(inside.step.inside))
	for _, p := range inside.step.inside {
		dst = append(dst, Impact{p.A, p.B, 0})
	}
	inside.release()
	return dst
}

var impactSorters = sync.Pool{New: func() any { return new(sorter[Impact]) }}

// SortImpacts sorts impacts by time, then A, then B. The time is proportional to their number. It allocates nothing
// once its buffers, some 80 bytes for each impact, have grown.
func SortImpacts(impacts []Impact) {
	if len(impacts) <= fewSorted || slices.ContainsFunc(impacts, func(x Impact) bool { return !(x.Time >= 0) }) {
		slices.SortFunc(impacts, compareImpacts)
		return
	}
	s := impactSorters.Get().(*sorter[Impact])
	s.sort(impacts, compareImpacts, func(d *digits, x *Impact) {
		d[0] = math.Float32bits(x.Time + 0) // ascend as times of 0 or more do; -0 + 0 is 0
		d.setPair(&x.A, &x.B)
	})
	impactSorters.Put(s)
}

func compareImpacts(x, y Impact) int {
	return cmp.Or(cmp.Compare(x.Time, y.Time), x.A.Compare(y.A), x.B.Compare(y.B))
}

// stepSearch is the state of a search for impacts during a time step.
type stepSearch struct {
	on      bool
	motions *linear.Column[[3]float32]
	steps   *linear.Column[collide.Step]
	found   []Impact
	moving  []uint32 // instances that move, or may have outgrown their boxes, ascending
	own     []collide.Impact
	inside  []Pair
}

func (m *stepSearch) release() { m.on, m.motions, m.steps, m.found = false, nil, nil, nil }

// impacts finds the impacts of the scene itself.
func (w *join) impacts(v linear.SceneView, flt *PairFilter) {
	m, from := &w.step, len(w.step.found)
	own, instances := v.Objects(), v.Instances()
	if f, some := w.live.ownFilter(w.flt, own); some {
		m.own = collide.AppendImpacts(m.own[:0], collide.Within(own), m.steps, nil, f)
		m.found = slices.Grow(m.found, len(m.own))
		for _, h := range m.own {
			m.found = append(m.found, Impact{Object{ID: h.A}, Object{ID: h.B}, h.Time})
		}
	}
	if instances.Len() > 0 {
		w.whole.top(v)
		m.list(instances, v.Outgrown())
		w.withInstances(own, instances, m.moving)
	}
	_, _, excluded := own.LocateHandle(flt.Exclude)
	out := Object{ID: flt.Exclude.ID}
	kept := slices.DeleteFunc(m.found[from:], func(h Impact) bool {
		return excluded && (h.A == out || h.B == out) || !w.live.passes(&Pair{0, h.A, h.B})
	})
	m.found = m.found[:from+len(kept)]
}

// list lists the instances whose boxes do not count: moving ones, and those that may have outgrown them.
func (m *stepSearch) list(instances linear.View, outgrown []uint32) {
	m.moving = append(m.moving[:0], outgrown...)
	if m.motions == nil {
		return
	}
	for slot := range uint32(instances.Slots()) {
		for _, id := range instances.IDs(slot) {
			if m.motions.Get(id) != ([3]float32{}) && !contains(outgrown, id) {
				m.moving = append(m.moving, id)
			}
		}
	}
	slices.Sort(m.moving)
}

// enter sets the motion of a side that has been entered.
func (m *stepSearch) enter(s *pairSide, id uint32) {
	if s.move = s.outer.move; s.path.n > 1 {
		return
	}
	s.move = [3]float64{}
	if m.motions == nil {
		return
	}
	for a, x := range m.motions.Get(id) {
		if s.move[a] = float64(x); x-x != 0 {
			panic(fmt.Sprintf("scene: the motion of instance %d is %v, want finite numbers", id, m.motions.Get(id)))
		}
	}
}

// apartBy sets the distance within which objects of two sides can touch during the step.
func (w *join) apartBy(s, t *pairSide) {
	if w.step.on {
		by := [3]float64{t.move[0] - s.move[0], t.move[1] - s.move[1], t.move[2] - s.move[2]}
		w.distance = exact.Length(&by) * (1 + 0x1p-40)
	}
}

// sweptBox returns a box around a box that moves.
func sweptBox(b soa.AABB, move [3]float64) soa.AABB {
	for a, m := range move {
		lo, hi := float64(b.Min[a])+min(m, 0), float64(b.Max[a])+max(m, 0)
		b.Min[a], b.Max[a] = outward((lo+hi)/2, (hi-lo)/2)
	}
	return b.Intersect(everywhere)
}

// set sets the motion of an object of a side whose image is set.
func (m *stepSearch) set(x *shape, s *pairSide) {
	x.move, x.boxes = s.move, [2]soa.AABB{x.object.Box, x.object.Box}
	if s.outer == nil && m.steps != nil {
		if step := m.steps.Get(x.id); step != (collide.Step{}) {
			x.boxes = [2]soa.AABB{step.From, step.To}
			x.image.set(&step.From)
			for a := range 3 { // bounds move as the middle of the box
				x.move[a] = (float64(step.To.Min[a]) - float64(step.From.Min[a]) + (float64(step.To.Max[a]) - float64(step.From.Max[a]))) / 2
			}
			x.end.set(&step.To)
			return
		}
	}
	x.end = x.image
	x.end.shift(&s.move)
}

// shift moves a cell.
func (c *cell) shift(by *[3]float64) {
	for a := range by {
		c.center[a] += by[a]
	}
}

// impact returns the first time in [0, 1] at which two objects of two sides touch.
func impact(s, t *pairSide, x, y *shape, bounds bool) (time float64, ok bool) {
	w := exact.Always
	if bounds {
		if !s.similar() || !t.similar() {
			x.bounds.hasSphere, y.bounds.hasSphere = false, false
		}
		if x.bounds.hasSphere || x.bounds.hasOriented || y.bounds.hasSphere || y.bounds.hasOriented {
			ok = ballsImpact(&w, s, t, x, y) && x.ballImpact(&w, y, s, t) && y.ballImpact(&w, x, t, s) && x.orientedImpact(&w, y, s, t)
			return w.Enter, ok
		}
	}
	ok = cellsImpact(&w, [2]*cell{&x.image, &x.end}, [2]*cell{&y.image, &y.end}, s.axes(), t.axes())
	return w.Enter, ok
}

// cellsImpact narrows w to the time in which two cells overlap that move from one cell to another: see cellsNear.
func cellsImpact(w *exact.Window, a, b [2]*cell, da, db *[3][3]float64) bool {
	var at [2]separation
	for k := range at {
		t := &at[k]
		t.a, t.b = a[k], b[k]
		for i := range 3 {
			t.way[i] = t.b.center[i] - t.a.center[i]
			t.room[i] = t.a.off[i] + t.b.off[i] + float64((math.Abs(t.a.center[i])+math.Abs(t.b.center[i])+t.a.reach(i)+t.b.reach(i))*0x1p-48)
		}
	}
	narrow := func(l [3]float64) bool {
		var d, r [2]float64
		for k := range at {
			d[k], r[k] = at[k].gap(&l)
		}
		return w.Line(d[0]-r[0], d[1]-r[1]) && w.Line(-d[0]-r[0], -d[1]-r[1])
	}
	for i := range 3 {
		var l [3]float64
		if l[i] = 1; !narrow(l) {
			return false
		}
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		if !narrow(cross(da[j], da[k])) || !narrow(cross(db[j], db[k])) {
			return false
		}
	}
	for i := range 3 {
		for j := range 3 {
			if !narrow(cross(da[i], db[j])) {
				return false
			}
		}
	}
	return true
}

// gap returns the position of b relative to a along a vector, and the largest one at which the cells may overlap.
func (t *separation) gap(l *[3]float64) (d, r float64) {
	off := float64(math.Abs(l[0])*t.room[0]) + float64(math.Abs(l[1])*t.room[1]) + float64(math.Abs(l[2])*t.room[2])
	return dot(l, &t.way), t.a.along(l) + t.b.along(l) + off + 0x1p-1000
}

// ballsImpact narrows w to the time in which two spheres overlap, if both objects have one.
func ballsImpact(w *exact.Window, s, t *pairSide, x, y *shape) bool {
	if !x.bounds.hasSphere || !y.bounds.hasSphere {
		return true
	}
	p, q := x.bounds.sphere, y.bounds.sphere
	s.ballOut(&p)
	t.ballOut(&q)
	var way [3]float64
	for a := range way {
		way[a] = q.center[a] - p.center[a]
	}
	return w.Balls(&way, &x.move, &y.move, p.reach()+q.reach(), true)
}

// reach returns the radius of the ball around all balls with the exact centre.
func (b *ball) reach() float64 {
	size := max(math.Abs(b.center[0]), math.Abs(b.center[1]), math.Abs(b.center[2]))
	return (b.radius+exact.Length(&b.off))*(1+0x1p-40) + float64(size*0x1p-48)
}

// ballImpact narrows w to the time in which the sphere of x, if it has one, overlaps the oriented box of y, or the box
// if y has no bound.
func (x *shape) ballImpact(w *exact.Window, y *shape, s, t *pairSide) bool {
	if !x.bounds.hasSphere || y.bounds.hasSphere && !y.bounds.hasOriented {
		return true
	}
	p := x.bounds.sphere
	s.ballOut(&p)
	at := [2]ball{p, p} // in the space of y, at the start and at the end
	for a := range 3 {
		by := x.move[a]
		if y.bounds.hasOriented || t.outer != nil {
			by -= y.move[a]
		}
		at[1].center[a] += by
		at[1].off[a] += float64((math.Abs(x.move[a]) + math.Abs(y.move[a])) * 0x1p-48)
	}
	t.ballIn(&at[0])
	t.ballIn(&at[1])
	var g [3]exact.Gap
	if !y.bounds.hasOriented {
		for k := range at {
			box := &y.boxes[k]
			for a := range g {
				c := at[k].center[a]
				g[a].Below[k], g[a].Above[k] = float64(box.Min[a])-c, c-float64(box.Max[a])
			}
		}
	} else {
		var f exact.Frame
		f.Set(&y.bounds.oriented)
		for k := range at {
			way := f.Local([3]float64{at[k].center[0] - f.Center[0], at[k].center[1] - f.Center[1], at[k].center[2] - f.Center[2]})
			for a, half := range f.Half {
				g[a].Below[k], g[a].Above[k] = -way[a]-half, way[a]-half
			}
		}
	}
	most := 0.0
	for a := range 3 {
		most = max(most, math.Abs(at[0].center[a]), math.Abs(at[1].center[a]))
	}
	return w.BallBox(&g, max(at[0].reach(), at[1].reach()), most, true)
}

// orientedImpact narrows w to the time in which the oriented boxes of two objects overlap; the box stands for an object
// without a bound.
func (x *shape) orientedImpact(w *exact.Window, y *shape, s, t *pairSide) bool {
	if !x.bounds.hasOriented && !y.bounds.hasOriented || x.bounds.onlySphere() || y.bounds.onlySphere() {
		return true
	}
	a, da := x.moved(s)
	b, db := y.moved(t)
	return cellsImpact(w, [2]*cell{&a[0], &a[1]}, [2]*cell{&b[0], &b[1]}, da, db)
}

func (b *bounds) onlySphere() bool { return b.hasSphere && !b.hasOriented }

// moved returns the image of the oriented box, or else of the box, at the start and at the end, and its directions.
func (x *shape) moved(s *pairSide) (at [2]cell, dirs *[3][3]float64) {
	if !x.bounds.hasOriented {
		return [2]cell{x.image, x.end}, s.axes()
	}
	at = [2]cell{x.bounds.image, x.bounds.image}
	at[1].shift(&x.move)
	return at, &x.bounds.dirs
}
