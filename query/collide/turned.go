package collide

import (
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
)

// The contact of two boxes of which at least one is oriented lies along the axis of least depth
// among the fifteen candidate axes of the separating axis test.

// edgeShare is the margin by which the best axis of two edges must beat the best axis of a face.
// Its unit is the sum of both extents along the axis. If edges are nearly parallel, their axis is
// nearly that of a face, and their closest points are ill-conditioned.
const edgeShare = 0x1p-20

// turned fills in the contact of two boxes.
func (c *Contact) turned(s, t *solid) {
	a, b := &s.shape, &t.shape
	var way [3]float64
	for k := range way {
		way[k] = b.Center[k] - a.Center[k]
	}
	depth, axis, best, i, j := math.Inf(1), [3]float64{}, 0, 0, 0
	try := func(l [3]float64, kind, first, second int) {
		length := math.Sqrt(exact.Dot(l, l))
		if length == 0 {
			return
		}
		for k := range l {
			l[k] /= length
		}
		along, reach := exact.Dot(l, way), a.Radius(l)+b.Radius(l)
		d, least := reach-math.Abs(along), depth
		if kind == edges && best != edges {
			least -= float64(reach * edgeShare)
		}
		if d >= least {
			return
		}
		if along < 0 {
			l = [3]float64{0 - l[0], 0 - l[1], 0 - l[2]}
		}
		depth, axis, best, i, j = d, l, kind, first, second
	}
	for k := range 3 {
		try(a.Faces[k], faceOfA, k, 0)
	}
	for k := range 3 {
		try(b.Faces[k], faceOfB, k, 0)
	}
	for k := range 3 {
		for m := range 3 {
			try(cross(a.Dirs[k], b.Dirs[m]), edges, k, m)
		}
	}
	var at [3]float64
	switch back := [3]float64{0 - axis[0], 0 - axis[1], 0 - axis[2]}; best {
	case faceOfA:
		at = onFace(s, t, i, axis)
	case faceOfB:
		at = onFace(t, s, i, back)
	default:
		at = betweenEdges(s, t, i, j, axis)
	}
	for k := range 3 {
		c.Normal[k], c.Pos[k] = float32(axis[k]), narrow(at[k])
	}
	c.Depth = narrow(depth)
}

// Features to which the axis of a contact is normal.
const (
	faceOfA = 1 + iota
	faceOfB
	edges
)

// level is the largest slope, as a share of its length, at which an edge counts as lying in a
// plane.
const level = 0x1p-20

// deepest returns the middle of the points of a box that are furthest against a vector, and the
// edges along which these points extend.
func (s *solid) deepest(n [3]float64) (at [3]float64, free [3]bool) {
	b := &s.shape
	at = b.Center
	for i, d := range b.Dirs {
		along := exact.Dot(n, d)
		if math.Abs(along) <= level*math.Sqrt(exact.Dot(d, d)) {
			free[i] = true
			continue
		}
		for k := range at {
			at[k] -= float64(math.Copysign(b.Half[i], along) * d[k])
		}
	}
	return at, free
}

// onFace returns the position of the contact of a face of r, of that axis and with the normal n,
// and the deepest feature of q. On either axis of the face it is the middle of the overlap of
// both boxes, halfway between the face and the feature along the normal. If that is not in both
// boxes, because the feature lies outside the face, alternating projections move the point
// towards both.
func onFace(r, q *solid, axis int, n [3]float64) (at [3]float64) {
	f := &r.frame
	deep, free := q.deepest(n)
	var from [3]float64
	for k := range 3 {
		from[k] = deep[k] - f.Center[k]
	}
	local := f.Local(from)
	at = f.Center
	for i, u := range f.Axes {
		if i == axis {
			continue
		}
		wide := 0.0
		for j, d := range q.shape.Dirs {
			if free[j] {
				wide += float64(math.Abs(exact.Dot(u, d)) * q.shape.Half[j])
			}
		}
		middle := (max(local[i]-wide, -f.Half[i]) + min(local[i]+wide, f.Half[i])) / 2
		for k := range at {
			at[k] += float64(middle * u[k])
		}
	}
	face := exact.Dot(n, r.shape.Center) + r.shape.Radius(n)
	other := exact.Dot(n, q.shape.Center) - q.shape.Radius(n)
	up := (face+other)/2 - exact.Dot(n, at)
	for k := range at {
		at[k] += float64(up * n[k])
	}
	in := at
	for range 4 {
		at = q.frame.Nearest(in)
		in = r.frame.Nearest(at)
	}
	for k := range at {
		at[k] = at[k]/2 + in[k]/2
	}
	return at
}

// betweenEdges returns the midpoint of the shortest segment between an edge of each, along these
// axes, that are deepest in the other along the normal n from s to t.
func betweenEdges(s, t *solid, i, j int, n [3]float64) (at [3]float64) {
	p, u := s.edge(i, [3]float64{0 - n[0], 0 - n[1], 0 - n[2]})
	q, v := t.edge(j, n)
	var r [3]float64
	for k := range r {
		r[k] = q[k] - p[k]
	}
	uu, uv, vv, ru, rv := exact.Dot(u, u), exact.Dot(u, v), exact.Dot(v, v), exact.Dot(r, u), exact.Dot(r, v)
	x, y := 0.0, 0.0 // on the edges, -1 to 1
	if det := float64(uu*vv) - float64(uv*uv); det > 0 {
		x = clamp((float64(ru*vv) - float64(rv*uv)) / det)
	}
	if vv > 0 {
		y = clamp((float64(x*uv) - rv) / vv)
	}
	if uu > 0 {
		x = clamp((float64(y*uv) + ru) / uu)
	}
	for k := range at {
		at[k] = (p[k] + float64(x*u[k]) + q[k] + float64(y*v[k])) / 2
	}
	return at
}

func clamp(x float64) float64 { return min(max(x, -1), 1) }

// edge returns the middle and the half vector of the edge along that axis that is furthest
// against a vector.
func (s *solid) edge(axis int, n [3]float64) (middle, half [3]float64) {
	b := &s.shape
	middle = b.Center
	for i, d := range b.Dirs {
		along := exact.Dot(n, d)
		for k := range middle {
			if i == axis {
				half[k] = float64(d[k] * b.Half[i])
			} else if along != 0 {
				middle[k] -= float64(math.Copysign(b.Half[i], along) * d[k])
			}
		}
	}
	return middle, half
}

// ballTurned implements ballBox for an oriented box, in its frame.
func (c *Contact) ballTurned(s, t *solid) {
	f := &t.frame
	var from [3]float64
	for k := range from {
		from[k] = s.center[k] - f.Center[k]
	}
	way, near, depth := toBox(f.Local(from), [3]float64{-f.Half[0], -f.Half[1], -f.Half[2]}, f.Half, s.radius)
	c.between(s, f.World(way), near, depth)
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}
