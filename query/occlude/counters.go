package occlude

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Counters tell what an answer took. They are equal on every CPU.
type Counters struct {
	query.Counters // of the walk

	Remembered int // solids of the tree that were large in the last answer and were drawn first
	Solids     int // all solids of the tree that were drawn
	Drawn      int // solids drawn by hand since Look that may cover something
	Covered    int // pixels that something covers

	// Subtrees, packets and objects on the way down that the frustum met and that were left out.
	HiddenNodes, HiddenPackets, HiddenObjects int
}

// Explain makes the answer as [Eye.Append] does and tells what it took, also in heat, unless that is nil. It
// is no answer that counts, and does not renew the memory. It panics if heat was made
// for a smaller tree.
func (e *Eye) Explain(v linear.View, flt query.Filter, heat *query.Heat) Counters {
	e.collect(v, &flt, false)
	c, s := &e.tally, v.Store()
	e.narrow(s, &flt)
	for _, node := range e.walk.Queue {
		c.Nodes++
		if heat != nil {
			heat.Nodes[node&^asm.SeenInside]++
		}
	}
	for _, entry := range e.walk.Packets {
		slot := entry &^ asm.SeenInside
		c.Packets++
		c.Tested += int(s.Packets.Counts[slot])
		if heat != nil {
			heat.Slots[slot]++
		}
	}
	c.Ranges = len(e.kept)
	c.Solids = len(e.drawn)
	c.HiddenNodes, c.HiddenPackets, c.HiddenObjects = e.walk.HiddenNodes, e.walk.HiddenPackets, e.walk.HiddenLanes
	open := e.frame.open()
	for y := range e.frame.height {
		for _, v := range e.picture.Row(y) {
			if v != open {
				c.Covered++
			}
		}
	}
	return *c
}
