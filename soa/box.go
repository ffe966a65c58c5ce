package soa

// A box is a closed set of points. A box that is inverted on an axis or has a NaN is empty
// ([AABB.IsEmpty]): it holds no point, has size and area 0, and its intersections are empty. Trees
// reject both ([AABB.Check]).

// BoxAround returns the axis-aligned box from center - half to center + half: a cube if the three
// components of half are equal. Bounds are rounded outward, so that the result contains the exact
// box; for a ball use [Ball.Box]. Bounds beyond float32 are infinite, a NaN gives NaN, and a
// negative half gives an inverted box, unless it is less than a step of float32 at the center, which
// the rounding may undo. Like all box helpers it takes a few nanoseconds and does not allocate.
func BoxAround(center, half [3]float32) (b AABB) {
	for a, c := range center {
		b.Min[a], b.Max[a] = less(c, half[a]), more(c, half[a])
	}
	return b
}

// BoxOf returns the smallest axis-aligned box that contains the points, and [Empty] without points. A NaN makes
// the bounds on its axis NaN. The time is proportional to the number of points.
func BoxOf(points ...[3]float32) AABB {
	b := Empty()
	for i := range points {
		p := &points[i]
		for a := range 3 {
			b.Min[a], b.Max[a] = min(b.Min[a], p[a]), max(b.Max[a], p[a])
		}
	}
	return b
}

// IsEmpty reports whether the box holds no point: it is inverted on an axis or has a NaN. A box
// without extent holds one point and is not empty.
func (b AABB) IsEmpty() bool {
	return !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2])
}

// ContainsPoint reports whether the point is in the closed box; faces count as inside. A point with
// a NaN is in no box.
func (b AABB) ContainsPoint(p [3]float32) bool {
	return b.Min[0] <= p[0] && p[0] <= b.Max[0] &&
		b.Min[1] <= p[1] && p[1] <= b.Max[1] &&
		b.Min[2] <= p[2] && p[2] <= b.Max[2]
}

// Intersect returns the intersection of two boxes, or [Empty] if they are disjoint. The result is
// exact.
func (b AABB) Intersect(o AABB) AABB {
	for a := range 3 {
		b.Min[a], b.Max[a] = max(b.Min[a], o.Min[a]), min(b.Max[a], o.Max[a])
	}
	if b.IsEmpty() {
		return Empty()
	}
	return b
}

// Grow returns the box with each face moved outward by the given distance, or inward if it is
// negative. Bounds are rounded outward, so that the result contains the exact box; beyond float32
// they are infinite. Shrinking by more than half the size and a step of float32 gives an inverted and so empty box.
// [Empty] stays as it is; an infinite or NaN distance makes it NaN.
func (b AABB) Grow(by float32) AABB {
	for a := range 3 {
		b.Min[a], b.Max[a] = less(b.Min[a], by), more(b.Max[a], by)
	}
	return b
}

// Translate returns the box moved along a vector. Sums are rounded to the nearest float32, not
// outward, so a box that moves back and forth does not grow. Its size changes by at most a step of
// float32, and it never becomes inverted. Bounds beyond float32 are infinite. [Empty] stays as it
// is unless the vector is infinite or NaN.
func (b AABB) Translate(by [3]float32) AABB {
	for a := range 3 {
		b.Min[a] += by[a]
		b.Max[a] += by[a]
	}
	return b
}

// Size returns the edge lengths, Max - Min rounded to the nearest float32, +Inf beyond float32. The
// size of an empty box is zero.
func (b AABB) Size() (s [3]float32) {
	if b.IsEmpty() {
		return s
	}
	for a := range 3 {
		s[a] = b.Max[a] - b.Min[a]
	}
	return s
}

// Area returns the surface area, 2(xy + yz + zx) of the edge lengths. It is 0 for a point, a
// segment and an empty box, and twice the area of a flat box. It is computed in float64 and rounded
// once, to within a step of float32. It is +Inf beyond float32, and NaN for a box with one infinite
// and one zero edge.
func (b AABB) Area() float32 {
	if b.IsEmpty() {
		return 0
	}
	var s [3]float64
	for a := range 3 {
		s[a] = float64(b.Max[a]) - float64(b.Min[a])
	}
	return float32(2 * (float64(s[0]*s[1]) + float64(s[1]*s[2]) + float64(s[2]*s[0])))
}

// less returns the largest float32 that is at most x - by; more returns the smallest one that is at
// least x + by. Zeros are +0.
func less(x, by float32) float32 { return Below(float64(x), float64(by)) + 0 }
func more(x, by float32) float32 { return Above(float64(x), -float64(by)) + 0 }
