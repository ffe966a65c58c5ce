package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Append appends the IDs of the visible objects to dst and returns it: the objects of the view that
// [Culler.Frustum], with Config.MinSize, and the filter keep, except the ones found hidden. An object is
// hidden if every ray of the image that hits its box enters an occluder before it enters the box; see the
// package comment. With Filter.Exact its sphere and its oriented box take the place of the box.
//
// The order is that of a breadth-first walk, pending packets first; during a pause, and for an abandoned
// query, the order of [query.Frustum.Append]. It is a function of the changes made to the tree, and of the calls
// made on this Culler and their arguments. It allocates when dst lacks room for the result and 16 more.
//
// For the cost see the package comment. The filter selects the results, not the occluders: an object that
// the filter rejects may occlude. The query updates the memory of large occluders, and so do Count, All,
// Ranges and their forms for scenes if they run to completion. Any and Explain do not.
func (c *Culler) Append(dst []uint32, v linear.View, flt query.Filter) []uint32 {
	ok := c.collect(target{objects: v}, &flt, true)
	defer c.release()
	c.remember(ok)
	if !ok {
		return c.frame.frustum.Append(dst, v, flt)
	}
	defer phase.Enter(phase.Visible).Leave()
	if c.keep(0) {
		p := &v.Store().Packets
		dst = cull.EmitIDs(dst, p.IDs, p.Counts, c.kept)
	}
	return dst
}

// Count returns the number of visible objects, without reading IDs.
func (c *Culler) Count(v linear.View, flt query.Filter) int {
	ok := c.collect(target{objects: v}, &flt, true)
	defer c.release()
	c.remember(ok)
	if !ok {
		return c.frame.frustum.Count(v, flt)
	}
	return int(c.countKept())
}

// All returns an iterator over the IDs of the visible objects, in the order of [Culler.Append]. The query
// runs when the iteration starts. Changing the tree during the iteration makes it panic.
func (c *Culler) All(v linear.View, flt query.Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		c.Ranges(v, flt, func(r query.Range) bool {
			p := &v.Store().Packets
			for slot := r.First; slot < r.First+r.Count; slot++ {
				m := uint32(r.Mask)
				if m == 0 {
					m = uint32(1)<<p.Counts[slot] - 1
				}
				for ; m != 0; m &= m - 1 {
					if !yield(p.IDs[slot][bits.TrailingZeros32(m)]) {
						return false
					}
					v.Store() // panics if the tree has changed
				}
			}
			return true
		})
	}
}

// Ranges calls yield with the visible objects as ranges of packet slots, in the order of [Culler.Append],
// until yield returns false. Each range is one packet with a mask; during a pause, and for an abandoned
// query, they are the ranges of [query.Frustum.Ranges]. It reads no IDs. Changing the tree in yield makes it
// panic.
func (c *Culler) Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool) {
	ok := c.collect(target{objects: v}, &flt, true)
	c.busy = true
	defer c.endCallback()
	whole := true
	if !ok {
		c.frame.frustum.Ranges(v, flt, func(r query.Range) bool {
			whole = yield(r)
			return whole
		})
	} else if c.keep(0) {
		for _, r := range c.kept {
			if !yield(query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
				return
			}
			v.Store() // panics if the tree has changed
		}
	}
	if whole {
		c.remember(ok)
	}
}

// Any reports whether an object is visible. It stops at the first one found. It does not count as a query:
// the next one runs as it would have without it. It makes a single pass, so it may return true where Append
// finds all hidden.
func (c *Culler) Any(v linear.View, flt query.Filter) bool {
	found, ok := c.any(target{objects: v}, &flt)
	if !ok {
		return c.frame.frustum.Any(v, flt)
	}
	return found
}

// target is the tree or the scene of a query. A tree is queried as a scene without instances.
type target struct {
	objects linear.View      // the tree, or the scene's own objects
	view    linear.SceneView // zero for a tree
	isScene bool
}

