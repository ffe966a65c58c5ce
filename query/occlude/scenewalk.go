package occlude

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// within is the state of a query of a scene.
type within struct {
	levels    [linear.MaxDepth + 1]partSpace
	filter    query.Filter // for the objects of parts
	outer     query.Filter // for the scene's own objects
	instances []instance
	drawn     []uint64 // keys of the drawn occluders
	sorted    int      // length of the sorted prefix of drawn

	prepassed []rememberedIn // occluders drawn by prepassWithin
	cut       query.Frustum

	each     func(scene.Path, uint32) bool      // the caller's callback, when a frustum query makes the result
	part     func(scene.Part, query.Range) bool // the same
	whole    bool                               // no callback has returned false
	passEach func(scene.Path, uint32) bool      // calls each; passPart calls part
	passPart func(scene.Part, query.Range) bool

	stop   bool // stop at the first object
	found  bool
	heat   *scene.Heat
	counts bool // count for Explain
	tally  SceneCounters
}

func newWithin() *within {
	w := new(within)
	w.passEach = func(p scene.Path, id uint32) bool {
		w.whole = w.each(p, id)
		return w.whole
	}
	w.passPart = func(p scene.Part, r query.Range) bool {
		w.whole = w.part(p, r)
		return w.whole
	}
	return w
}

// instance is an instance with results, or with results in instances inside it, and its range of results. The
// first instance is the scene itself.
type instance struct {
	id, part           uint32
	in                 int32
	transform          *xform.Transform // nil for the scene itself
	objects            linear.View
	view               linear.SceneView
	frustum            query.Frustum
	lens               cull.Lens
	ref                [3]float64
	identity           bool
	sighted            bool
	queried, occluders bool
	row                scene.InstanceRef // in the answer; 0 until it has one
	key                uint64            // of the path
	first, end         int               // of the ranges
}

// push appends the instance of a level.
func (w *within) push(depth int) {
	l := &w.levels[depth]
	s := instance{id: l.id, part: l.part, in: -1, transform: l.transform, objects: l.view.Objects(), view: l.view, frustum: *l.frustum, lens: l.lens,
		ref: l.ref, identity: l.exact, sighted: l.sighted, queried: l.queried, occluders: l.occluders}
	if depth > 0 {
		s.in = w.levels[depth-1].instance
		s.key = keyOf(w.instances[s.in].key, l.id)
	}
	l.instance = int32(len(w.instances))
	w.instances = append(w.instances, s)
}

// keyOf returns the key of an ID inside the instance with key outer. If two keys collide, an occluder counts as
// drawn that is not: less is culled.
func keyOf(outer uint64, in uint32) uint64 {
	return (outer ^ uint64(in) + 1) * 0x9e3779b97f4a7c15
}

// release drops all references to data of the caller and of the scene.
func (w *within) release() {
	clear(w.instances)
	w.instances = w.instances[:0]
	for i := range w.levels {
		l := &w.levels[i]
		l.view, l.transform, l.form, l.frustum = linear.SceneView{}, nil, nil, nil
	}
	w.filter, w.outer, w.heat, w.each, w.part = query.Filter{}, query.Filter{}, nil, nil, nil
}

// path returns the path of an instance.
func (w *within) path(at int32) scene.Path {
	var ids [linear.MaxDepth]uint32
	n := len(ids)
	for s := &w.instances[at]; s.in >= 0; s = &w.instances[s.in] {
		n--
		ids[n] = s.id
	}
	return scene.PathOf(ids[n:]...)
}

// roam walks a level whose bounds intersect the frustum, first its own objects, then its instances. It leaves
// the visible objects in instances and e.ranges. It reports false if the walk is to end.
func (c *Culler) roam(depth int, picture *depth.Picture) bool {
	w := c.within
	w.push(depth)
	at := int(w.levels[depth].instance)
	w.instances[at].first = len(c.ranges)
	more := c.roamObjects(depth, picture)
	w.instances[at].end = len(c.ranges)
	if more = more && c.roamInstances(depth, picture); len(w.instances) == at+1 && w.instances[at].first == w.instances[at].end && depth > 0 {
		w.instances = w.instances[:at]
	}
	return more
}

// objectFilter returns the filter of a walk through the objects of a level: see nodeFilter.
func (c *Culler) objectFilter(l *partSpace, f *query.Filter) asm.NodeFilter {
	switch {
	case !l.queried:
		return nodeFilterOf(&query.Filter{Mask: c.cfg.OccluderMask})
	case l.occluders:
		return c.nodeFilter(f)
	}
	return nodeFilterOf(f)
}

func (c *Culler) roamObjects(depth int, picture *depth.Picture) bool {
	w := c.within
	l := &w.levels[depth]
	v := l.view.Objects()
	if v.Len() == 0 {
		return true
	}
	f := &w.filter
	if depth == 0 {
		f = &w.outer
	}
	filter := c.objectFilter(l, f)
	first := len(c.ranges)
	ok := c.roamTree(l, v, &filter, picture)
	w.tally.HiddenObjects += c.walk.HiddenLanes
	c.count(v, w.heatOf(l, false), ok)
	if !ok {
		return false
	}
	if w.stop && l.queried {
		c.filterInstance(&w.instances[l.instance], first, len(c.ranges), f)
		w.found = len(c.kept) > 0
		return !w.found
	}
	return true
}

