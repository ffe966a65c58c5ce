package soa

// Boxes are sets of points here. One that is inverted on an axis, or has a NaN, holds no
// point: it is empty ([AABB.IsEmpty]), has no size and no area, and meets nothing. Trees
// refuse both ([AABB.Check]).

// BoxAround returns the box from center - half to center + half: a cube when the three
// numbers of half are one radius. Bounds are rounded outward, so that it holds the exact
// box; those of a ball are [Ball.Box]. Beyond float32 they are infinite, with a NaN they
// are NaN, with a negative half the box is inverted. It costs a few nanoseconds and does
// not allocate, as all helpers of boxes.
func BoxAround(center, half [3]float32) (b AABB) {
	for a, c := range center {
		b.Min[a], b.Max[a] = less(c, half[a]), more(c, half[a])
	}
	return b
}

// BoxOf returns the smallest box that holds the points: [Empty] of none. With a NaN in
// one, the bounds on that axis are NaN. Cost: proportional to the points.
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

// IsEmpty reports whether the box holds no point: whether it is inverted on an axis or
// has a NaN. A box without extent holds one.
func (b AABB) IsEmpty() bool {
	return !(b.Min[0] <= b.Max[0] && b.Min[1] <= b.Max[1] && b.Min[2] <= b.Max[2])
}

// ContainsPoint reports whether the point lies in the box, whose faces belong to it. A
// point with a NaN lies in none.
func (b AABB) ContainsPoint(p [3]float32) bool {
	return b.Min[0] <= p[0] && p[0] <= b.Max[0] &&
		b.Min[1] <= p[1] && p[1] <= b.Max[1] &&
		b.Min[2] <= p[2] && p[2] <= b.Max[2]
}

// Intersect returns the points that both boxes hold: [Empty] if there are none. What it
// returns is exact.
func (b AABB) Intersect(o AABB) AABB {
	for a := range 3 {
		b.Min[a], b.Max[a] = max(b.Min[a], o.Min[a]), min(b.Max[a], o.Max[a])
	}
	if b.IsEmpty() {
		return Empty()
	}
	return b
}

// Grow returns the box with each face moved outward by that much, inward if it is
// negative. Bounds are rounded outward, so that the exact box is held; beyond float32 they
// are infinite. What is shrunk by more than half its size is inverted and so empty. [Empty]
// stays as it is; by an infinity or a NaN it is NaN.
func (b AABB) Grow(by float32) AABB {
	for a := range 3 {
		b.Min[a], b.Max[a] = less(b.Min[a], by), more(b.Max[a], by)
	}
	return b
}

// Translate returns the box moved along a vector. Sums are rounded to the nearest float32,
// not outward: a box that goes to and fro does not grow, and its size changes by a step of
// float32 at most. It is never inverted by that. Beyond float32 bounds are infinite; those
// of [Empty] stay, unless the vector is infinite or NaN.
func (b AABB) Translate(by [3]float32) AABB {
	for a := range 3 {
		b.Min[a] += by[a]
		b.Max[a] += by[a]
	}
	return b
}

// Size returns the lengths of the edges, Max - Min rounded to the nearest float32, +Inf
// beyond; zeros for a box that is empty.
func (b AABB) Size() (s [3]float32) {
	if b.IsEmpty() {
		return s
	}
	for a := range 3 {
		s[a] = b.Max[a] - b.Min[a]
	}
	return s
}

// Area returns the area of the surface, 2(xy + yz + zx) of the lengths of the edges: 0 for
// a point, a segment and a box that is empty, twice that of a flat box. It is computed in
// float64 and rounded once, to within a step of float32; +Inf beyond, and NaN for a box of
// infinite length without width.
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

// less returns the largest float32 that is at most x - by, more the smallest one that is
// at least x + by; zeros are +0.
func less(x, by float32) float32 { return Below(float64(x), float64(by)) + 0 }
func more(x, by float32) float32 { return Above(float64(x), -float64(by)) + 0 }
