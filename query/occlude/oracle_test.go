package occlude_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// The oracle represents occluders as half-spaces n·p <= k of exact numbers, and rays as in the frame. Where
// float64 leaves doubt it computes exactly.

// body is a convex solid.
type body struct {
	planes  [][4]float64 // nx ny nz k
	corners [][3]float64 // of the image of a box
}

func boxBody(b soa.AABB) (s body) {
	s.planes = make([][4]float64, 6)
	for a := range 3 {
		lo, hi := &s.planes[2*a], &s.planes[2*a+1]
		lo[a], lo[3] = -1, -float64(b.Min[a])
		hi[a], hi[3] = 1, float64(b.Max[a])
	}
	s.corners = cornersOf([12]float64{0: 1, 5: 1, 10: 1}, b)
	return s
}

// cornersOf returns the corners of the image of a box.
func cornersOf(m [12]float64, b soa.AABB) (list [][3]float64) {
	list = make([][3]float64, 0, 8)
	for i := range 8 {
		var p [3]float64
		for k := range 3 {
			p[k] = m[4*k+3]
			for a, x := range [3]float32{b.Min[0], b.Min[1], b.Min[2]} {
				if i>>a&1 != 0 {
					x = b.Max[a]
				}
				p[k] += m[4*k+a] * float64(x)
			}
		}
		list = append(list, p)
	}
	return list
}

// flat reports whether the body is a rectangle: two opposite planes coincide. Rays between the other planes
// then have the same depth at both, by the same computation.
func (s *body) flat() bool {
	for i := 1; i < len(s.planes); i += 2 {
		p, q := s.planes[i-1], s.planes[i]
		if p == [4]float64{-q[0], -q[1], -q[2], -q[3]} {
			return true
		}
	}
	return false
}

// ray is the ray of a point of the picture.
type ray struct {
	rays *occlude.Rays
	x, y float64
}

// clear is the least difference in float64 between two numbers for a certain order.
const clear = 1e-8

// enters returns the depths at which the ray enters and leaves a body; sure is false where float64 cannot
// decide.
func (r ray) enters(s *body) (in, out float64, sure bool) {
	in, out = math.Inf(-1), math.Inf(1)
	doubt := false
	var o, d, size [3]float64
	f := r.rays
	for a := range 3 {
		o[a], d[a] = f.Ref[a], f.D0[a]
		across := r.x*f.DX[a] + r.y*f.DY[a]
		if f.Parallel {
			o[a] += across
		} else {
			d[a] += across
		}
		size[a] = math.Abs(f.D0[a]) + math.Abs(r.x*f.DX[a]) + math.Abs(r.y*f.DY[a])
	}
	for _, p := range s.planes {
		num, den, numSize, denSize := p[3], 0.0, math.Abs(p[3]), 0.0
		for a := range 3 {
			num -= p[a] * o[a]
			den += p[a] * d[a]
			if numSize += math.Abs(p[a] * f.Ref[a]); f.Parallel {
				numSize += math.Abs(p[a]) * size[a]
			}
			denSize += math.Abs(p[a]) * size[a]
		}
		if math.Abs(den) < 1e-6*denSize || math.Abs(num) < 1e-6*numSize {
			doubt = true
			continue
		}
		if t := num / den; den < 0 {
			in = max(in, t)
		} else {
			out = min(out, t)
		}
	}
	if doubt && in > out+clear*(math.Abs(in)+math.Abs(out)) {
		return in, out, true // the others are enough to miss it
	}
	return in, out, !doubt
}

// frac is the number n/d, d > 0, of exact numbers.
type frac struct{ n, d *big.Float }

// digits suffice for sums of products of float64 here; more are an error of the test.
const digits = 4000

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

func times(a, b *big.Float) *big.Float {
	p := new(big.Float).SetPrec(digits).Mul(a, b)
	if p.Acc() != big.Exact {
		panic("a product is rounded")
	}
	return p
}

func plus(a, b *big.Float) *big.Float {
	s := new(big.Float).SetPrec(digits).Add(a, b)
	if s.Acc() != big.Exact {
		panic("a sum is rounded")
	}
	return s
}

func (f *frac) cmp(g *frac) int { return times(f.n, g.d).Cmp(times(g.n, f.d)) }