// roamTree walks a tree in the space of a level and appends the visible ranges to e.ranges.
func (c *Culler) roamTree(l *partSpace, v linear.View, filter *asm.NodeFilter, picture *depth.Picture) bool {
	s := v.Store()
	if !l.sighted {
		picture = nil
	}
	c.walk.Reset()
	planes := l.frustum.Planes()
	c.planes.Set(&planes, &s.Near, &s.Extent)
	var inside uint32
	if l.inside {
		inside = cull.SeenInside
	}
	if len(s.Nodes.Hot) > 0 {
		c.walk.Queue = append(c.walk.Queue, inside)
	}
	for _, slot := range s.Pending {
		c.walk.Packets = append(c.walk.Packets, slot|inside)
	}
	for !c.walk.Done() {
		c.walk.Nodes(s.Nodes.Hot, &c.planes, filter, &l.lens, picture)
		if picture != nil && !c.within.stop && !c.worthwhile(s, &l.lens, picture) {
			return false
		}
	}
	first := len(c.ranges)
	c.ranges = c.walk.AppendHits(c.ranges, s.Packets.Bounds, c.walk.Packets, &c.planes, &l.lens, picture)
	if c.sum.add(&c.walk, lanesIn(c.ranges[first:])); picture == nil || c.within.stop || c.rest.evaluated ||
		c.sum.nodes < evaluateNodes || c.sum.lanes < evaluatePackets*soa.Lanes {
		return true
	}
	c.rest.evaluated = true
	return c.sum.paidOff()
}

// roamInstances enters the instances of a level with visible boxes, in the order of the walk through the tree of
// instances, then the instances that have outgrown their boxes.
func (c *Culler) roamInstances(depth int, picture *depth.Picture) bool {
	w := c.within
	l := &w.levels[depth]
	instances := l.view.Instances()
	if instances.Len() == 0 {
		return true
	}
	gates := query.Filter{Mask: w.filter.Mask}
	if l.occluders && (gates.Mask != 0 || !l.queried) {
		gates.Mask |= c.cfg.OccluderMask
	}
	filter := nodeFilterOf(&gates)
	first := len(c.ranges)
	ok := c.roamTree(l, instances, &filter, picture)
	w.tally.HiddenInstances += c.walk.HiddenLanes
	c.count(instances, w.heatOf(l, true), ok)
	if !ok {
		return false
	}
	outgrown := l.view.Outgrown()
	l.ids = l.ids[:0]
	p := &instances.Store().Packets
	for _, r := range c.ranges[first:] {
		for m := r.N & 0xffff; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			id := p.IDs[r.First][lane]
			if len(outgrown) > 0 {
				if _, later := slices.BinarySearch(outgrown, id); later {
					continue
				}
			}
			l.ids = append(l.ids, gate{id, p.Masks[r.First][lane]})
		}
	}
	c.ranges = c.ranges[:first]
	for _, id := range outgrown {
		o, _ := instances.Object(id)
		l.ids = append(l.ids, gate{id, o.Mask})
	}
	for _, g := range l.ids {
		if !c.roamInstance(depth, g, picture) {
			return false
		}
	}
	return true
}

// admit sets the next level to an instance of this one, and returns the bounds of its part. It reports false
// if the instance mask passes neither the filter nor occluders, or if the part is empty.
func (c *Culler) admit(depth int, g gate) (bounds soa.AABB, ok bool) {
	w := c.within
	outer, l := &w.levels[depth], &w.levels[depth+1]
	l.queried = outer.queried && (w.filter.Mask == 0 || g.mask&w.filter.Mask != 0)
	l.occluders = outer.occluders && g.mask&c.cfg.OccluderMask != 0
	if !l.queried && !l.occluders {
		return bounds, false
	}
	l.id = g.id
	part, number, transform := outer.view.Instance(g.id)
	l.view, l.part, l.transform = part, number, (*xform.Transform)(transform)
	bounds = l.view.Bounds()
	return bounds, bounds.Min[0] <= bounds.Max[0]
}

// roamInstance enters an instance.
func (c *Culler) roamInstance(depth int, g gate, picture *depth.Picture) bool {
	w := c.within
	bounds, ok := c.admit(depth, g)
	if !ok {
		return true
	}
	outer, l := &w.levels[depth], &w.levels[depth+1]
	w.tally.Instances++
	if !l.enter(outer, &bounds) {
		w.tally.Rejected++
		return true
	}
	if l.into(outer, &c.frame); picture != nil && l.sighted && cull.Hides(&bounds, &l.lens, picture) {
		w.tally.HiddenInstances++
		return true
	}
	return c.roam(depth+1, picture)
}

// filterInstance sets e.kept to the ranges of an instance that pass the filter.
func (c *Culler) filterInstance(s *instance, first, end int, f *query.Filter) {
	c.kept = append(c.kept[:0], c.ranges[first:end]...)
	if f.Mask != 0 || f.Motion != query.AnyMotion || f.Exact || f.Only != nil || f.Exclude != (soa.Handle{}) || c.size.On() {
		c.kept = filterFrustum(&s.frustum, s.objects, f, c.kept)
	}
}

// count counts the walk through a tree, for Explain. ok is false if it was abandoned before its packets.
func (c *Culler) count(v linear.View, heat *query.Heat, ok bool) {
	if c.within.counts {
		c.within.tally.walked(&c.walk, v.Store(), heat, ok)
	}
}

// heatOf returns the heat counts of a tree of a level.
func (w *within) heatOf(l *partSpace, instances bool) *query.Heat {
	switch {
	case w.heat == nil:
		return nil
	case instances:
		return w.heat.Instances[l.part]
	}
	return w.heat.Objects[l.part]
}
