package query

import "github.com/zoctree/zoctree/linear"

// NearestMeets is the maximum number of packets whose hits [Ray.First] reads: the packets that kernels visit before
// they hand over, and the packets read one by one after that.
func (r Ray) NearestMeets(v linear.View, f Filter) int {
	s := v.Store()
	c := takeCast(&r.sweep, s, &f)
	defer c.release()
	c.first(&r.sweep, s, &f)
	if c.swift { // it did not hand over
		return len(s.Packets.Counts)
	}
	return swiftVisits + c.packetsHit
}

// RayWork is the work of [Ray.First]: packets whose hits it read one by one, and slots that it listed to search for
// ties at last.
func RayWork(r Ray, v linear.View, f Filter) (hit uint32, met, listed int) {
	s := v.Store()
	c := takeCast(&r.sweep, s, &f)
	defer c.release()
	c.walk.Lists.Packets = c.walk.Lists.Packets[:0]
	m, _ := c.first(&r.sweep, s, &f)
	return m.id(), c.packetsHit, len(c.walk.Lists.Packets)
}