// instance is an instance with results, or with results in instances inside it, and its range of results. The
// first instance is the tree or the scene itself.
type instance struct {
	id, part  uint32
	in        int32            // index of the instance that contains it, or -1
	transform *xform.Transform // nil for the first instance
	objects   linear.View
	view      linear.SceneView
	frustum   query.Frustum
	lens      cull.Lens
	ref       [3]float64 // the reference point of the lens
	identity  bool       // all transforms are translations without rounding
	sighted   bool       // the lens is usable
	inside    bool       // all objects are inside the frustum

	queried, occluders bool // the instance masks pass the filter, or occluders

	row                scene.InstanceRef // in the answer; 0 until it has one
	key                uint64            // of the path
	first, end, before int               // the results are c.ranges[first:end], before the retest [first:before]
}

// results holds the target of the current query, the instances that a walk has entered, and their visible objects.
type results struct {
	target    target
	filter    query.Filter
	sized     bool // the frustum has a minimum size
	instances []instance
	scene     *sceneWalk  // nil until a scene is queried
	ranges    []asm.Range // visible
	kept      []asm.Range // the part of the ranges of an instance that passes the filter
}

// enterTarget begins a walk in a frustum: it makes the target the only instance. queried and occluders are set if the
// walk searches for the results of the query, and for occluders.
func (r *results) enterTarget(f *frame, frustum *query.Frustum, queried, occluders bool) {
	clear(r.instances)
	r.instances, r.ranges = append(r.instances[:0], instance{}), r.ranges[:0]
	s := &r.instances[0]
	s.in, s.objects, s.view, s.frustum = -1, r.target.objects, r.target.view, *frustum
	s.lens, s.ref, s.identity, s.sighted = f.lens, f.ref, true, true
	s.queried, s.occluders = queried, occluders
	if r.target.isScene {
		r.scene.levels[0].top(f, s, frustum)
	}
}

// push lists the instance of a level, below 0.
func (r *results) push(depth int) {
	outer, l := &r.scene.levels[depth-1], &r.scene.levels[depth]
	l.in, l.objects, l.frustum = outer.at, l.view.Objects(), *l.volume
	l.key = (r.instances[l.in].key ^ uint64(l.id) + 1) * 0x9e3779b97f4a7c15
	l.at = int32(len(r.instances))
	r.instances = append(r.instances, l.instance)
}

// path returns the path of an instance.
func (r *results) path(at int32) scene.Path {
	var ids [linear.MaxDepth]uint32
	n := len(ids)
	for s := &r.instances[at]; s.in >= 0; s = &r.instances[s.in] {
		n--
		ids[n] = s.id
	}
	return scene.PathOf(ids[n:]...)
}

// filtered sets r.kept to the visible objects of an instance that pass the filter, and reports whether there
// are any.
func (r *results) filtered(s *instance) bool {
	if !s.queried || s.first == s.end {
		return false
	}
	r.kept = append(r.kept[:0], r.ranges[s.first:s.end]...)
	f := &r.filter
	byID := s.in < 0 && (f.Only != nil || f.Exclude != (soa.Handle{})) // IDs and handles of the target itself
	if byID || f.Mask != 0 || f.Motion != query.AnyMotion || f.Exact || r.sized {
		keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact}
		if byID {
			if keep.Only = f.Only; f.Exclude.Gen != 0 {
				keep.ExcludeAt(s.objects.LocateHandle(f.Exclude))
			}
		}
		r.kept = (*walk.Frustum)(&s.frustum).FilterExact(s.objects.Store(), &keep, r.kept)
	}
	return len(r.kept) > 0
}

// countKept returns the number of visible objects that pass the filter.
func (c *Culler) countKept() (n uint64) {
	for i := range c.instances {
		if c.keep(int32(i)) {
			n += uint64(cull.CountRanges(c.instances[i].objects.Store().Packets.Counts, c.kept))
		}
	}
	return n
}

// rowOf returns the row of an instance in the answer.
func (r *results) rowOf(a *scene.Answer, at int32) scene.InstanceRef {
	s := &r.instances[at]
	if s.in >= 0 && s.row == 0 {
		s.row = a.Enter(r.rowOf(a, s.in), s.id, s.part, (*linear.Transform)(s.transform))
	}
	return s.row
}

// release drops all references to data of the caller, of the tree and of the scene.
func (r *results) release() {
	clear(r.instances)
	r.instances = r.instances[:0]
	r.target, r.filter = target{}, query.Filter{}
	if r.scene != nil {
		r.scene.release()
	}
}
