package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// surface returns the boxes of the triangles, of edge about 1, of a bumpy closed surface. It is an
// octahedron of 8*k*k triangles, k as small as n allows, inflated to a sphere and then deformed.
// Triangles beyond n are omitted, which leaves a hole.
//
// A vertex is a function of its three lattice coordinates, so neighbouring triangles have exactly
// the same coordinates.
func surface(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 10)
	k := int(math.Ceil(math.Sqrt(float64(n) / 8)))
	s := bumps{
		k:      k,
		radius: 0.525 * float64(k), // area of the sphere / (8*k*k) = area of a triangle of edge 1
		depth:  r.between(0.1, 0.2),
		degree: [3]int{3 + r.IntN(4), 3 + r.IntN(4), 3 + r.IntN(4)},
	}
	objects := make([]soa.Object, 0, n)
	for octant := range 8 {
		sx, sy, sz := 1-octant&1*2, 1-octant>>1&1*2, 1-octant>>2&1*2
		at := func(i, j int) [3]float32 { return s.vertex(sx*i, sy*j, sz*(k-i-j)) }
		for i := range k {
			for j := range k - i {
				if len(objects) < n {
					objects = append(objects, triangle(at(i, j), at(i+1, j), at(i, j+1)))
				}
				if len(objects) < n && i+j+2 <= k {
					objects = append(objects, triangle(at(i+1, j), at(i, j+1), at(i+1, j+1)))
				}
			}
		}
	}
	r.shuffle(objects)
	return label(objects, everyThird)
}

func triangle(a, b, c [3]float32) soa.Object {
	var box soa.AABB
	for i := range 3 {
		box.Min[i] = min(a[i], b[i], c[i])
		box.Max[i] = max(a[i], b[i], c[i])
	}
	return soa.Object{Box: box}
}

// bumps is a sphere whose radius varies with the direction.
type bumps struct {
	k      int
	radius float64
	depth  float64
	degree [3]int
}

// vertex returns the point of the surface in the direction (i, j, l), where |i| + |j| + |l| = k.
func (s *bumps) vertex(i, j, l int) [3]float32 {
	d := unit([3]float64{float64(i), float64(j), float64(l)})
	wave := chebyshev(s.degree[0], d[0]) + chebyshev(s.degree[1], d[1]) + chebyshev(s.degree[2], d[2])
	return float32s(scale(d, s.radius*(1+float64(s.depth*wave)/3)))
}

// chebyshev returns T_n(x): a cosine wave of n half periods on [-1, 1], computed with products and
// sums only.
func chebyshev(n int, x float64) float64 {
	before, t := 1.0, x
	for range n - 1 {
		before, t = t, float64(2*x*t)-before
	}
	return t
}
