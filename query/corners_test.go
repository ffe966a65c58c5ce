package query_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// FrustumPlanes reproduces the planes of a frustum of any construction. The frusta are equal, except for the depth of
// cameras and matrices.
func TestPlanesGoBack(t *testing.T) {
	back := func(what string, f query.Frustum) {
		t.Helper()
		if got := frustum(t, f.Planes()); got.Planes() != f.Planes() {
			t.Errorf("%s: planes %x, made again %x", what, f.Planes(), got.Planes())
		}
		precise := f.Precise()
		if again := frustum(t, precise.Planes()); precise.Planes() != f.Planes() || again != frustum(t, f.Planes()) || again == again.Precise() {
			t.Errorf("%s: the planes of the precise frustum are others", what)
		}
	}
	rng := testkit.Rand(testkit.Seed(t))
	for kind := range testkit.Budget(t, 100, 3000) {
		p := randomProjection(rng, kind)
		for _, s := range p.shown(t) {
			back(s.name, s.whole)
		}
	}
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	for _, e := range scene.EdgeFrusta(objects) {
		back(e.Name, frustum(t, e.Planes))
	}
	for _, kind := range testkit.BoxKinds() {
		for range 300 {
			var planes [6][4]float32
			for k := range planes {
				planes[k] = testkit.RandomPlane(rng, kind)
			}
			back(kind.String(), frustum(t, planes))
		}
	}
	back("zero", query.Frustum{})

	// Numbers scaled to just below 1/4 are rounded up to it.
	third := 1 - 0x1p-30
	f, err := query.FrustumPlanes64([6][4]float64{{third, 0, 0, 5}, {0, -third, 0.1, 3}, {0, 0, 4 * third, -7}, {-third, third, 0, 1}}, [3]float64{})
	testkit.Must(t, err)
	back("rounded up", f)
	if n := f.Planes()[0][0]; n < 1./8 || n >= 1./4 {
		t.Errorf("a normal of size %v", n)
	}
	f = frustum(t, [6][4]float32{{0, 0, 0, 1}, {8, 0, 0, 1}})
	if p := f.Planes(); p[0] != [4]float32{0, 0, 0, 1} || p[1] != [4]float32{1. / 8, 0, 0, 1. / 64} {
		t.Errorf("planes %v", p)
	}
}

// distance64 is the largest difference of coordinates.
func distance64(a, b [3]float64) float64 {
	return max(math.Abs(a[0]-b[0]), math.Abs(a[1]-b[1]), math.Abs(a[2]-b[2]))
}

