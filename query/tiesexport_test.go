package query

import "github.com/zoctree/zoctree/linear"

// NearestMeets is the number of packets whose hits [Ray.Nearest] looks at.
func (r Ray) NearestMeets(v linear.View, f Filter) int {
	s := v.Store()
	c := takeCast(&r.sweep, s, &f)
	defer c.release()
	c.first(&r.sweep, s, &f, false)
	return c.met
}
