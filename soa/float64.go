package soa

import "math"

// AABB64 is an axis-aligned box in float64: the closed set of points p with Min[a] <= p[a] <=
// Max[a] on each axis. A tree holds float32. A world that needs more digits keeps an origin of its
// own and stores boxes relative to it.
type AABB64 struct {
	Min, Max [3]float64
}

// Box returns the box relative to an origin, as the smallest float32 box that contains the exact
// difference. Each side grows by less than one step of float32, so queries have no false negatives.
// Bounds beyond float32 become infinite; [AABB.Check], and so every tree, rejects them, NaN and
// inverted boxes. A zero is never -0.
func (b AABB64) Box(origin [3]float64) (r AABB) {
	for a := range 3 {
		r.Min[a] = Below(b.Min[a], origin[a])
		r.Max[a] = Above(b.Max[a], origin[a])
	}
	return r
}

// Below returns the largest float32 that is at most x - origin in exact arithmetic. The result is
// -Inf if all finite values are larger, infinite if the difference is beyond float64, and never -0.
func Below(x, origin float64) float32 { return 0 - Above(-x, -origin) } // -Above would make -0 of 0

// Above returns the smallest float32 that is at least x - origin in exact arithmetic. The result is
// +Inf if all finite values are smaller, infinite if the difference is beyond float64, and never -0.
func Above(x, origin float64) float32 {
	// The exact difference is d + e (D. Knuth, TwoSum).
	d := x - origin
	v := d - x
	e := (x - (d - v)) + (-origin - v)
	f := float32(d)
	// The error d - f is exact, and is 0 or of larger magnitude than e. A branch on its sign would
	// be unpredictable.
	bits := math.Float32bits(f)
	next := math.Float32bits(f + 0) // -0 becomes 0
	next += 1 - next>>31<<1
	if (d-float64(f))+e > 0 {
		bits = next
	}
	return math.Float32frombits(bits) + 0
}

// around returns Below(c, r) and Above(c, -r) in less time.
func around(c, r float64) (lo, hi float32) {
	d, u := c+r, c-r
	v, w := d-c, u-c
	e, h := (c-(d-v))+(r-v), (c-(u-w))+(-r-w)
	f, g := float32(d), -float32(u)
	up, down := math.Float32bits(f), math.Float32bits(g)
	next, past := math.Float32bits(f+0), math.Float32bits(g+0)
	next += 1 - next>>31<<1
	past += 1 - past>>31<<1
	if (d-float64(f))+e > 0 {
		up = next
	}
	if (u+float64(g))+h < 0 {
		down = past
	}
	return 0 - math.Float32frombits(down), math.Float32frombits(up) + 0
}
