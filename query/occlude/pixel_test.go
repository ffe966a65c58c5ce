package occlude_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

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
