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

// separation is the test of vectors that may separate two cells by more than a distance.
type separation struct {
	a, b      *cell
	way, room [3]float64 // from a to b, and the error of it, and of half edges
	distance  float64
}

// cellsNear reports whether two cells are at most a distance apart; 0: whether they overlap. It is false only if a
// vector separates them by more than that: an axis of their space, the normal of a face, the normal to an edge of each,
// or the vector between nearest points. The edge directions are passed separately, so that cells may be flat.
func cellsNear(a, b *cell, da, db *[3][3]float64, distance float64) bool {
	t := separation{a: a, b: b, distance: distance * exact.Widen}
	for i := range 3 {
		t.way[i] = b.center[i] - a.center[i]
		x, y := float64(a.reach(i)), float64(b.reach(i))
		if math.Abs(t.way[i])*(1-0x1p-48) > x+y+t.distance {
			return false
		}
		t.room[i] = a.off[i] + b.off[i] + float64((math.Abs(a.center[i])+math.Abs(b.center[i])+x+y)*0x1p-48)
	}
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		if t.separates(cross(da[j], da[k])) || t.separates(cross(db[j], db[k])) {
			return false
		}
	}
	for i := range 3 {
		for j := range 3 {
			if t.separates(cross(da[i], db[j])) {
				return false
			}
		}
	}
	return distance == 0 || !t.beyond()
}

// separates reports whether a vector separates the cells by more than the distance.
func (t *separation) separates(l [3]float64) bool {
	off := float64(math.Abs(l[0])*t.room[0]) + float64(math.Abs(l[1])*t.room[1]) + float64(math.Abs(l[2])*t.room[2])
	if t.distance > 0 {
		off += float64(exact.Length(&l) * t.distance)
	}
	return math.Abs(dot(&l, &t.way)) > t.a.along(&l)+t.b.along(&l)+off+0x1p-1000
}

// nearestSteps is the largest number of steps towards nearest points.
const nearestSteps = 64

// beyond reports whether the vector between two points, one of each cell, separates the cells by more than the
// distance. A step moves the points towards each other along each edge in turn as far as the cells allow (cyclic
// coordinate descent), so that they converge to nearest points. It ends when the points are near enough.
func (t *separation) beyond() bool {
	var edges [6]*[3]float64
	var squares, at [6]float64 // at is -1 to 1 of half an edge
	for k := range 3 {
		edges[k], edges[3+k] = &t.a.edges[k], &t.b.edges[k]
	}
	for k, e := range edges {
		squares[k] = dot(e, e)
	}
	v := t.way
	for range nearestSteps {
		moved := 0.0
		for k, e := range edges {
			if !(squares[k] >= 0x1p-900) {
				continue
			}
			by := min(max(at[k]-dot(&v, e)/squares[k], -1), 1) - at[k]
			at[k] += by
			moved = max(moved, math.Abs(by))
			for i := range 3 {
				v[i] += float64(by * e[i])
			}
		}
		if exact.Length(&v) <= t.distance {
			return false
		}
		if t.separates(v) {
			return true
		}
		if moved < 0x1p-40 {
			return false
		}
	}
	return false
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
