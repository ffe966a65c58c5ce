package occlude

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Counters tell what an answer took. They are equal on every CPU.
type Counters struct {
	query.Counters // of the walk

	Remembered int // solids of the tree that were large in the last answer and were drawn first
	Occluders  int // all solids of the tree that were drawn
	Drawn      int // solids drawn by hand since Look that may cover something
	Covered    int // pixels that something covers

	// Pause is the number of answers, with this one, until the next one is tried. Unless it is 0 the
	// answer is that of the frustum, and what follows is 0.
	Pause int

	// GaveUp says that the walk ended early, as next to nothing was hidden: what it took is told, and
	// what the frustum took, of which the answer is.
	GaveUp bool

	// Subtrees, packets and objects on the way down that the frustum met and that were left out.
	HiddenNodes, HiddenPackets, HiddenObjects int
}

// Explain makes the answer as [Culler.Append] does and tells what it took, also in heat, unless that is nil. It
// is no answer that counts, and does not renew the memory. It panics if heat was made
// for a smaller tree.
func (e *Culler) Explain(v linear.View, flt query.Filter, heat *query.Heat) Counters {
	_, ok := e.collect(v, &flt, false)
	c, s := &e.tally, v.Store()
	c.walked(&e.walk, s, heat, ok)
	if ok {
		e.narrow(s, &flt)
		c.Ranges = len(e.kept)
	} else {
		c.GaveUp = c.Pause == 0 && (e.cfg.OccluderMask != 0 || !e.open)
		c.Counters = c.Counters.Add(e.frame.frustum.Explain(v, flt, heat))
	}
	c.Occluders = len(e.drawn)
	c.HiddenObjects = e.walk.HiddenLanes
	c.Covered = e.covered()
	return *c
}

// walked counts what a walk did, also in heat, unless that is nil; ok is false if it was given up, and packets
// were not come to, but for a sample.
func (c *Counters) walked(w *asm.Seen, s *soa.Store, heat *query.Heat, ok bool) {
	c.HiddenNodes += w.HiddenNodes
	c.HiddenPackets += w.HiddenPackets
	for _, node := range w.Queue[:w.Head] {
		c.Nodes++
		if heat != nil {
			heat.Nodes[node&^asm.SeenInside]++
		}
	}
	if !ok {
		return
	}
	for _, entry := range w.Packets {
		slot := entry &^ asm.SeenInside
		c.Packets++
		c.Tested += int(s.Packets.Counts[slot])
		if heat != nil {
			heat.Slots[slot]++
		}
	}
}

// covered returns the number of pixels that something covers.
func (e *Culler) covered() (n int) {
	if e.open {
		return 0
	}
	e.settle()
	open := e.frame.open()
	for y := range e.frame.height {
		for _, v := range e.picture.Row(y) {
			if v != open {
				n++
			}
		}
	}
	return n
}
