package scene

import (
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// volumeWalk is the state of one volume query, taken from a pool.
type volumeWalk struct {
	ask    ask
	filter walk.Filter // for objects in parts
	gate   walk.Filter // for instances
	every  bool        // the filter keeps all
	levels [linear.MaxDepth + 1]level

	entered  entered
	volume   cull.Volume       // for a small part, or the image of a box
	planes   cull.MovingPlanes // those of planesOf, if that is not nil
	planesOf *walk.Volume
	lists    asm.VolumeWalk
	size     cull.Size // for a part
	lane     cull.LaneFilter
	ranges   []asm.Range
	kept     []asm.Range

	answer   *Answer
	count    uint64
	yield    func(Path, uint32) bool
	part     func(Part, query.Range) bool
	heat     *Heat
	counters Counters

	inside space.Inside // for the instances of the current level
	tester walk.Tester  // of the caller, for a volume that has one
	within soa.AABB     // the box that contains that volume
	number uint64       // number of the walk
	copies []copied     // by part number

	at             int                    // the current level; negative: the walk ends
	takesRange     func(query.Range) bool // takeRange, bound once
	listsInstances func(query.Range) bool // listInstances, bound once

	runs instanceRun
}

// entered is the part that was entered last.
type entered struct {
	bounded
	turned bool // a volume has been moved into it by [space.Turn]: to image
	image  walk.Walk
}

// bounded is a part and its bounds.
type bounded struct {
	view   linear.SceneView
	box    soa.AABB
	bounds space.Extent
	turns  bool // boxes may be moved into it by [space.Turn]
}

// ask is the kind of result of a walk.
type ask uint8

const (
	askAppend  ask = iota // to answer
	askCount              // in count
	askAny                // stop at the first object
	askEach               // to yield
	askParts              // to part
	askExplain            // in counters and heat
)

// level is a part on the path from the scene to the queried one, and the volume there.
//
//	level 0    the scene     the volume as it was given
//	level 1    an instance   the volume transformed into its part
//	...
type level struct {
	view      linear.SceneView
	id        uint32 // ID of the instance
	part      uint32
	transform *xform.Transform
	row       InstanceRef // number in the answer; noInstance: none yet
	ballLevel int         // the nearest enclosing level in which a ball is a ball
	images    imageBounds // for a ball that is an ellipsoid here

	form      *walk.Volume // own, or of an enclosing level under the identity
	treeQuery walk.Query   // the query of that form; nil: not lowered yet
	own       walk.Volume
	lowered   walk.Lowered
	unsized   walk.Frustum // query without its least size, for instances
	coarse    walk.Func    // query that tests no objects, for instances
	relate    relateLevel  // tester of a volume that has one

	hits []cull.Sided // instances that the volume intersects
	ids  []uint32     // IDs of instances in a fully contained part
}

const noInstance = ^InstanceRef(0)

// everything is a volume that contains every object.
var everything walk.Query = new(walk.Frustum)

var walks = sync.Pool{New: func() any {
	w := new(volumeWalk)
	w.takesRange, w.listsInstances = w.takeRange, w.listInstances
	return w
}}

// begin starts a walk of a scene with a volume, which is passed by pointer.
func begin(ask ask, volume any, v linear.SceneView, flt *query.Filter) *volumeWalk {
	if flt.Motion > query.StaticOnly { // Check would copy the filter, which has just been written
		panic(flt.Check().Error())
	}
	w := walks.Get().(*volumeWalk)
	w.ask = ask
	w.filter.Mask, w.filter.Motion, w.filter.Exact = flt.Mask, uint8(flt.Motion), flt.Exact
	w.gate.Mask = flt.Mask
	if w.every = flt.Mask == 0 && flt.Motion == query.AnyMotion; !w.every {
		w.lane = w.filter.LaneFilter()
	}
	w.count, w.counters, w.heat = 0, Counters{}, nil
	w.number++
	l := &w.levels[0]
	l.view, l.row, l.part, l.ballLevel = v, 0, 0, 0
	l.form = &l.own
	l.treeQuery = l.set(volume)
	l.treeQuery.Lift(l.form)
	if w.planesOf = nil; l.form.Kind == walk.KindPlanes || l.form.Kind == walk.KindFrustum && !l.form.Precise && l.form.Least == 0 {
		w.planesOf = l.form
		w.planes.Set(l.form.Planes[:l.form.N])
	}
	if l.form.Kind == walk.KindFunc {
		w.setFunc(l)
	}
	return w
}

// set sets the query of a level to the caller's volume.
func (l *level) set(volume any) walk.Query {
	c := &l.lowered
	switch q := volume.(type) {
	case *query.Frustum:
		c.Frustum = walk.Frustum(*q)
		return &c.Frustum
	case *query.Box:
		c.Box = walk.Box(*q)
		return &c.Box
	case *query.Point:
		c.Point = walk.Point(*q)
		return &c.Point
	case *query.Sphere:
		c.Sphere = walk.Sphere(*q)
		return &c.Sphere
	case *query.Convex:
		c.Convex = walk.Convex(*q)
		return &c.Convex
	case *query.Func:
		c.Func = walk.Func(*q)
		return &c.Func
	case *query.OrientedBox:
		c.Oriented = walk.Oriented(*q)
		return &c.Oriented
	}
	panic("unreachable: a volume of another type")
}

// release returns the walk to the pool, without references to the caller's data.
func (w *volumeWalk) release() {
	w.answer, w.yield, w.part, w.heat, w.tester = nil, nil, nil, nil, nil
	w.filter.Only, w.filter.Exclude = nil, 0
	w.entered.view, w.planesOf = linear.SceneView{}, nil
	if w.runs.used != 0 {
		w.runs.release()
	}
	for i := range w.levels {
		l := &w.levels[i]
		if l.form == nil {
			break
		}
		l.view, l.transform, l.form, l.treeQuery = linear.SceneView{}, nil, nil, nil
		l.lowered.Release()
	}
	walks.Put(w)
}

// run queries the scene, its own objects with the filter of the caller.
func (w *volumeWalk) run(flt *query.Filter) {
	if w.levels[0].view.Objects().Len() > 0 { // otherwise no filter is copied
		inner := w.filter
		w.filter.Only = flt.Only
		if flt.Exclude.Gen != 0 {
			w.filter.ExcludeAt(w.levels[0].view.Objects().LocateHandle(flt.Exclude))
		}
		more := w.objects(0)
		w.filter = inner
		if !more {
			return
		}
	}
	w.instances(0)
}

// instances visits the instances of a level that the volume intersects, in the order of the walk of
// the tree of instances, then those that have outgrown their boxes. It returns false if the walk
// must end.
func (w *volumeWalk) instances(depth int) bool {
	l := &w.levels[depth]
	instances := l.view.Instances()
	if instances.Len() == 0 {
		return true
	}
	q := l.ofInstances()
	if w.ask == askAppend && l.form.Kind == walk.KindBox && l.view.Still() {
		w.identityInstances(depth, instances)
		return true
	}
	w.at, l.hits = depth, l.hits[:0]
	w.inside.Set(l.form, instances.Store())
	ranges(q, instances, &w.gate, w.listsInstances)
	if w.ask == askExplain {
		w.explainInstances(l, q)
	}
	outgrown := l.view.Outgrown()
	tries := 0 // of runs that do not start, before one does
	if len(l.hits) >= minRun && len(outgrown) == 0 && w.setRuns(l) {
		tries = 2
	}
	for k := 0; k < len(l.hits); k++ {
		p := l.hits[k]
		if ahead := k + fetchAhead; k%fetchHits == 0 && ahead < len(l.hits) {
			l.fetch(l.hits[ahead:min(ahead+fetchHits, len(l.hits))])
		}
		if tries > 0 {
			if done := w.appendRun(depth, l.hits[k:min(k-k%fetchHits+fetchHits, len(l.hits))]); done > 0 {
				k, tries = k+done-1, tries+done
				continue
			}
			tries--
		}
		if p.Sides == wholly && len(outgrown) == 0 {
			if done := w.repeatParts(depth, l.hits[k:min(k-k%fetchHits+fetchHits, len(l.hits))]); done > 0 {
				k += done - 1
				continue
			}
		}
		if len(outgrown) > 0 && contains(outgrown, p.ID) {
			continue
		}
		if p.Sides == wholly {
			w.counters.Instances++
			w.counters.Whole++
			if !w.takeInstance(depth, p.ID) {
				return false
			}
		} else if !w.enter(depth, p) {
			return false
		}
	}
	for _, id := range outgrown {
		if w.gate.Mask != 0 {
			if o, _ := instances.Object(id); o.Mask&w.gate.Mask == 0 {
				continue
			}
		}
		if !w.enter(depth, cull.Sided{ID: id}) {
			return false
		}
	}
	return true
}

// identityInstances queries instances under the identity with a box. The box test is exact: the box overlaps
// the bounds of each instance found, and instances fully inside are handled as by whole.
func (w *volumeWalk) identityInstances(depth int, instances linear.View) {
	l, a := &w.levels[depth], w.answer
	l.ids = l.treeQuery.Begin(instances.Store()).Append(l.ids[:0], &w.gate)
	for _, id := range l.ids {
		tree, part, transform := l.view.Tree(id)
		from := len(a.IDs)
		a.IDs = l.treeQuery.Begin(tree.Store()).Append(a.IDs, &w.filter)
		if len(a.IDs) > from {
			a.end(a.add(instance{w.row(depth), id, part, (*xform.Transform)(transform)}), from)
		}
	}
}

// enter queries the contents of an instance.
func (w *volumeWalk) enter(depth int, p cull.Sided) bool {
	outer, l := &w.levels[depth], &w.levels[depth+1]
	l.view, l.part, l.transform = instanceOf(outer.view, p.ID)
	l.id, l.row, l.treeQuery = p.ID, noInstance, nil
	w.counters.Instances++
	e := &w.entered
	if l.view != e.view {
		e.set(l.view, w.filter.Exact)
	}
	if e.box.Min[0] > e.box.Max[0] { // the part is empty
		w.counters.Rejected++
		return true
	}
	e.bounds.Clear = p.Sides
	var verdict exact.Relation
	e.turned = false
	if e.turns {
		var moving *cull.MovingPlanes
		if outer.form == w.planesOf {
			moving = &w.planes
		}
		verdict, e.turned = space.Turn(&e.image.Own(cull.ShapeConvex).Convex, outer.form, moving, l.transform, &e.bounds)
	}
	switch {
	case e.turned:
		l.form, l.ballLevel, l.own.Kind = &l.own, depth+1, walk.KindPlanes
		l.treeQuery = l.lowered.Prepared(&e.image)
	case l.transform.AtMost(xform.Identity):
		l.form, l.treeQuery, l.ballLevel = outer.form, outer.treeQuery, outer.ballLevel
		verdict = space.Classify(l.form, &e.bounds)
	default:
		l.form, l.ballLevel = &l.own, depth+1
		verdict = space.Move(l.form, outer.form, l.transform, &e.bounds)
		if l.form.Kind == walk.KindBall && !l.form.Spherical {
			l.ballLevel = outer.ballLevel
		}
	}
	if l.form.Kind == walk.KindFunc && verdict != exact.Outside {
		verdict = w.relatePart(depth+1, &e.box)
	}
	switch verdict {
	case exact.Outside:
		w.counters.Rejected++
		return true
	case exact.Inside:
		if !l.sized() {
			w.counters.Whole++
			return w.takePart(depth + 1)
		}
	}
	if l.sized() && l.view.Instances().Len() == 0 && w.small(l, &e.box) {
		w.counters.Rejected++
		return true
	}
	w.counters.Entered++
	return w.objects(depth+1) && w.instances(depth+1)
}

// set sets the part, and whether its objects are tested exactly.
func (e *bounded) set(v linear.SceneView, exact bool) {
	e.view, e.box = v, v.Bounds()
	e.bounds.Set(&e.box)
	e.turns = false
	if !exact && v.Instances().Len() == 0 {
		near, most := &v.Objects().Store().Near, &e.bounds.Most
		e.turns = most[0] <= float64(near[0]) && most[1] <= float64(near[1]) && most[2] <= float64(near[2])
	}
}

// query returns the query of a level.
func (l *level) query() walk.Query {
	if l.treeQuery == nil {
		l.treeQuery = l.lowered.Lower(l.form)
	}
	return l.treeQuery
}

// sized reports whether the volume has a least size.
func (l *level) sized() bool { return l.form.Kind == walk.KindFrustum && l.form.Least > 0 }

// ofInstances returns the query of a level for its instances. It has no least size, because the box
// around a rotated instance may have shorter edges than its objects, and tests no boxes of
// instances, because their parts are tested.
func (l *level) ofInstances() walk.Query {
	q := l.query()
	if l.sized() {
		l.unsized = *q.(*walk.Frustum)
		l.unsized.SetMinSize(0)
		return &l.unsized
	}
	if l.form.Kind == walk.KindFunc {
		l.coarse = *q.(*walk.Func)
		l.coarse.Coarse = true
		return &l.coarse
	}
	return q
}

// small reports whether the bounds of the objects of a part, and so all the objects, are below
// the least size.
func (w *volumeWalk) small(l *level, bounds *soa.AABB) bool {
	l.query().(*walk.Frustum).PrepareSize(&w.size)
	return w.size.On() && !w.size.Holds(bounds)
}

// objects queries the objects of a part that crosses the border of the volume.
func (w *volumeWalk) objects(depth int) bool {
	l := &w.levels[depth]
	v := l.view.Objects()
	if v.Len() == 0 {
		return true
	}
	w.at = depth
	if l.ballLevel != depth && l.form.Kind == walk.KindBall && !l.form.Spherical { // results around an ellipsoid are filtered
		if w.ask == askExplain {
			w.explain(l, l.query(), v)
			return true
		}
		found := w.start()
		l.images.set = false
		ranges(l.query(), v, &w.filter, w.takesRange)
		return w.end(depth, found)
	}
	if depth > 0 && w.ask <= askAny && w.simple(l) {
		if s := v.Store(); isSmall(s) {
			return w.scan(depth, s)
		}
	}
	return w.queryTree(depth, l.query(), v)
}

// queryTree runs a query on the objects of a part.
func (w *volumeWalk) queryTree(depth int, q walk.Query, v linear.View) bool {
	w.at = depth
	switch w.ask {
	case askAppend:
		from := len(w.answer.IDs)
		w.answer.IDs = q.Begin(v.Store()).Append(w.answer.IDs, &w.filter)
		w.end(depth, uint64(from))
	case askCount:
		w.add(uint64(q.Begin(v.Store()).Count(&w.filter)))
	case askAny:
		if q.Begin(v.Store()).Any(&w.filter) {
			w.count = 1
			return false
		}
	case askExplain:
		w.explain(&w.levels[depth], q, v)
	default:
		found := w.start()
		ranges(q, v, &w.filter, w.takesRange)
		return w.end(depth, found)
	}
	return true
}

// ranges calls yield with the answer in a tree as ranges of packet slots, until yield returns false. It panics if
// yield changes the tree.
func ranges(q walk.Query, v linear.View, f *walk.Filter, yield func(query.Range) bool) {
	w := q.Begin(v.Store())
	for _, r := range w.Collect(f) {
		if !yield(query.Range(walk.Unpack(r))) {
			break
		}
		v.Store()
	}
	w.Release()
}

// start and end enclose the addition of objects of one part: end ends a run of the answer, and
// reports whether the walk continues.
func (w *volumeWalk) start() uint64 {
	if w.ask == askAppend {
		return uint64(len(w.answer.IDs))
	}
	return 0
}

func (w *volumeWalk) end(depth int, from uint64) bool {
	if w.ask == askAppend && len(w.answer.IDs) > int(from) {
		w.answer.end(w.row(depth), int(from))
	}
	return w.at >= 0
}

// row returns the number of the instance of a level in the answer.
func (w *volumeWalk) row(depth int) InstanceRef {
	l := &w.levels[depth]
	if l.row == noInstance {
		l.row = w.answer.add(instance{w.row(depth - 1), l.id, l.part, l.transform})
	}
	return l.row
}

// path returns the path to a level.
func (w *volumeWalk) path(depth int) (p Path) {
	for i := range depth {
		p.push(w.levels[i+1].id)
	}
	return p
}
