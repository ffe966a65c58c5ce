package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Cone is a solid of revolution with flat ends: a cylinder, or a cone from its apex on. A point at the height w above
// the start, between 0 and the length, is in it if its distance from the axis is at most radius + w*tan.
type Cone struct {
	Box      soa.AABB   // box that contains the cone
	from     [3]float64 // centre of the first end: the apex of a cone
	axis     [3]float64 // of length 1
	side     [2][3]float64
	length   float64
	radius   float64 // at the start
	sin, cos float64 // of the angle between the side and the axis
	off      float64 // bound of the rounding errors of distances
}

// Set sets c to the solid from a point along an axis, which is not zero. It reports whether c.Box is finite.
func (c *Cone) Set(from *[3]float32, axis *[3]float64, length, radius, tan float64) (ok bool) {
	c.axis, c.length, c.radius = unit(*axis), length, radius
	c.side[0] = unit(Cross(c.axis, across(c.axis)))
	c.side[1] = unit(Cross(c.axis, c.side[0]))
	c.cos = 1 / math.Sqrt(1+float64(tan*tan))
	c.sin = float64(tan * c.cos)
	end := radius + float64(length*tan) // radius of the second end
	size := 0.0
	ok = true
	for k := range 3 {
		x, y := c.axis[(k+1)%3], c.axis[(k+2)%3]
		disc := math.Sqrt(float64(x*x) + float64(y*y))
		f := float64(from[k])
		c.from[k] = f
		far := float64(length * c.axis[k])
		off := float64((length + end) * 0x1p-48)
		lo, hi := min(-float64(radius*disc), far-float64(end*disc))-off, max(float64(radius*disc), far+float64(end*disc))+off
		c.Box.Min[k], c.Box.Max[k] = soa.Below(f, -lo), soa.Above(f, -hi)
		ok = ok && c.Box.Min[k] >= -math.MaxFloat32 && c.Box.Max[k] <= math.MaxFloat32
		size += hi - lo
	}
	c.off = size * offSize
	return ok
}

// room is the largest number of points of a box between two planes: its corners, and two on each edge.
const room = 8 + 2*12

// Relate writes the relations of boxes.
func (c *Cone) Relate(boxes []soa.AABB, to []Relation) {
	for i := range boxes {
		to[i] = c.relation(&boxes[i])
	}
}

// relation returns the relation of a box to the solid. Outside and Inside are certain.
//
// A point is x, y, w: along the sides and along the axis. With the points of the box between the two ends, and their
// corners v, the box is outside if a unit vector n in the plane of the sides has, for all of the corners,
//
//	(n·v)*cos > radius*cos + w*sin
//
// The vectors for which it holds for one corner are an arc of the circle, of no more than a half; the box is outside
// if all arcs have one in common. It is inside if all its corners are.
func (c *Cone) relation(box *soa.AABB) Relation {
	lo, hi, ok := clipped(box, &c.Box, &c.from)
	if !ok {
		return Outside
	}
	var edges [3][3]float64 // of the box
	var v [room][3]float64
	v[0] = c.local(&lo)
	least, most := v[0][2], v[0][2]
	for k := range edges {
		d := hi[k] - lo[k]
		edges[k] = [3]float64{float64(c.side[0][k] * d), float64(c.side[1][k] * d), float64(c.axis[k] * d)}
		if w := edges[k][2]; w < 0 {
			least += w
		} else {
			most += w
		}
	}
	if least > c.length+c.off || most < -c.off {
		return Outside
	}
	for i := 1; i < 8; i++ {
		k := 2
		if i&1 != 0 {
			k = 0
		} else if i&2 != 0 {
			k = 1
		}
		from, e := &v[i&^(1<<k)], &edges[k]
		v[i] = [3]float64{from[0] + e[0], from[1] + e[1], from[2] + e[2]}
	}
	n := 8
	inside := least >= c.off && most <= c.length-c.off && c.Box.Contains(*box)
	if least < 0 || most > c.length {
		if n = c.cut(&v); n == 0 {
			return Partly
		}
	}
	hit := false
	for i := range v[:n] {
		p := &v[i]
		reach := float64(c.radius*c.cos) + float64(max(p[2], 0)*c.sin)
		p[0], p[1], p[2] = float64(p[0]*c.cos), float64(p[1]*c.cos), reach
		square := float64(p[0]*p[0]) + float64(p[1]*p[1])
		hit = hit || square <= float64(reach*reach)
		if inside {
			r := reach - c.off
			inside = r >= 0 && square <= float64(r*r)
		}
		if hit && !inside {
			return Partly
		}
	}
	switch {
	case inside:
		return Inside
	case !hit && c.apart(v[:n]):
		return Outside
	}
	return Partly
}

// local returns the coordinates of a point relative to the start.
func (c *Cone) local(p *[3]float64) [3]float64 {
	return [3]float64{Dot(c.side[0], *p), Dot(c.side[1], *p), Dot(c.axis, *p)}
}

// cut replaces the corners of a box by those of its part between the two ends, each moved outward by the rounding
// errors, and returns their number.
func (c *Cone) cut(v *[room][3]float64) (n int) {
	corners, ends := [8][3]float64(v[:8]), [2]float64{-c.off, c.length + c.off}
	for i := range corners {
		p := &corners[i]
		if p[2] >= ends[0] && p[2] <= ends[1] {
			v[n] = *p
			n++
		}
		for k := range 3 {
			q := &corners[i|1<<k]
			if i>>k&1 != 0 {
				continue
			}
			for _, w := range ends {
				if (p[2] < w) != (q[2] < w) && p[2] != w && q[2] != w {
					t := (w - p[2]) / (q[2] - p[2])
					v[n] = [3]float64{p[0] + float64(t*(q[0]-p[0])), p[1] + float64(t*(q[1]-p[1])), w}
					n++
				}
			}
		}
	}
	return n
}

// apart reports whether a vector of the plane is further along all points, of which the third coordinate is a radius,
// than that and the rounding errors. No point is within its radius of 0.
func (c *Cone) apart(v [][3]float64) bool {
	var from, to [2]float64 // ends of the arc, counterclockwise
	for i := range v {
		x, y, r := v[i][0], v[i][1], v[i][2]
		square := float64(x*x) + float64(y*y)
		s := math.Sqrt(max(square-float64(r*r), 0))
		a := [2]float64{(float64(r*x) + float64(s*y)) / square, (float64(r*y) - float64(s*x)) / square}
		b := [2]float64{(float64(r*x) - float64(s*y)) / square, (float64(r*y) + float64(s*x)) / square}
		switch {
		case i == 0:
			from, to = a, b
			continue
		case turn(from, a) >= 0 && turn(a, to) >= 0:
			from = a
		case !(turn(a, from) >= 0 && turn(from, b) >= 0):
			return false
		}
		if turn(from, b) >= 0 && turn(b, to) >= 0 {
			to = b
		}
	}
	n := [2]float64{from[0] + to[0], from[1] + to[1]}
	if turn(from, to) < 0x1p-20 && float64(from[0]*to[0])+float64(from[1]*to[1]) < 0 { // half of the circle
		n = [2]float64{-from[1], from[0]}
	}
	length := math.Sqrt(float64(n[0]*n[0]) + float64(n[1]*n[1]))
	for i := range v {
		if !(float64(n[0]*v[i][0])+float64(n[1]*v[i][1]) > float64((v[i][2]+c.off)*length)) {
			return false
		}
	}
	return true
}

// turn returns the cross product of two vectors of a plane: positive if b is to the left of a.
func turn(a, b [2]float64) float64 { return float64(a[0]*b[1]) - float64(a[1]*b[0]) }
