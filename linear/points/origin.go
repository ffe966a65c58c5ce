package points

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// empty returns empty bounds.
func empty() soa.AABB64 {
	inf := math.Inf(1)
	return soa.AABB64{Min: [3]float64{inf, inf, inf}, Max: [3]float64{-inf, -inf, -inf}}
}

// measure computes the bounds.
func (c *Cloud) measure() {
	c.Bounds = empty()
	for i := range c.raw {
		c.cover(&c.raw[i], &c.raw[i])
	}
	for i := range c.boxes {
		c.cover(&c.boxes[i].Min, &c.boxes[i].Max)
	}
}

// place subtracts the origin: the given one, or one chosen from the bounds.
func (c *Cloud) place(given *[3]float64) {
	c.measure()
	if given == nil {
		chosen := originOf(&c.Bounds)
		given = &chosen
	}
	c.subtract(given)
}

// subtract makes the points and boxes relative to the origin.
func (c *Cloud) subtract(origin *[3]float64) {
	c.Origin = *origin
	if c.raw != nil {
		c.Points = make([][3]float32, len(c.raw))
	}
	for i, p := range c.raw {
		for a, x := range p {
			c.Points[i][a] = float32(x - c.Origin[a])
		}
	}
	if c.boxes != nil {
		c.Boxes = make([]soa.AABB, len(c.boxes))
	}
	for i, b := range c.boxes {
		box := b.Box(c.Origin)
		for a := range 3 {
			box.Min[a] += 0 // rounding down turns 0 into -0
		}
		c.Boxes[i] = box
	}
	c.raw, c.boxes = nil, nil
}

// cover grows the bounds by a box.
func (c *Cloud) cover(lo, hi *[3]float64) {
	for a := range 3 {
		c.Bounds.Min[a] = min(c.Bounds.Min[a], lo[a])
		c.Bounds.Max[a] = max(c.Bounds.Max[a], hi[a])
	}
}

// originOf chooses the origin for bounds: on each axis 0, or a round number near the middle, so that no point is
// farther from it than the longest edge.
func originOf(b *soa.AABB64) (origin [3]float64) {
	if b.Min[0] > b.Max[0] {
		return origin
	}
	longest := 0.0
	for a := range 3 {
		longest = max(longest, b.Max[a]-b.Min[a])
	}
	step := 0.0
	if longest > 0 {
		_, exponent := math.Frexp(longest)
		step = math.Ldexp(1, exponent-1) // in (longest/2, longest]
	}
	for a := range 3 {
		if max(-b.Min[a], b.Max[a]) <= longest {
			continue
		}
		middle := b.Min[a]/2 + b.Max[a]/2
		origin[a] = middle
		if math.Abs(middle) < step*(1<<52) { // else it is a multiple, or there is no step
			origin[a] = math.RoundToEven(middle/step) * step
		}
	}
	return origin
}
