package occlude_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/occlude"
)

// surface is a list of triangles, and the mesh made from it.
type surface struct {
	name      string
	corners   [][3]float32
	triangles [][3]int32
}

func (s surface) mesh(t testing.TB) *occlude.Mesh {
	t.Helper()
	m, err := occlude.NewMesh(s.corners, s.triangles)
	if err != nil {
		t.Fatal(s.name, err)
	}
	return m
}

// placed returns the corners under a transform.
func (s surface) placed(transform linear.Transform) (all [][3]float64) {
	for _, c := range s.corners {
		all = append(all, transform.Point(wide(c)))
	}
	return all
}

// gridMesh is a sheet of 2*n*n triangles; height is a function of column and row.
func gridMesh(n int, height func(i, j int) [3]float32) (s surface) {
	for j := range n + 1 {
		for i := range n + 1 {
			s.corners = append(s.corners, height(i, j))
		}
	}
	for j := range n {
		for i := range n {
			k := int32(j*(n+1) + i)
			right, down := k+1, k+int32(n)+1
			s.triangles = append(s.triangles, [3]int32{k, right, down}, [3]int32{down, right, down + 1})
		}
	}
	return s
}

// randomSurface returns a surface about the origin, of approximately the given size.
func randomSurface(rng *rand.Rand, size float64) (s surface) {
	switch kind := rng.IntN(7); kind {
	case 0:
		s.name = "tetrahedron"
		for range 4 {
			s.corners = append(s.corners, [3]float32{float32(rng.NormFloat64() * size), float32(rng.NormFloat64() * size), float32(rng.NormFloat64() * size)})
		}
		s.triangles = [][3]int32{{0, 1, 2}, {0, 1, 3}, {2, 1, 3}, {2, 0, 3}}
	case 1: // of a grid that closes around, its seam and poles equal corners
		s = gridMesh(10, func(i, j int) [3]float32 {
			b, a := math.Pi*float64(j)/10, 2*math.Pi*float64(i%10)/10
			if j == 0 || j == 10 {
				a = 0
			}
			r := size * (1 + 0.2*math.Sin(3*a)*math.Sin(5*b))
			z := math.Sin(b)
			if j == 10 {
				z = 0
			}
			return [3]float32{float32(r * z * math.Cos(a)), float32(r * z * math.Sin(a)), float32(r * math.Cos(b))}
		})
		s.name = "sphere"
	case 2, 3:
		phase := rng.Float64() * 6
		s = gridMesh(12, func(i, j int) [3]float32 {
			x, y := float64(i)/6-1, float64(j)/6-1
			return [3]float32{float32(size * 2 * x), float32(size * 2 * y), float32(size * 0.4 * math.Sin(5*x+phase) * math.Cos(4*y))}
		})
		if s.name = "terrain"; kind == 3 {
			s.name = "holes"
			for i := range s.triangles {
				if rng.IntN(12) == 0 {
					s.triangles[i] = s.triangles[rng.IntN(len(s.triangles))] // missing here, more than once there
				}
			}
		}
	case 4:
		s.name = "soup"
		for range 20 {
			s.corners = append(s.corners, [3]float32{float32(rng.NormFloat64() * size), float32(rng.NormFloat64() * size), float32(rng.NormFloat64() * size)})
		}
		for range 30 {
			s.triangles = append(s.triangles, [3]int32{int32(rng.IntN(20)), int32(rng.IntN(20)), int32(rng.IntN(20))})
		}
	case 5: // three wings on one edge, and a triangle that is twice there
		s.name = "fork"
		for range 5 {
			s.corners = append(s.corners, [3]float32{float32(rng.NormFloat64() * size), float32(rng.NormFloat64() * size), float32(rng.NormFloat64() * size)})
		}
		s.triangles = [][3]int32{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {2, 1, 3}, {3, 1, 2}}
	default: // a strip of Moebius
		s.name = "strip"
		for i := range 12 {
			a := float64(i) / 12
			for _, w := range []float64{-0.5, 0.5} {
				r := 1 + w*math.Cos(math.Pi*a)
				s.corners = append(s.corners, [3]float32{float32(size * r * math.Cos(2*math.Pi*a)), float32(size * r * math.Sin(2*math.Pi*a)), float32(size * w * math.Sin(math.Pi*a))})
			}
		}
		for i := range int32(12) {
			p, q, r, u := 2*i, 2*i+1, (2*i+2)%24, (2*i+3)%24
			if i == 11 {
				r, u = u, r
			}
			s.triangles = append(s.triangles, [3]int32{p, q, r}, [3]int32{r, q, u})
		}
	}
	if rng.IntN(3) == 0 { // each triangle with corners of its own, in any sense
		var own surface
		for _, t := range s.triangles {
			n := int32(len(own.corners))
			for _, k := range t {
				own.corners = append(own.corners, s.corners[k])
			}
			t = [3]int32{n, n + 1, n + 2}
			if rng.IntN(2) == 0 {
				t[0], t[1] = t[1], t[0]
			}
			own.triangles = append(own.triangles, t)
		}
		own.name = s.name + " of loose corners"
		s = own
	}
	return s
}

