package occlude

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Counters are the work counters of an occlusion query. The counts are equal on every CPU.
type Counters struct {
	query.Counters // of the walk

	Remembered int // occluders of the tree that were large in the last query and were drawn first
	Occluders  int // all occluders of the tree that were drawn
	Drawn      int // occluders drawn by the program since SetCamera that may cover a pixel
	Covered    int // pixels covered by an occluder

	// Pause is the number of queries, including this one, until occlusion is tried again. Unless it is 0, the
	// result is the frustum's, and the fields below are 0.
	Pause int

	// Abandoned reports that the walk ended early because next to nothing was hidden. The counts include the
	// abandoned walk and the frustum query that made the result. They also include a first walk that was repeated
	// because the occluders of the last query hid next to nothing.
	Abandoned bool

	// HiddenNodes, HiddenPackets and HiddenObjects are the numbers of subtrees, packets and objects that the
	// walk found in the frustum and culled as hidden.
	HiddenNodes, HiddenPackets, HiddenObjects int

	// HiddenBounds is the number of objects with visible boxes that Filter.Exact culled, because their spheres
	// or oriented boxes are hidden.
	HiddenBounds int
}

// Explain runs the query of [Culler.Append] and returns its counters; it also adds to heat, unless heat is
// nil. It does not count as a query and does not update the memory. It panics if heat was made for a smaller
// tree.
func (c *Culler) Explain(v linear.View, flt query.Filter, heat *query.Heat) Counters {
	return c.explained(target{objects: v}, &flt, explain{on: true, tree: heat}, func() query.Counters {
		return c.frame.frustum.Explain(v, flt, heat)
	}).Counters
}

// explain is how a query is counted.
type explain struct {
	on    bool
	tree  *query.Heat // of a tree, or nil
	scene *scene.Heat // of a scene, or nil
}

// explained runs a query and returns its counters. fallback runs the frustum query of a query that is paused or
// abandoned.
func (c *Culler) explained(t target, f *query.Filter, how explain, fallback func() query.Counters) SceneCounters {
	c.checkNotBusy()
	defer func() {
		c.explain = explain{}
		c.release()
	}()
	c.explain = how
	ok := c.collect(t, f, false)
	counters := c.tally
	counters.Occluders, counters.Covered = len(c.drawn), c.buffer.covered()
	if !ok {
		counters.Abandoned = counters.Pause == 0 && (c.cfg.OccluderMask != 0 || !c.buffer.open)
		counters.Counters.Counters = counters.Counters.Counters.Add(fallback())
		return counters
	}
	for i := range c.instances {
		if c.keep(int32(i)) {
			counters.Ranges += len(c.kept)
		}
	}
	counters.HiddenBounds = c.tally.HiddenBounds
	return counters
}

// count counts the walk through a tree of an instance. ok is false if it was abandoned before its packets.
func (e *explain) count(to *Counters, w *cull.VisibleWalk, s *instance, v linear.View, ofInstances, ok bool) {
	if !e.on {
		return
	}
	heat := e.tree
	if h := e.scene; h != nil {
		if heat = h.Objects[s.part]; ofInstances {
			heat = h.Instances[s.part]
		}
	}
	to.walked(w, v.Store(), heat, ok)
}

// walked counts the work of a walk, also in heat, unless heat is nil. ok is false if the walk was abandoned:
// its packets were not tested, apart from a sample.
func (c *Counters) walked(w *cull.VisibleWalk, s *soa.Store, heat *query.Heat, ok bool) {
	c.HiddenNodes += w.HiddenNodes
	c.HiddenPackets += w.HiddenPackets
	for _, node := range w.Queue[:w.Head] {
		c.Nodes++
		if heat != nil {
			heat.Nodes[node&^cull.InsideFlag]++
		}
	}
	if !ok {
		return
	}
	for _, entry := range w.Packets {
		slot := entry &^ cull.InsideFlag
		c.Packets++
		c.Tested += int(s.Packets.Counts[slot])
		if heat != nil {
			heat.Slots[slot]++
		}
	}
}
