package occlude

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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
	// abandoned walk and the frustum query that made the result.
	Abandoned bool

	// HiddenNodes, HiddenPackets and HiddenObjects are the numbers of subtrees, packets and objects that the
	// walk found in the frustum and culled as hidden.
	HiddenNodes, HiddenPackets, HiddenObjects int
}

// Explain runs the query of [Culler.Append] and returns its counters; it also adds to heat, unless heat is
// nil. It does not count as a query and does not update the memory. It panics if heat was made for a smaller
// tree.
func (c *Culler) Explain(v linear.View, flt query.Filter, heat *query.Heat) Counters {
	_, ok := c.collect(v, &flt, false)
	counters, s := &c.tally, v.Store()
	counters.walked(&c.walk, s, heat, ok)
	if ok {
		c.filterExact(v, &flt)
		counters.Ranges = len(c.kept)
	} else {
		counters.Abandoned = counters.Pause == 0 && (c.cfg.OccluderMask != 0 || !c.open)
		counters.Counters = counters.Counters.Add(c.frame.frustum.Explain(v, flt, heat))
	}
	counters.Occluders = len(c.drawn)
	counters.HiddenObjects = c.walk.HiddenLanes
	counters.Covered = c.covered()
	return *counters
}

// walked counts the work of a walk, also in heat, unless heat is nil. ok is false if the walk was abandoned:
// its packets were not tested, apart from a sample.
func (c *Counters) walked(w *cull.Seen, s *soa.Store, heat *query.Heat, ok bool) {
	c.HiddenNodes += w.HiddenNodes
	c.HiddenPackets += w.HiddenPackets
	for _, node := range w.Queue[:w.Head] {
		c.Nodes++
		if heat != nil {
			heat.Nodes[node&^cull.SeenInside]++
		}
	}
	if !ok {
		return
	}
	for _, entry := range w.Packets {
		slot := entry &^ cull.SeenInside
		c.Packets++
		c.Tested += int(s.Packets.Counts[slot])
		if heat != nil {
			heat.Slots[slot]++
		}
	}
}

// covered returns the number of covered pixels.
func (c *Culler) covered() (n int) {
	if c.open {
		return 0
	}
	c.settle()
	open := c.frame.open()
	for y := range c.frame.height {
		for _, v := range c.depth.Row(y) {
			if v != open {
				n++
			}
		}
	}
	return n
}