// passes returns the largest number of a depth, 1/t or -t, at which the ray passes a triangle of placed
// corners beyond the near plane; -Inf if it passes none. A ray passes a triangle that it misses by less
// than a part of 10^10 of the products, some 10^-7 of a pixel.
func (r ray) passes(corners [][3]float64, triangles [][3]int32, near float64) float64 {
	f := r.rays
	best := math.Inf(-1)
	var o, d [3]float64
	for a := range 3 {
		o[a], d[a] = f.Ref[a], f.D0[a]
		if across := r.x*f.DX[a] + r.y*f.DY[a]; f.Parallel {
			o[a] += across
		} else {
			d[a] += across
		}
	}
each:
	for _, t := range triangles {
		var p [3][3]float64
		for i, k := range t {
			for a := range 3 {
				p[i][a] = corners[k][a] - o[a]
			}
		}
		pos, neg := 0, 0
		for i := range 3 {
			n := crossOf(p[i], p[(i+1)%3])
			v, size := 0.0, 0.0
			for a := range 3 {
				b, c := (a+1)%3, (a+2)%3
				v += d[a] * n[a]
				size += math.Abs(d[a]) * (math.Abs(p[i][b]*p[(i+1)%3][c]) + math.Abs(p[i][c]*p[(i+1)%3][b]))
			}
			if v > 1e-10*size {
				pos++
			} else if v < -1e-10*size {
				neg++
			}
			if pos > 0 && neg > 0 {
				continue each
			}
		}
		u, w := [3]float64{}, [3]float64{}
		for a := range 3 {
			u[a], w[a] = p[1][a]-p[0][a], p[2][a]-p[0][a]
		}
		n := crossOf(u, w)
		num, den := 0.0, 0.0
		for a := range 3 {
			num += n[a] * p[0][a]
			den += n[a] * d[a]
		}
		if depth := num / den; depth >= near-1e-9*math.Abs(near) {
			if f.Parallel {
				best = max(best, -depth)
			} else {
				best = max(best, 1/depth)
			}
		}
	}
	return best
}

// checkMesh checks pixels as check does, for a mesh.
func (c *tally) checkMesh(t *testing.T, rng *rand.Rand, culler *occlude.Culler, corners [][3]float64, triangles [][3]int32, near float64) bool {
	t.Helper()
	pix, width, height, stride := culler.DepthBuffer()
	rays := culler.Rays()
	for y := range height {
		for x := range width {
			v := float64(pix[y*stride+x])
			if v == 0 && !rays.Parallel || math.IsInf(v, -1) {
				continue
			}
			c.pixels++
			for i := range 6 {
				dx, dy := float64(i&1), float64(i>>1&1)
				if i >= 4 {
					dx, dy = rng.Float64(), rng.Float64()
				}
				c.rays++
				r := ray{&rays, float64(x) + dx, float64(y) + dy}
				if got := r.passes(corners, triangles, near); !(got >= v-1e-11*math.Abs(v)) {
					t.Errorf("pixel %d, %d holds %v, but its ray through %v, %v first passes the mesh at %v, beyond %v", x, y, v, r.x, r.y, got, near)
					return false
				}
			}
		}
	}
	return true
}
