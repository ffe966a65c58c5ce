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

// sceneWalk is the state of a walk through the instances of a scene.
type sceneWalk struct {
	levels [linear.MaxDepth + 1]partSpace

	view     linear.SceneView                   // the scene, when a frustum query makes the result
	each     func(scene.Path, uint32) bool      // the caller's callback, when a frustum query makes the result
	part     func(scene.Part, query.Range) bool // the same
	whole    bool                               // no callback has returned false
	passEach func(scene.Part, query.Range) bool // calls each; passPart calls part
	passPart func(scene.Part, query.Range) bool
}

func newSceneWalk() *sceneWalk {
	w := new(sceneWalk)
	w.passEach = func(p scene.Part, r query.Range) bool {
		packets := &p.View.Objects().Store().Packets
		for slot := r.First; slot < r.First+r.Count; slot++ {
			m := uint32(1)<<packets.Counts[slot] - 1
			if r.Mask != 0 {
				m = uint32(r.Mask)
			}
			for ; m != 0; m &= m - 1 {
				if w.whole = w.each(p.Path, packets.IDs[slot][bits.TrailingZeros32(m)]); !w.whole {
					return false
				}
				w.view.Objects() // panics if the scene has changed
			}
		}
		return true
	}
	w.passPart = func(p scene.Part, r query.Range) bool {
		w.whole = w.part(p, r)
		return w.whole
	}
	return w
}

// release drops all references to data of the caller and of the scene.
func (w *sceneWalk) release() {
	for i := range w.levels {
		l := &w.levels[i]
		l.instance, l.form, l.volume = instance{}, nil, nil
	}
	w.view, w.each, w.part = linear.SceneView{}, nil, nil
}

// walkInstances enters the instances of a level with visible boxes, in the order of the walk through the tree of
// instances, then the instances that have outgrown their boxes. A tree has none.
func (c *Culler) walkInstances(depth int, picture *depth.Picture) bool {
	if !c.target.isScene {
		return true
	}
	l := &c.scene.levels[depth]
	s := &c.instances[l.at]
	instances := l.view.Instances()
	if instances.Len() == 0 {
		return true
	}
	gates := c.filter.Mask
	if l.occluders && (gates != 0 || !l.queried) {
		gates |= c.cfg.OccluderMask
	}
	filter := nodeFilter(gates, query.AnyMotion)
	first := len(c.ranges)
	ok := c.walkTree(s, instances, &filter, picture)
	c.tally.HiddenInstances += c.walk.HiddenLanes
	c.explain.count(&c.tally.Counters, &c.walk, s, instances, true, ok)
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
			l.ids = append(l.ids, gate{id, p.MaskAt(r.First, lane)})
		}
	}
	c.ranges = c.ranges[:first]
	for _, id := range outgrown {
		o, _ := instances.Object(id)
		l.ids = append(l.ids, gate{id, o.Mask})
	}
	for _, g := range l.ids {
		if !c.walkInstance(depth, g, picture) {
			return false
		}
	}
	return true
}

// admit sets the next level to an instance of this one, and returns the bounds of its part. It reports false
// if the instance mask passes neither the filter nor occluders, or if the part is empty.
func (c *Culler) admit(depth int, g gate) (bounds soa.AABB, ok bool) {
	outer, l := &c.scene.levels[depth], &c.scene.levels[depth+1]
	l.queried = outer.queried && (c.filter.Mask == 0 || g.mask&c.filter.Mask != 0)
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

// walkInstance enters an instance and leaves its visible objects, and those of the instances in it, in the
// instances and c.ranges. It reports false if the walk is to end.
func (c *Culler) walkInstance(depth int, g gate, picture *depth.Picture) bool {
	bounds, ok := c.admit(depth, g)
	if !ok {
		return true
	}
	outer, l := &c.scene.levels[depth], &c.scene.levels[depth+1]
	c.tally.Instances++
	if !l.enter(outer, &bounds) {
		c.tally.Rejected++
		return true
	}
	if l.into(outer, &c.frame); picture != nil && l.sighted && cull.Hides(&bounds, &l.lens, picture) {
		c.tally.HiddenInstances++
		return true
	}
	c.push(depth + 1)
	at := l.at
	more := c.walkObjects(at, picture) && c.walkInstances(depth+1, picture)
	if s := &c.instances[at]; int(at) == len(c.instances)-1 && s.first == s.end && !c.hasPartShape(at) {
		*s = instance{} // release clears only those listed
		c.instances = c.instances[:at]
	}
	return more
}

// follow sets the levels to those of a path, of which the first depth levels are right, as far as such
// instances exist and may contain occluders. It returns the depth that it reached.
func (c *Culler) follow(path scene.Path, depth int) int {
	for ; depth < path.Len(); depth++ {
		instances := c.scene.levels[depth].view.Instances()
		o, ok := linear.Object{}, false
		if instances.Len() > 0 {
			o, ok = instances.Object(path.At(depth))
		}
		if !ok {
			break
		}
		if _, ok := c.admit(depth, gate{path.At(depth), o.Mask}); !ok || !c.scene.levels[depth+1].occluders {
			break
		}
		l := &c.scene.levels[depth+1]
		l.volume = c.scene.levels[depth].volume // not used by remembered occluders
		l.into(&c.scene.levels[depth], &c.frame)
		c.push(depth + 1)
	}
	return depth
}

// listInstances makes the large occluders of a scene in a frustum the candidates, and returns the number of all
// of them, small ones included.
func (c *Culler) listInstances(frustum *query.Frustum) (n int) {
	explain, tally := c.explain, c.tally
	c.explain.on = false
	c.enterTarget(&c.frame, frustum, false, true)
	c.walkObjects(0, nil)
	c.walkInstances(0, nil)
	c.explain, c.tally, c.sum = explain, tally, tested{}
	c.candidates = c.candidates[:0]
	for i := range c.instances {
		s := &c.instances[i]
		if before := len(c.candidates); c.parts != nil {
			c.addPart(int32(i))
			n += len(c.candidates) - before
		}
		if s.first == s.end {
			continue
		}
		p := &s.objects.Store().Packets
		for _, r := range c.ranges[s.first:s.end] {
			m := asm.PacketMaskLanes(p, r.First, c.cfg.OccluderMask) & r.N
			n += bits.OnesCount16(uint16(m))
			if s.sighted {
				c.addCandidates(s, int32(i), p, r.First, m)
			}
		}
	}
	return n
}
