package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// AppendScene appends the visible objects of a scene with instancing, and of the parts in it, to a;
// it is [Culler.Append] for scenes. An instance is tested by its box, its objects in the space of the part.
//
// The filter has the meaning that it has in [scene.Append]. Occluders are the objects with a bit of
// Config.OccluderMask, if the masks of all instances on their path have one, too. They occlude by their boxes
// and oriented boxes under their transforms.
//
// The scene's own objects are first, then the objects of parts by instance, as in [scene.Append]; within a
// tree the order is that of a breadth-first walk. During a pause, and for an abandoned query, the order is
// the order of scene.Append. Results and order are a function of the changes and the calls.
//
// It allocates only while the answer lacks room, and in the first frames.
func (c *Culler) AppendScene(a *scene.Answer, v linear.SceneView, flt query.Filter) {
	ok := c.collect(target{v.Objects(), v, true}, &flt, true)
	defer c.release()
	c.remember(ok)
	if !ok {
		scene.Append(a, c.frame.frustum, v, flt)
		return
	}
	for i := range c.instances {
		s := &c.instances[i]
		if !c.keep(int32(i)) {
			continue
		}
		p := &s.objects.Store().Packets
		row := c.rowOf(a, int32(i))
		a.IDs = cull.EmitIDs(a.IDs, p.IDs, p.Counts, c.kept)
		a.End(row)
	}
}

// CountScene returns the number of visible objects of a scene. Objects of a part count once per instance.
func (c *Culler) CountScene(v linear.SceneView, flt query.Filter) (n uint64) {
	ok := c.collect(target{v.Objects(), v, true}, &flt, true)
	defer c.release()
	c.remember(ok)
	if !ok {
		return scene.Count(c.frame.frustum, v, flt)
	}
	return c.countKept()
}

// AllScene returns an iterator over the visible objects of a scene, with the paths of their instances, in the
// order of [Culler.AppendScene]. The query runs when the iteration starts. Changing the scene during the
// iteration makes it panic.
func (c *Culler) AllScene(v linear.SceneView, flt query.Filter) iter.Seq2[scene.Path, uint32] {
	return func(yield func(scene.Path, uint32) bool) {
		ok := c.collect(target{v.Objects(), v, true}, &flt, true)
		w := c.scene
		c.busy = true
		defer c.endCallback()
		if !ok {
			w.view, w.each, w.whole = v, yield, true
			scene.Ranges(c.frame.frustum, v, flt, w.passEach)
			if w.whole {
				c.remember(false)
			}
			return
		}
		for i := range c.instances {
			s := &c.instances[i]
			if !c.keep(int32(i)) {
				continue
			}
			path, p := c.path(int32(i)), &s.objects.Store().Packets
			for _, r := range c.kept {
				for m := r.N & 0xffff; m != 0; m &= m - 1 {
					if !yield(path, p.IDs[r.First][bits.TrailingZeros32(m)]) {
						return
					}
					v.Objects() // panics if the scene has changed
				}
			}
		}
		c.remember(true)
	}
}

// endCallback ends a callback.
func (c *Culler) endCallback() {
	c.busy = false
	c.release()
}

// RangesScene calls yield with the visible objects of a scene as ranges of packet slots, in the order of
// [Culler.AppendScene], until yield returns false: see [scene.Ranges]. Changing the scene in yield makes it
// panic.
func (c *Culler) RangesScene(v linear.SceneView, flt query.Filter, yield func(scene.Part, query.Range) bool) {
	ok := c.collect(target{v.Objects(), v, true}, &flt, true)
	w := c.scene
	c.busy = true
	defer c.endCallback()
	if !ok {
		w.part, w.whole = yield, true
		scene.Ranges(c.frame.frustum, v, flt, w.passPart)
		if w.whole {
			c.remember(false)
		}
		return
	}
	for i := range c.instances {
		s := &c.instances[i]
		if !c.keep(int32(i)) {
			continue
		}
		part := scene.Part{Path: c.path(int32(i)), View: s.view, Number: s.part}
		for _, r := range c.kept {
			if !yield(part, query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
				return
			}
			v.Objects()
		}
	}
	c.remember(true)
}

// AnyScene reports whether an object of a scene is visible: see [Culler.Any].
func (c *Culler) AnyScene(v linear.SceneView, flt query.Filter) bool {
	found, ok := c.any(target{v.Objects(), v, true}, &flt)
	if !ok {
		return scene.Any(c.frame.frustum, v, flt)
	}
	return found
}

// SceneCounters counts the work of a query of a scene. The counts are equal on every CPU.
type SceneCounters struct {
	// Counters sums the walks of all trees, of objects and of instances. HiddenObjects counts no instances.
	Counters

	// Instances is the number of instances with visible boxes. Rejected of them had nothing in the frustum.
	// HiddenInstances counts hidden instances: those with hidden boxes, and the hidden ones among Instances.
	// The others were entered.
	Instances, Rejected, HiddenInstances int
}

// ExplainScene runs the query of [Culler.AppendScene] and returns its counters; it also adds to heat, unless
// heat is nil: see [Culler.Explain].
func (c *Culler) ExplainScene(v linear.SceneView, flt query.Filter, heat *scene.Heat) SceneCounters {
	return c.explained(target{v.Objects(), v, true}, &flt, explain{on: true, scene: heat}, func() query.Counters {
		return scene.Explain(c.frame.frustum, v, flt, heat).Counters
	})
}
