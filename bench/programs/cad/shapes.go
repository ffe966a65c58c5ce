// Package cad picks parts of an assembly by a ray, in two ways: Copies is a picker as viewers of CAD models begin with,
// which transforms the triangles of every part into the world; Scene is the same picker moved over to instances.
//
// An assembly has few shapes and many parts: a bolt is placed thousands of times.
package cad

import (
	"math"

	"github.com/zoctree/zoctree/linear"
)

// Triangle is three corners.
type Triangle [3][3]float32

// Part is a placed shape.
type Part struct {
	Shape int // index of the shape
	At    linear.Transform
}

// Assembly is the model.
type Assembly struct {
	Shapes [][]Triangle
	Parts  []Part
}

// Pick is a triangle hit by a ray.
type Pick struct {
	Part, Triangle int
	Dist           float32
}

// before reports whether a pick is the nearer one: by distance, part, and triangle.
func (p Pick) before(q Pick) bool {
	switch {
	case p.Dist != q.Dist:
		return p.Dist < q.Dist
	case p.Part != q.Part:
		return p.Part < q.Part
	}
	return p.Triangle < q.Triangle
}

// moved returns a triangle in the world.
func moved(t Triangle, at linear.Transform) (m Triangle) {
	for i, corner := range t {
		p := at.Point([3]float64{float64(corner[0]), float64(corner[1]), float64(corner[2])})
		m[i] = [3]float32{float32(p[0]), float32(p[1]), float32(p[2])}
	}
	return m
}

// bounds returns the box of a triangle.
func bounds(t Triangle) linear.AABB { return linear.BoxOf(t[:]...) }

// enters returns the distance at which a ray hits a triangle, from either side. It is the test of T. Möller and
// B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997), in float64.
func enters(origin, dir [3]float32, t Triangle) (dist float32, ok bool) {
	o, d, a := wide(origin), wide(dir), wide(t[0])
	e1, e2 := minus(wide(t[1]), a), minus(wide(t[2]), a)
	p := cross(d, e2)
	det := dot(e1, p)
	if det == 0 {
		return 0, false
	}
	s := minus(o, a)
	u := dot(s, p) / det
	q := cross(s, e1)
	v := dot(d, q) / det
	if u < 0 || v < 0 || u+v > 1 {
		return 0, false
	}
	x := dot(e2, q) / det
	return float32(x), x >= 0
}

func wide(p [3]float32) [3]float64 { return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])} }
func dot(a, b [3]float64) float64  { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func minus(a, b [3]float64) [3]float64 {
	return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
}
func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// Rack makes an assembly of shelves with parts that are bolts, tubes and knobs, in random places and rotations: solids
// of revolution of 100 to 1,000 triangles, sixty shapes.
func Rack(parts int, seed uint64) (a Assembly) {
	state := seed
	random := func() float64 { // SplitMix64
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return float64((z^z>>31)>>11) / (1 << 53)
	}
	for range 60 {
		a.Shapes = append(a.Shapes, turned(6+int(random()*18), 4+int(random()*12), random))
	}
	side := int(math.Ceil(math.Cbrt(float64(parts))))
	for i := range parts {
		cell := [3]float64{float64(i % side), float64(i / side % side), float64(i / side / side)}
		for d := range cell {
			cell[d] = 4*cell[d] + random()
		}
		var q [4]float64
		for d := range q {
			q[d] = random() - 0.5
		}
		at, err := linear.Similarity(cell, q, 0.5+random())
		if err != nil {
			panic(err)
		}
		a.Parts = append(a.Parts, Part{Shape: int(random() * float64(len(a.Shapes))), At: at})
	}
	return a
}

// turned returns the triangles of a solid of revolution: rings of so many corners around the z axis.
func turned(corners, rings int, random func() float64) (all []Triangle) {
	var last [][3]float32
	for r := range rings {
		radius, z := 0.3+random(), 3*float64(r)/float64(rings-1)-1.5
		if r == 0 || r == rings-1 {
			radius = 0
		}
		ring := make([][3]float32, corners)
		for c := range ring {
			sin, cos := math.Sincos(2 * math.Pi * float64(c) / float64(corners))
			ring[c] = [3]float32{float32(radius * cos), float32(radius * sin), float32(z)}
		}
		for c := range ring {
			next := (c + 1) % corners
			if r > 0 && r < rings-1 {
				all = append(all, Triangle{last[c], ring[c], ring[next]})
			}
			if r > 1 {
				all = append(all, Triangle{last[c], last[next], ring[next]})
			}
		}
		last = ring
	}
	return all
}
