package query

import "github.com/zoctree/zoctree/linear"

// NearestMeets is the number of packets whose hits [Ray.First] looks at, at most:
// what kernels visit before they hand over, and what is met one by one then.
func (r Ray) NearestMeets(v linear.View, f Filter) int {
	s := v.Store()
	c := takeCast(&r.sweep, s, &f)
	defer c.release()
	c.first(&r.sweep, s, &f)
	if c.swift { // it did not hand over
		return len(s.Packets.Counts)
	}
	return swiftVisits + c.met
}

// RayWork is what [Ray.First] did: packets whose hits it looked at one by one, and slots
// that it listed to look for ties at last.
func RayWork(r Ray, v linear.View, f Filter) (hit uint32, met, listed int) {
	s := v.Store()
	c := takeCast(&r.sweep, s, &f)
	defer c.release()
	c.walk.Lists.Packets = c.walk.Lists.Packets[:0]
	m, _ := c.first(&r.sweep, s, &f)
	return m.id(), c.met, len(c.walk.Lists.Packets)
}