func (f *frac) float() float64 {
	q, _ := new(big.Float).SetPrec(80).Quo(f.n, f.d).Float64()
	return q
}

// exact is enters in exact arithmetic; ok is false if the ray misses the body. in and out are nil where the
// ray is not bounded.
func (r ray) exact(s *body) (in, out *frac, ok bool) {
	f := r.rays
	var o, d [3]*big.Float
	for a := range 3 {
		o[a], d[a] = exactly(f.Ref[a]), exactly(f.D0[a])
		across := plus(times(exactly(r.x), exactly(f.DX[a])), times(exactly(r.y), exactly(f.DY[a])))
		if f.Parallel {
			o[a] = plus(o[a], across)
		} else {
			d[a] = plus(d[a], across)
		}
	}
	for _, p := range s.planes {
		n, den := exactly(p[3]), exactly(0)
		for a := range 3 {
			n = plus(n, times(exactly(-p[a]), o[a]))
			den = plus(den, times(exactly(p[a]), d[a]))
		}
		switch den.Sign() {
		case 0:
			if n.Sign() < 0 {
				return nil, nil, false
			}
		case -1:
			if t := (&frac{n.Neg(n), den.Neg(den)}); in == nil || t.cmp(in) > 0 {
				in = t
			}
		case 1:
			if t := (&frac{n, den}); out == nil || t.cmp(out) < 0 {
				out = t
			}
		}
	}
	return in, out, in == nil || out == nil || in.cmp(out) <= 0
}

// stops reports whether the ray enters the body no later than the depth v of its pixel, and not before the
// near plane. slow reports that exact arithmetic was needed.
func (r ray) stops(s *body, v, near float64) (ok, slow bool) {
	in, out, sure := r.enters(s)
	if sure {
		depth := 1 / v
		if r.rays.Parallel {
			depth = -v
		}
		margin := clear * (math.Abs(in) + math.Abs(depth))
		if (in == out && s.flat() || in < out-clear*(math.Abs(in)+math.Abs(out))) && in < depth-margin && in > near+clear*math.Abs(near) {
			return true, false
		}
	}
	from, _, ok := r.exact(s)
	if !ok || from == nil {
		return false, true
	}
	w := &frac{exactly(1), exactly(v)}
	if r.rays.Parallel {
		w = &frac{exactly(-v), exactly(1)}
	}
	return from.cmp(w) <= 0 && from.cmp(&frac{exactly(near), exactly(1)}) >= 0, true
}

// meets is enters, computed exactly where needed.
func (r ray) meets(s *body) (in, out float64, ok bool) {
	in, out, sure := r.enters(s)
	if !sure {
		from, to, ok := r.exact(s)
		if !ok || from == nil || to == nil {
			return 0, 0, false
		}
		in, out = from.float(), to.float()
	}
	return in, out, in <= out
}

// samples returns the number of samples that a test may check: the value of ZOCTREE_OCCLUDE_SAMPLES, or by default as
// many as the time allows. A thousand million samples, in each of the tests of pixels and of hidden points, take about
// a quarter of an hour:
//
//	ZOCTREE_OCCLUDE_SAMPLES=1000000000 go test ./query/occlude -run 'TestPixelsOf|TestOccludedPoints|TestContract' -timeout 1h
func samples(t testing.TB) int {
	t.Helper()
	if s := os.Getenv("ZOCTREE_OCCLUDE_SAMPLES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			t.Fatalf("ZOCTREE_OCCLUDE_SAMPLES=%q is no number of samples", s)
		}
		return n
	}
	return testkit.Budget(t, 20_000, 10_000_000)
}

// tally counts the checks of a pixel oracle.
type tally struct {
	rays, exactly, pixels int
}

