package query

import "github.com/zoctree/zoctree/linear"

// NearestMeets is the number of packets whose hits [Ray.Nearest] looks at, at most:
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
