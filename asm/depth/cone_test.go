package depth_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

// randomCone returns a cone on a picture of that size, with lines that are steep, level, or beside it, and depths
// that are below 0 in a parallel projection.
func randomCone(rng *rand.Rand, width, height int, parallel bool) (c depth.Cone) {
	w, h := float64(width), float64(height)
	c.Y0, c.Y1 = rng.IntN(height+1), rng.IntN(height+1)
	if rng.IntN(2) == 0 {
		c.Y0, c.Y1 = 0, height
	}
	lines := func() int {
		if rng.IntN(20) == 0 {
			return rng.IntN(depth.MaxLines + 1)
		}
		return rng.IntN(5)
	}
	c.Lefts, c.Rights, c.Planes = lines(), lines(), 1+rng.IntN(4)
	if rng.IntN(8) == 0 {
		c.Planes = depth.MaxLines - rng.IntN(depth.MaxLines)*rng.IntN(2)
	}
	for k := range depth.MaxLines { // unused lines too
		slope := func() float32 {
			return float32(rng.NormFloat64() * []float64{0, 1e-3, 1, 1, 30, 1e6}[rng.IntN(6)])
		}
		at := func(m float32, far float64) float32 {
			x, y := w*rng.Float64()+far, h*rng.Float64()
			if rng.IntN(2) == 0 {
				x = math.Round(x)
			}
			return float32(x - float64(m)*y)
		}
		c.LM[k], c.RM[k] = slope(), slope()
		c.LC[k], c.RC[k] = at(c.LM[k], -0.4*w), at(c.RM[k], 0.4*w)
		c.P0[k] = float32(1 + rng.Float64())
		c.PX[k], c.PY[k] = float32(rng.NormFloat64()/w), float32(rng.NormFloat64()/h)
		if rng.IntN(30) == 0 {
			c.PX[k] = float32(1e25 * rng.NormFloat64())
		}
	}
	c.Limit = []float32{float32(math.Inf(1)), 1.3, -10}[rng.IntN(3)]
	if parallel {
		c.Limit = -float32(rng.Float64())
		for k := range c.P0 {
			c.P0[k] -= 3
		}
	}
	return c
}

// Each tier draws cones like the reference, with any lines and planes.
func TestConeKernels(t *testing.T) {
	rounds := testkit.Budget(t, testkit.Again(8, 3), 300)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		for _, size := range kernel.PictureSizes {
			covered := 0
			for round := 0; round < rounds || covered == 0 && round < 20*rounds; round++ {
				at := []kernel.Place{kernel.Tail, kernel.Head}[rng.IntN(2)]
				parallel := rng.IntN(3) == 0
				open := float32(0)
				if parallel {
					open = float32(math.Inf(-1))
				}
				want := new(depth.Picture)
				want.Resize(size[0], size[1])
				want.Clear(open)
				got := kernel.CopyPicture(t, at, want)
				cones := kernel.Put(t, at, make([]depth.Cone, 1+rng.IntN(6)))
				for i := range cones {
					cones[i] = randomCone(rng, size[0], size[1], parallel)
				}
				y0 := rng.IntN(size[1])
				y1 := y0 + 1 + rng.IntN(size[1]-y0)
				kernel.OnGo(t, func() { depth.DrawCones(want, cones, y0, y1) })
				depth.DrawCones(got, cones, y0, y1)
				for y := range size[1] {
					for x, v := range got.Row(y) {
						if w := want.Row(y)[x]; math.Float32bits(v) != math.Float32bits(w) {
							t.Fatalf("%v: pixel %d, %d of rows %d to %d is %v, want %v", size, x, y, y0, y1, v, w)
						} else if v != open {
							covered++
						}
					}
				}
			}
			if covered == 0 {
				t.Errorf("%v: no pixel is covered", size)
			}
		}
	})
}
