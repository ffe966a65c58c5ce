package soa

import "math"

// AABB64 is a box in float64: the closed set of points p with Min[a] <= p[a] <=
// Max[a] on each axis. A tree holds float32; worlds that need more digits keep
// an origin of their own and store boxes relative to it.
type AABB64 struct {
	Min, Max [3]float64
}

// Box returns the box relative to an origin: the smallest float32 box that holds
// the exact difference, so nothing is lost and each side grows by less than one
// step of float32. What is beyond float32 becomes infinite, which [AABB.Check],
// and so every tree, refuses; so do NaN and inverted boxes. A zero is never -0.
func (b AABB64) Box(origin [3]float64) (r AABB) {
	for a := range 3 {
		r.Min[a] = Below(b.Min[a], origin[a])
		r.Max[a] = Above(b.Max[a], origin[a])
	}
	return r
}

// Below returns the largest float32 that is at most x - origin in exact
// arithmetic; -Inf if that is below all finite ones, and never -0.
func Below(x, origin float64) float32 { return 0 - Above(-x, -origin) } // -Above would make -0 of 0

// Above returns the smallest float32 that is at least x - origin in exact
// arithmetic; +Inf if that is above all finite ones, and never -0.
func Above(x, origin float64) float32 {
	// The difference is d + e exactly (D. Knuth, TwoSum).
	d := x - origin
	v := d - x
	e := (x - (d - v)) + (-origin - v)
	f := float32(d)
	// What f lacks of d is exact, and 0 or more than e by size. Whether it lacks anything
	// is as good as random: no branch.
	bits := math.Float32bits(f)
	next := math.Float32bits(f + 0) // -0 becomes 0
	next += 1 - next>>31<<1
	if (d-float64(f))+e > 0 {
		bits = next
	}
	return math.Float32frombits(bits) + 0
}