// The corners of a camera are the corners of its image at the near and at the far plane. The frustum of a rectangle
// has its corners at the corners of the rectangle.
func TestCornersOfCameras(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for kind := range testkit.Budget(t, 100, 3000) {
		p := randomProjection(rng, kind)
		w, h := float64(p.width), float64(p.height)
		for _, s := range p.shown(t) {
			x0, y0 := rng.Float64()*w/2, rng.Float64()*h/2
			x1, y1 := x0+w/10+1, y0+h/10+1
			part, err := s.view.PickFrustum(x0, y0, x1, y1)
			testkit.Must(t, err)
			for _, c := range []struct {
				f                        query.Frustum
				left, right, low, higher float64
			}{{s.whole, 0, w, h, 0}, {part, x0, x1, y1, y0}} {
				corners, err := c.f.Corners()
				if math.IsInf(p.far, 1) {
					if err == nil || !strings.Contains(err.Error(), "plane 5") {
						t.Fatalf("%s: no far plane, and error %v", s.name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v of %+v", s.name, err, p)
				}
				for i, got := range corners {
					x, y, z := c.left, c.low, p.near
					if i&1 != 0 {
						x = c.right
					}
					if i&2 != 0 {
						y = c.higher
					}
					if i&4 != 0 {
						z = p.far
					}
					// The planes of a narrow frustum intersect at sharper angles; the far plane of a
					// matrix in float32 is the difference of rows that are nearly equal.
					slack := 1e-5 * p.far * max(1, 0.1*w/(c.right-c.left), 0.1*h/(c.low-c.higher))
					if !s.exact {
						slack *= 10
					}
					if want := p.point(x, y, z); distance64(got, want) > slack {
						t.Fatalf("%s: corner %d is %v, want %v, of %+v", s.name, i, got, want, p)
					}
				}
			}
		}
	}
}

// The corners of a box are exact; those of cameras without a near plane, or flat ones, coincide.
func TestCornersKnown(t *testing.T) {
	b := soa.AABB{Min: [3]float32{-1, 2.5, 1e-3}, Max: [3]float32{7, 2.75, 1e6}}
	corners, err := frustum(t, [6][4]float32(faces(b))).Corners()
	testkit.Must(t, err)
	for i, c := range corners {
		for a := range 3 {
			want := b.Min[a]
			if i>>a&1 != 0 {
				want = b.Max[a]
			}
			if c[a] != float64(want) {
				t.Errorf("corner %d is %v", i, c)
			}
		}
	}
	// A box of no extent.
	b.Max[1], b.Max[2] = b.Min[1], b.Min[2]
	corners, err = frustum(t, [6][4]float32(faces(b))).Corners()
	if err != nil || corners[7] != testkit.Wide(b.Max) || corners[0] != testkit.Wide(b.Min) {
		t.Errorf("%v, %v", corners, err)
	}
	eye := [3]float64{100, -2000, 30}
	for _, c := range [][2]float64{{0, 10}, {5, 5}, {1e-30, 10}, {0, 0}} {
		f, err := query.Camera{Eye: eye, Forward: [3]float64{1, 2, -3}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 2, Near: c[0], Far: c[1]}.Frustum()
		testkit.Must(t, err)
		corners, err := f.Corners()
		if err != nil {
			t.Errorf("near %v, far %v: %v", c[0], c[1], err)
			continue
		}
		for i := range 4 {
			// The half diagonal of the image at distance 1.
			slant := math.Sqrt(1 + 5*math.Pow(math.Tan(0.5), 2))
			for k, want := range c {
				q := corners[4*k+i]
				got := math.Sqrt(math.Pow(q[0]-eye[0], 2) + math.Pow(q[1]-eye[1], 2) + math.Pow(q[2]-eye[2], 2))
				if math.Abs(got-want*slant) > 0.01 {
					t.Errorf("near %v, far %v: corner %d is %v from the eye, want %v", c[0], c[1], 4*k+i, got, want*slant)
				}
			}
		}
	}
}

// A body without eight corners is rejected, and the error has its planes.
func TestCornersErrors(t *testing.T) {
	box := [6][4]float32(faces(soa.AABB{Min: [3]float32{1, 1, 1}, Max: [3]float32{2, 2, 2}}))
	with := func(change func(p *[6][4]float32)) query.Frustum {
		p := box
		change(&p)
		return frustum(t, p)
	}
	for name, c := range map[string]struct {
		f       query.Frustum
		mention string
	}{
		"zero":            {query.Frustum{}, "plane 0"},
		"no far plane":    {with(func(p *[6][4]float32) { p[5] = [4]float32{0, 0, 0, 1} }), "plane 5"},
		"far is near":     {with(func(p *[6][4]float32) { p[5] = p[4] }), "not bounded"},
		"inverted":        {with(func(p *[6][4]float32) { p[4], p[5] = [4]float32{0, 0, 1, -2}, [4]float32{0, 0, -1, 1} }), "outside plane"},
		"pairs mixed":     {with(func(p *[6][4]float32) { p[1], p[2] = p[2], p[1] }), "no common point"},
		"a pyramid twice": {with(pyramid), "not a corner of a frustum"},
		"a tent of x":     {with(func(p *[6][4]float32) { tent(p, 0) }), "not a corner of a frustum"},
		"a tent of y":     {with(func(p *[6][4]float32) { tent(p, 1) }), "not a corner of a frustum"},
		"a tent of z":     {with(func(p *[6][4]float32) { tent(p, 2) }), "not a corner of a frustum"},
		"a cone": {with(func(p *[6][4]float32) {
			for i := range p {
				s, c := math.Sincos(float64(i))
				p[i] = [4]float32{float32(s), float32(c), 1, 0}
			}
		}), "not bounded"},
		"a wedge of two planes": {with(func(p *[6][4]float32) {
			p[0], p[1] = [4]float32{1, 0, 0.5, 0}, [4]float32{-1, 0, 0.5, 0}
			p[2], p[3] = p[0], p[1]
		}), "query: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.f.Corners()
			refuse(t, err, c.mention)
		})
	}
}

// pyramid makes a pyramid of planes, whose base is given twice: eight corners are on its
// base, and there is a ninth.
func pyramid(p *[6][4]float32) {
	p[0], p[1] = [4]float32{1, 0, -1, 1}, [4]float32{-1, 0, -1, 1}
	p[2], p[3] = [4]float32{0, 1, -1, 1}, [4]float32{0, -1, -1, 1}
	p[4], p[5] = [4]float32{0, 0, 1, 0}, [4]float32{0, 0, 2, 0}
}

// tent makes a tent whose roof is a pair of planes and whose floor is the next pair: the ends of its ridge are on the
// roof planes alone.
func tent(p *[6][4]float32, roof int) {
	at := func(pair, side int) *[4]float32 { return &p[2*((roof+pair)%3)+side] }
	*at(0, 0), *at(0, 1) = [4]float32{0, 1, -1, 1}, [4]float32{0, -1, -1, 1}
	*at(1, 0), *at(1, 1) = [4]float32{0, 0, 1, 0}, [4]float32{0, 0, 2, 0}
	*at(2, 0), *at(2, 1) = [4]float32{1, 0, 0, 1}, [4]float32{-1, 0, 0, 1}
}

// exactCorner returns the point on three planes, nil if there is not one.
func exactCorner(p, q, r *[4]float32) *[3]rational.Rat {
	rat := func(x float32) *rational.Rat { return new(rational.Rat).SetFloat64(float64(x)) }
	det := func(a, b, c [3]*rational.Rat) *rational.Rat {
		minor := func(i, j int) *rational.Rat {
			m := new(rational.Rat).Mul(b[i], c[j])
			return m.Sub(m, new(rational.Rat).Mul(b[j], c[i]))
		}
		d := new(rational.Rat).Mul(a[0], minor(1, 2))
		d.Sub(d, new(rational.Rat).Mul(a[1], minor(0, 2)))
		return d.Add(d, new(rational.Rat).Mul(a[2], minor(0, 1)))
	}
	var rows [3][3]*rational.Rat
	var right [3]*rational.Rat
	for i, plane := range []*[4]float32{p, q, r} {
		for a := range 3 {
			rows[i][a] = rat(plane[a])
		}
		right[i] = rat(-plane[3])
	}
	d := det(rows[0], rows[1], rows[2])
	if d.Sign() == 0 {
		return nil
	}
	c := new([3]rational.Rat)
	for a := range 3 {
		m := rows
		for i := range 3 {
			m[i][a] = right[i]
		}
		c[a].Quo(det(m[0], m[1], m[2]), d)
	}
	return c
}

// heightExact is the depth of a point inside a plane, scaled as given.
func heightExact(p *[4]float32, c *[3]rational.Rat) float64 {
	h := new(rational.Rat).SetFloat64(float64(p[3]))
	for a := range 3 {
		t := new(rational.Rat).SetFloat64(float64(p[a]))
		h.Add(h, t.Mul(t, &c[a]))
	}
	f, _ := h.Float64()
	return f
}

// Corners of frusta of any shape equal the corners in exact arithmetic, with no others; frusta that have eight are
// not rejected.
func TestCornersAreExact(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	good, refused := 0, 0
	for i := range testkit.Budget(t, 200, 4000) {
		var b soa.AABB
		for a := range 3 {
			b.Min[a] = float32(rng.NormFloat64()) * 20
			b.Max[a] = b.Min[a] + 0.1 + 20*rng.Float32()
		}
		planes := [6][4]float32(faces(b))
		tilt := []float64{0.05, 0.3, 1, 5}[i%4]
		for k := range planes {
			// About a corner, so that few are cut off.
			at := b.Min
			if k%2 != 0 {
				at = b.Max
			}
			d := 0.0
			for a := range 3 {
				planes[k][a] += float32(rng.NormFloat64() * tilt)
				d -= float64(planes[k][a]) * float64(at[a])
			}
			planes[k][3] = float32(d)
		}
		f := frustum(t, planes)
		corners, err := f.Corners()
		planes = f.Planes()
		// The eight corners in exact arithmetic, and their depths inside the planes.
		least := math.Inf(1)
		inside := func(c *[3]rational.Rat, own ...int) (h float64) {
			h = math.Inf(1)
			for m := range planes {
				if m != own[0] && m != own[1] && m != own[2] {
					h = min(h, heightExact(&planes[m], c))
				}
			}
			return h
		}
		for k := range corners {
			x, y, z := k&1, 2+k>>1&1, 4+k>>2
			c := exactCorner(&planes[x], &planes[y], &planes[z])
			if c == nil {
				least = math.Inf(-1)
				break
			}
			least = min(least, inside(c, x, y, z))
			for a := range 3 {
				want, _ := c[a].Float64()
				if err == nil && math.Abs(corners[k][a]-want) > 1e-9*(1+math.Abs(want)) {
					t.Fatalf("corner %d is %v, exactly %v on axis %d, planes %x", k, corners[k], want, a, planes)
				}
			}
		}
		if err == nil {
			good++
			if least < -1e-4 {
				t.Fatalf("a corner is %v outside of a plane, planes %x", -least, planes)
			}
			for x := range 6 {
				for y := range x {
					for z := range y {
						c := exactCorner(&planes[x], &planes[y], &planes[z])
						if c == nil || x/2 != y/2 && y/2 != z/2 || inside(c, x, y, z) < 1e-4 {
							continue
						}
						t.Fatalf("planes %d, %d, %d have a corner that is not told, planes %x", z, y, x, planes)
					}
				}
			}
		} else {
			refused++
			// Eight corners well inside are the most that a bounded body can have.
			if least > 1e-4 {
				t.Fatalf("%v, planes %x", err, planes)
			}
		}
	}
	if good < refused/20 || refused < good/20 {
		t.Errorf("%d with corners, %d without", good, refused)
	}
}

// Where corners coincide, another one may hide, or seem to. The frustum is rejected exactly when its body has a
// corner on two opposite planes and on neither plane of another pair.
func TestCornersOfFlatBodies(t *testing.T) {
	for _, planes := range [][6][4]float32{
		{{2, 0, 0, 2}, {-1, 0, -2, 1}, {0, 3, 0, 2}, {-2, -3, -1, 3}, {1, 0, 1, 0}, {-3, 0, -3, 0}},
		{{2, 1, 2, 3}, {-1, 3, -1, 2}, {-3, 1, 2, 1}, {0, -1, -3, 0}, {1, -1, 1, 0}, {-1, 2, -1, 1}},
		{{1, 0, 0, 0}, {-1, 0, 2, 0}, {-3, 2, -1, 3}, {0, -1, 0, 3}, {-2, 0, 3, 0}, {1, 0, -1, 0}},
		{{1, 1, -3, 0}, {-2, -1, 0, 1}, {0, 3, -2, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}, {0, 3, -1, 0}},
		{{1, 0, -3, 3}, {-3, 0, 0, 2}, {0, 1, 3, 0}, {0, -3, -2, 0}, {0, 3, 3, 0}, {0, 0, -3, 0}},
		{{3, 0, 0, 0}, {-1, 3, 0, 0}, {-2, 3, 0, 0}, {0, -2, 0, 0}, {0, 3, 3, 0}, {3, 0, -1, 1}},
	} {
		more := false
		for pair := range 3 {
			for k := range 6 {
				c := exactCorner(&planes[2*pair], &planes[2*pair+1], &planes[k])
				if k/2 == pair || c == nil {
					continue
				}
				third := 3 - pair - k/2
				more = more || heightExact(&planes[k^1], c) >= 0 && heightExact(&planes[2*third], c) > 0 && heightExact(&planes[2*third+1], c) > 0
			}
		}
		if _, err := frustum(t, planes).Corners(); more != (err != nil) || more && !strings.Contains(err.Error(), "not a corner of a frustum") {
			t.Errorf("planes %v, which have other corners: %v: error %v", planes, more, err)
		}
	}
}

// For any planes: no panic, and the returned corners are on their planes and not far outside of the others.
func FuzzCorners(f *testing.F) {
	seed := func(planes [6][4]float32) {
		var data []byte
		for _, p := range planes {
			for _, x := range p {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
		f.Add(data)
	}
	box := [6][4]float32(faces(soa.AABB{Min: [3]float32{-1, -2, 3}, Max: [3]float32{4, 5, 6}}))
	seed(box)
	pyramid(&box)
	seed(box)
	seed([6][4]float32{{1e-40, 0, 0, 1}, {-1e-40, 0, 0, 1}, {0, 3e38, 0, 1}, {0, -3e38, 0, 3e38}, {0, 0, 1, 1}, {1, 1, -1, 1e-45}})
	f.Fuzz(func(t *testing.T, data []byte) {
		var planes [6][4]float32
		for i := range planes {
			for k := range planes[i] {
				if len(data) >= 4 {
					planes[i][k] = math.Float32frombits(binary.LittleEndian.Uint32(data))
					data = data[4:]
				}
			}
		}
		f, err := query.FrustumPlanes(planes)
		if err != nil {
			return
		}
		if again := frustum(t, f.Planes()); again != f {
			t.Fatalf("planes %x, made again %x", f.Planes(), again.Planes())
		}
		corners, err := f.Corners()
		if err != nil {
			return
		}
		for i, c := range corners {
			for m, p := range f.Planes() {
				n := testkit.Wide([3]float32(p[:3]))
				h := inner(n, c) + float64(p[3])
				size := distance64(n, [3]float64{})*distance64(c, [3]float64{}) + math.Abs(float64(p[3]))
				own := m == i&1 || m == 2+i>>1&1 || m == 4+i>>2
				if !(h >= -size*0x1p-10) || own && !(h <= size*0x1p-10) {
					t.Fatalf("corner %d, %v, is %v inside plane %d, planes %x", i, c, h, m, f.Planes())
				}
			}
		}
	})
}

// Corners of a view, and rays and frusta of pixels.
func BenchmarkPick(b *testing.B) {
	p := randomProjection(testkit.Rand(1), 0)
	sum := 0.0
	for _, s := range p.shown(b)[:1] {
		b.Run("op=corners", func(b *testing.B) {
			for b.Loop() {
				c, _ := s.whole.Corners()
				sum += c[3][1]
			}
		})
		b.Run("op=ray", func(b *testing.B) {
			x := 0.0
			for b.Loop() {
				x += 0.01
				_, dir, _, _ := s.view.PickLine(x, 3)
				sum += float64(dir[0])
			}
		})
		b.Run("op=frustum", func(b *testing.B) {
			x := 0.0
			for b.Loop() {
				x += 0.01
				f, _ := s.view.PickFrustum(x, 3, x+7, 8)
				sum += float64(f.Planes()[0][0])
			}
		})
	}
	if sum == 0 {
		b.Error(fmt.Sprint("nothing was computed: ", sum))
	}
}