// check checks all pixels that a single occluder covers: through their corners and a point between, each
// ray enters it, beyond the near plane, no later than the pixel's depth.
func (c *tally) check(t *testing.T, rng *rand.Rand, culler *occlude.Culler, solid *body, near float64) bool {
	pix, width, height, stride := culler.DepthBuffer()
	rays := culler.Rays()
	for y := range height {
		for x := range width {
			v := float64(pix[y*stride+x])
			if v <= 0 && !rays.Parallel || math.IsInf(v, -1) {
				continue
			}
			c.pixels++
			for i := range 5 {
				dx, dy := float64(i&1), float64(i>>1&1)
				if i == 4 {
					dx, dy = rng.Float64(), rng.Float64()
				}
				r := ray{&rays, float64(x) + dx, float64(y) + dy}
				ok, exactly := r.stops(solid, v, near)
				c.rays++
				if exactly {
					c.exactly++
				}
				if !ok {
					t.Errorf("pixel %d, %d holds %v, but its ray through %v, %v does not enter the solid by then, beyond %v\nrays %+v\nsolid %v", x, y, v, r.x, r.y, near, rays, solid.planes)
					return false
				}
			}
		}
	}
	return true
}

// border checks the corners of pixels next to ones that the occluder does not cover.
func (c *tally) border(t *testing.T, culler *occlude.Culler, solid *body, near float64) bool {
	t.Helper()
	pix, width, height, stride := culler.DepthBuffer()
	rays := culler.Rays()
	open := float32(0)
	if rays.Parallel {
		open = float32(math.Inf(-1))
	}
	at := func(x, y int) bool { return x >= 0 && y >= 0 && x < width && y < height && pix[y*stride+x] == open }
	for y := range height {
		for x := range width {
			if v := pix[y*stride+x]; v != open && (at(x-1, y) || at(x+1, y) || at(x, y-1) || at(x, y+1)) {
				c.pixels++
				for k := range 4 {
					c.rays++
					r := ray{&rays, float64(x + k&1), float64(y + k>>1)}
					if ok, _ := r.stops(solid, float64(v), near); !ok {
						t.Errorf("pixel %d, %d holds %v, but its ray through %v, %v does not enter the solid by then", x, y, v, r.x, r.y)
						return false
					}
				}
			}
		}
	}
	return true
}

// solidBox returns a box of one of some families about a point.
func solidBox(rng *rand.Rand, at [3]float64, size float64) (b soa.AABB) {
	flat := 0
	switch rng.IntN(6) {
	case 0:
		flat = 1 << rng.IntN(3)
	case 1:
		flat = rng.IntN(8)
	}
	for a := range 3 {
		half := size * math.Exp(rng.NormFloat64()) * rng.Float64()
		if flat>>a&1 != 0 {
			half = 0
		}
		b.Min[a], b.Max[a] = float32(at[a]-half), float32(at[a]+half)
	}
	return b
}

// Each pixel of the picture of a box is conservative, for cameras of all kinds, near the origin and far
// from it.
func TestPixelsOfBoxes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := 0; c.rays < samples(t); round++ {
		kind := kinds[round%len(kinds)]
		shift := 0.0
		if round%5 == 4 && (kind == "camera" || kind == "origin") {
			shift = 1e5
		}
		culler := newCuller(t, occlude.Config{Width: []int{64, 33}[round&1], Height: 36})
		from := [3]float64{shift + rng.NormFloat64()*20, shift + rng.NormFloat64()*20, rng.NormFloat64() * 5}
		to := [3]float64{shift + rng.NormFloat64()*5, shift + rng.NormFloat64()*5, rng.NormFloat64() * 5}
		near := []float64{0.01, 1, 10}[rng.IntN(3)]
		v := randomView(rng, kind, from, to, near, 1e4)
		testkit.Must(t, v.look(culler))
		box := solidBox(rng, to, []float64{0.5, 5, 20}[rng.IntN(3)])
		testkit.Must(t, culler.DrawBoxes(box))
		if s := boxBody(box); !c.check(t, rng, culler, &s, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s, box %v", round, kind, box)
		}
	}
	t.Logf("%d rays through %d pixels, %d of them computed exactly", c.rays, c.pixels, c.exactly)
}

// nearOf returns the depth of the near plane in the unit of the rays, less a margin for a rounded matrix.
func nearOf(culler *occlude.Culler, v *view) float64 {
	r := culler.Rays()
	if r.Parallel {
		return -1e-3
	}
	unit := 0.0
	for a := range 3 {
		unit += v.dir[a] * (r.D0[a] + r.DX[a]*float64(r.Width)/2 + r.DY[a]*float64(r.Height)/2)
	}
	if v.kind == "camera" {
		return v.near * (1 - 1e-12)
	}
	return v.near / unit * (1 - 1e-3)
}
