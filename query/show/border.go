package show

import (
	"math"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// border returns the polygon in which a horizontal plane at height z cuts a volume, within ±far. It
// is empty if the plane does not cut the volume. The border of a ray is its segment, from above.
type border func(z, far float64) [][2]float64

// setShape sets the name, the border and the origin of a query, which is passed by pointer.
func (t *Trace) setShape(q any) {
	switch q := q.(type) {
	case *query.Frustum:
		setVolume(t, "camera", (*walk.Frustum)(q))
	case *query.Box:
		setVolume(t, "box", (*walk.Box)(q))
	case *query.OrientedBox:
		setVolume(t, "oriented box", (*walk.Oriented)(q))
	case *query.Sphere:
		setVolume(t, "sphere", (*walk.Sphere)(q))
	case *query.Convex:
		setVolume(t, "convex volume", (*walk.Convex)(q))
	case *query.Func:
		setVolume(t, "function", (*walk.Func)(q))
	case *query.Point:
		f := setVolume(t, "point", (*walk.Point)(q))
		t.Origin = centerOf(&f.Min, &f.Max)
	case *query.Ray:
		t.isRay = true
		setSweep(t, "ray", (*walk.Sweep)(q))
	case *query.SweptBox:
		setSweep(t, "swept box", (*walk.Sweep)(q))
	case *query.SweptSphere:
		setSweep(t, "swept sphere", (*walk.Sweep)(q))
	}
}

func setVolume(t *Trace, name string, q walk.Query) *walk.Volume {
	f := new(walk.Volume)
	q.Lift(f)
	t.Name = name
	switch f.Kind {
	case walk.KindBox, walk.KindFunc:
		t.border = func(z, _ float64) [][2]float64 {
			if z < f.Min[2] || z > f.Max[2] {
				return nil
			}
			corners := rectangle(&f.Min, &f.Max)
			return corners[:]
		}
	case walk.KindBall:
		t.border = ball(f.Center, f.Radius)
	default:
		t.border = func(z, far float64) [][2]float64 { return clipPlanes(f.Planes[:f.N], z, far) }
	}
	return f
}

// centerOf returns the centre of a box.
func centerOf(low, high *[3]float64) *[3]float64 {
	var at [3]float64
	for a := range at {
		at[a] = (low[a] + high[a]) / 2
	}
	return &at
}

// rectangle returns the corners of a box, seen from above.
func rectangle(low, high *[3]float64) [4][2]float64 {
	return [4][2]float64{{low[0], low[1]}, {high[0], low[1]}, {high[0], high[1]}, {low[0], high[1]}}
}

// clipPlanes returns the polygon inside all of the planes {nx, ny, nz, d} at a height, within ±far.
func clipPlanes(planes [][4]float64, z, far float64) [][2]float64 {
	all := [][2]float64{{-far, -far}, {far, -far}, {far, far}, {-far, far}}
	for _, p := range planes {
		all = clip(all, p[0], p[1], float64(p[2]*z)+p[3])
	}
	return all
}

// clipFrustum is clipPlanes for the planes of a frustum.
func clipFrustum(planes *[6][4]float32, z, far float64) [][2]float64 {
	var list [6][4]float64
	for i := range planes {
		for k, x := range planes[i] {
			list[i][k] = float64(x)
		}
	}
	return clipPlanes(list[:], z, far)
}

// clip returns the part of a polygon with nx*x + ny*y + d >= 0.
func clip(border [][2]float64, nx, ny, d float64) (kept [][2]float64) {
	side := func(p [2]float64) float64 { return float64(nx*p[0]) + float64(ny*p[1]) + d }
	for i, p := range border {
		q := border[(i+1)%len(border)]
		a, b := side(p), side(q)
		if a >= 0 {
			kept = append(kept, p)
		}
		if (a >= 0) != (b >= 0) {
			t := a / (a - b)
			kept = append(kept, [2]float64{p[0] + float64(t*(q[0]-p[0])), p[1] + float64(t*(q[1]-p[1]))})
		}
	}
	return kept
}

// ball is the border of a ball: its centre if the plane does not cut it.
func ball(center [3]float64, radius float64) border {
	return func(z, _ float64) [][2]float64 { return disc(nil, center, radius, z) }
}

// disc appends the polygon in which a plane cuts a ball.
func disc(border [][2]float64, center [3]float64, radius, z float64) [][2]float64 {
	dz := z - center[2]
	r := math.Sqrt(max(float64(radius*radius)-float64(dz*dz), 0))
	for _, c := range circle {
		border = append(border, [2]float64{center[0] + float64(r*c[0]), center[1] + float64(r*c[1])})
	}
	return border
}

// circle is a polygon of 128 corners: halved arcs, by square roots alone, which
// are the same on every CPU.
var circle = func() [][2]float64 {
	c := [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	for len(c) < 128 {
		var finer [][2]float64
		for i, p := range c {
			q := c[(i+1)%len(c)]
			x, y := p[0]+q[0], p[1]+q[1]
			r := math.Sqrt(float64(x*x) + float64(y*y))
			finer = append(finer, p, [2]float64{x / r, y / r})
		}
		c = finer
	}
	return c
}()

// moving is a ray or a swept shape in float64.
type moving struct{ walk.Swept }

func setSweep(t *Trace, name string, q *walk.Sweep) {
	m := new(moving)
	q.Lift(&m.Swept)
	t.Name = name
	if m.None {
		t.border = func(_, _ float64) [][2]float64 { return nil }
		return
	}
	switch {
	case t.isRay:
		t.border = m.segment
	case m.Spherical:
		t.border = m.capsule
	default:
		t.border = m.prism
	}
	t.Origin = centerOf(&m.Min, &m.Max)
}

// segment is the border of a ray: a line, cut off where it is more than far from the middle.
func (m *moving) segment(_, far float64) [][2]float64 {
	end := m.Until
	speed := max(math.Abs(m.Dir[0]), math.Abs(m.Dir[1]))
	if reach := far + max(math.Abs(m.Min[0]), math.Abs(m.Min[1])); speed == 0 {
		end = 0
	} else if float64(end*speed) > reach {
		end = reach / speed
	}
	return [][2]float64{{m.Min[0], m.Min[1]}, {m.Min[0] + float64(end*m.Dir[0]), m.Min[1] + float64(end*m.Dir[1])}}
}

// crosses returns the times between which a plane cuts a shape that begins between two heights.
func (m *moving) crosses(low, high, z float64) (from, to float64, ok bool) {
	from, to = 0, m.Until
	switch d := m.Dir[2]; {
	case d == 0:
		return from, to, low <= z && z <= high
	case d > 0:
		from, to = max(from, (z-high)/d), min(to, (z-low)/d)
	default:
		from, to = max(from, (z-low)/d), min(to, (z-high)/d)
	}
	return from, to, from <= to
}

// prism is the border of a swept box: the hull of its cuts at two times.
func (m *moving) prism(z, _ float64) (corners [][2]float64) {
	from, to, ok := m.crosses(m.Min[2], m.Max[2], z)
	if !ok {
		return nil
	}
	for _, t := range [2]float64{from, to} {
		dx, dy := float64(t*m.Dir[0]), float64(t*m.Dir[1])
		for _, c := range rectangle(&m.Min, &m.Max) {
			corners = append(corners, [2]float64{c[0] + dx, c[1] + dy})
		}
	}
	return hull(corners)
}

// capsule is the border of a swept sphere: the hull of its cuts at 65 times, which are closest at
// the ends, where the radius of a cut changes fastest.
func (m *moving) capsule(z, _ float64) (corners [][2]float64) {
	from, to, ok := m.crosses(m.Center[2]-m.Radius, m.Center[2]+m.Radius, z)
	if !ok {
		return nil
	}
	for _, c := range circle[:len(circle)/2+1] { // from 1 to -1 in x
		t := from + float64((to-from)*(1-c[0])/2)
		center := m.Center
		for a := range center {
			center[a] += float64(t * m.Dir[a])
		}
		corners = disc(corners, center, m.Radius, z)
	}
	return hull(corners)
}

// horizon returns the distance to which borders are drawn in a picture of a box.
func horizon(b *soa.AABB) float64 {
	far := 4 * max(float64(b.Max[0])-float64(b.Min[0]), float64(b.Max[1])-float64(b.Min[1]), 1)
	for axis := range 2 {
		far = max(far, 4*max(float64(b.Max[axis]), -float64(b.Min[axis])))
	}
	return far
}

// middle returns the height of the middle of a box.
func middle(b *soa.AABB) float64 { return (float64(b.Min[2]) + float64(b.Max[2])) / 2 }
