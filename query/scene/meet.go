package scene

import (
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Two cells are disjoint if an axis separates them. The axis need not be exact: projections onto
// it equal those of the exact cells within a bound.

// in transforms the cell into the space of a part: see [cell.out].
func (c *cell) in(s *pairSide) {
	if s.identity {
		return
	}
	c.center, c.off = s.transform.LocalWithin(c.center, c.off)
	for k := range 3 {
		edge, off := s.transform.LocalVector(c.edges[k], [3]float64{})
		c.edges[k] = edge
		for a := range 3 {
			c.off[a] += off[a]
		}
	}
}

// apart reports whether two cells are disjoint, by the axes of their space, the normals of their
// faces, and the normals to an edge of each. The edge directions are passed separately, so that
// cells may be flat.
func apart(a, b *cell, da, db *[3][3]float64) bool {
	var way, room [3]float64
	for i := range 3 {
		way[i] = b.center[i] - a.center[i]
		x, y := float64(a.reach(i)), float64(b.reach(i))
		if math.Abs(way[i])*(1-0x1p-48) > x+y {
			return true
		}
		// Error of centres and half edges, and rounding below.
		room[i] = a.off[i] + b.off[i] + float64((math.Abs(a.center[i])+math.Abs(b.center[i])+x+y)*0x1p-48)
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		if separates(cross(da[j], da[k]), a, b, &way, &room) || separates(cross(db[j], db[k]), a, b, &way, &room) {
			return true
		}
	}
	for i := range 3 {
		for j := range 3 {
			if separates(cross(da[i], db[j]), a, b, &way, &room) {
				return true
			}
		}
	}
	return false
}

func separates(l [3]float64, a, b *cell, way, room *[3]float64) bool {
	off := float64(math.Abs(l[0])*room[0]) + float64(math.Abs(l[1])*room[1]) + float64(math.Abs(l[2])*room[2])
	return math.Abs(dot(&l, way)) > a.along(&l)+b.along(&l)+off+0x1p-1000
}

func dot(a, b *[3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// along returns the half extent of the cell along a vector, in lengths of that vector.
func (c *cell) along(l *[3]float64) float64 {
	return math.Abs(dot(l, &c.edges[0])) + math.Abs(dot(l, &c.edges[1])) + math.Abs(dot(l, &c.edges[2]))
}

// ball is a ball whose exact centre is within off of the centre, on each axis.
type ball struct {
	center, off [3]float64
	radius      float64
}

func (b *ball) set(s *[4]float32) {
	for a := range 3 {
		b.center[a] = float64(s[a])
	}
	b.off, b.radius = [3]float64{}, float64(s[3])
}

// out transforms a ball from the space of a part to the enclosing one.
func (b *ball) out(s *pairSide) {
	if s.identity {
		return
	}
	c := cell{center: b.center, off: b.off}
	c.out(s.transform)
	b.center, b.off = c.center, c.off
	_, most := s.transform.Stretch()
	b.radius = float64(b.radius * most * (1 + 0x1p-50))
}

// in transforms a ball into the space of a part.
func (b *ball) in(s *pairSide) {
	if s.identity {
		return
	}
	b.center, b.off = s.transform.LocalWithin(b.center, b.off)
	least, _ := s.transform.Stretch()
	b.radius = float64(b.radius / least * (1 + 0x1p-50))
}

// overlaps reports whether two balls may overlap. It is conservative.
func (b *ball) overlaps(c *ball) bool {
	var gap [3]float64
	for a := range 3 {
		gap[a] = max(math.Abs(b.center[a]-c.center[a])-b.off[a]-c.off[a], 0)
	}
	return !(exact.Length(&gap)*(1-0x1p-40) > b.radius+c.radius)
}

// overlapsBox reports whether a ball may overlap a box in its space. It is conservative.
func (b *ball) overlapsBox(box *soa.AABB) bool {
	var gap [3]float64
	for a := range 3 {
		gap[a] = max(float64(box.Min[a])-b.center[a]-b.off[a], b.center[a]-float64(box.Max[a])-b.off[a], 0)
	}
	return !(exact.Length(&gap)*(1-0x1p-40) > b.radius)
}

// overlapsFrame reports whether a ball may overlap a frame in its space. It is conservative.
func (b *ball) overlapsFrame(f *exact.Frame) bool {
	return !(f.Distance(b.center)*(1-0x1p-40) > b.radius+exact.Length(&b.off))
}
