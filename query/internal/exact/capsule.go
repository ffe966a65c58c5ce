package exact

import "github.com/zoctree/zoctree/soa"

// Capsule is the set of points within a radius of a segment.
type Capsule struct {
	Box    soa.AABB   // box that contains the capsule
	from   [3]float64 // start of the segment
	dir    [3]float64 // from there to the end
	radius float64
	off    float64 // bound of the rounding errors of distances
}

// offSize is the bound of the rounding errors of a distance, in the size of the box around a shape: the sum of its
// edges.
const offSize = 0x1p-46

// Set sets c to the capsule about a segment.
func (c *Capsule) Set(from, to *[3]float32, radius float32) {
	c.radius = float64(radius)
	size := 0.0
	for k := range 3 {
		lo, hi := float64(min(from[k], to[k])), float64(max(from[k], to[k]))
		c.from[k], c.dir[k] = float64(from[k]), float64(to[k])-float64(from[k])
		c.Box.Min[k], c.Box.Max[k] = soa.Below(lo, c.radius), soa.Above(hi, -c.radius)
		size += hi - lo + 2*c.radius
	}
	c.off = size * offSize
}

// clipped returns the part of a box in another one, relative to a point; ok is false if there is none.
func clipped(box, within *soa.AABB, from *[3]float64) (lo, hi [3]float64, ok bool) {
	for k := range 3 {
		x, y := max(box.Min[k], within.Min[k]), min(box.Max[k], within.Max[k])
		if x > y {
			return lo, hi, false
		}
		lo[k], hi[k] = float64(x)-from[k], float64(y)-from[k]
	}
	return lo, hi, true
}

// Relate writes the relations of boxes.
func (c *Capsule) Relate(boxes []soa.AABB, to []Relation) {
	for i := range boxes {
		to[i] = c.relation(&boxes[i])
	}
}

// relation returns the relation of a box to the capsule. Outside and Inside are certain. Of the part of the box in
// c.Box, the nearest points of segment and box give a direction; the box is outside if the two are apart along it by
// more than the radius and the rounding errors.
func (c *Capsule) relation(box *soa.AABB) Relation {
	lo, hi, ok := clipped(box, &c.Box, &c.from)
	if !ok {
		return Outside
	}
	n := c.gap(c.nearest(&lo, &hi), &lo, &hi)
	length := Length(&n)
	apart, far := min(Dot(n, c.dir), 0), 0.0
	for k, x := range n {
		far += max(float64(x*lo[k]), float64(x*hi[k]))
	}
	switch {
	case length > 0 && apart-far > float64((c.radius+c.off)*length):
		return Outside
	case c.Box.Contains(*box) && c.holds(&lo, &hi):
		return Inside
	}
	return Partly
}

// gap returns the vector to a point of the segment, t of its length from the start, from the nearest point of a box.
func (c *Capsule) gap(t float64, lo, hi *[3]float64) (e [3]float64) {
	for k, d := range c.dir {
		x := float64(t * d)
		e[k] = x - min(max(x, lo[k]), hi[k])
	}
	return e
}

// nearest returns the point of the segment that is nearest to a box. The derivative of the squared distance along the
// segment rises, linear between the points that pass a face of the box.
func (c *Capsule) nearest(lo, hi *[3]float64) float64 {
	slope := func(t float64) float64 { return Dot(c.dir, c.gap(t, lo, hi)) }
	t0, t1 := 0.0, 1.0
	s0, s1 := slope(t0), slope(t1)
	if s0 >= 0 {
		return t0
	}
	if s1 <= 0 {
		return t1
	}
	for k, d := range c.dir {
		for _, face := range [2]float64{lo[k], hi[k]} {
			if t := face / d; t > t0 && t < t1 { // not NaN or infinite
				if s := slope(t); s < 0 {
					t0, s0 = t, s
				} else {
					t1, s1 = t, s
				}
			}
		}
	}
	if s1 == 0 {
		return t1
	}
	return t0 + float64((t1-t0)*(s0/(s0-s1)))
}

// holds reports whether the corners of a box, and so all of it, are surely in the capsule.
func (c *Capsule) holds(lo, hi *[3]float64) bool {
	r := c.radius - c.off
	square := Dot(c.dir, c.dir)
	for i := range 8 {
		p := [3]float64{lo[0], lo[1], lo[2]}
		for k := range p {
			if i>>k&1 != 0 {
				p[k] = hi[k]
			}
		}
		t := 0.0
		if square > 0 {
			t = min(max(Dot(p, c.dir)/square, 0), 1)
		}
		for k, d := range c.dir {
			p[k] -= float64(t * d)
		}
		if !(Length(&p) <= r) {
			return false
		}
	}
	return true
}
