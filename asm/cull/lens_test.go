package cull_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// randomLens returns a lens and its parameters: at 512 x 288 pixels or so, about any axes.
func randomLens(rng *rand.Rand, parallel bool) (l cull.Lens, ref, x, y, depth [3]float64) {
	r := testkit.Rotation(rng)
	far := []float64{0, 1, 1000, 1e6}[rng.IntN(4)]
	for a := range 3 {
		ref[a] = far * rng.NormFloat64()
		depth[a] = r[2][a]
		x[a], y[a] = 300*r[0][a], 300*r[1][a]
		if !parallel {
			x[a] += 256 * depth[a]
			y[a] += 144 * depth[a]
		}
	}
	return cull.MakeLens(ref, x, y, depth, parallel), ref, x, y, depth
}

// Corners of boxes, projected in float64, lie in the rectangle and are not nearer than z: of boxes that
// are flat across the view above all, for which no term is generous.
func TestRectangles(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	shown := 0
	for range testkit.Budget(t, testkit.Again(100_000, 20_000), 3_000_000) {
		parallel := rng.IntN(2) == 0
		l, ref, x, y, depth := randomLens(rng, parallel)
		size := math.Pow(10, -6+7*rng.Float64())
		flat := rng.IntN(4)
		var p soa.Packet
		close := rng.IntN(4) == 0
		if close { // a point so close to the eye that the last digits of distant float32 numbers count
			s := math.Pow(10, -5+3*rng.Float64())
			for a := range 3 {
				p[2*a][5] = float32(ref[a])
				p[2*a+1][5] = p[2*a][5]
				ref[a] = float64(p[2*a][5]) - (depth[a]+0.2*rng.NormFloat64())*s
			}
			l = cull.MakeLens(ref, x, y, depth, parallel)
		}
		for a := 0; a < 3 && !close; a++ {
			c := ref[a] + (depth[a]*2+0.5*rng.NormFloat64())*math.Pow(10, -4+6*rng.Float64())
			h := size * rng.Float64()
			if flat == a || flat == 3 {
				h = 0
			}
			p[2*a][5], p[2*a+1][5] = float32(c-h), float32(c+h)
		}
		x0, x1, y0, y1, z, ok := l.Rect(&p, 5)
		if !ok {
			continue
		}
		shown++
		for i := range 8 {
			var at [3]float64
			px, py, t3 := 0.0, 0.0, 0.0
			for a := range 3 {
				at[a] = float64(p[2*a+i>>a&1][5]) - ref[a]
				px += x[a] * at[a]
				py += y[a] * at[a]
				t3 += depth[a] * at[a]
			}
			near := -t3
			if !parallel {
				px, py, near = px/t3, py/t3, 1/t3
				if t3 <= 0 {
					t.Fatalf("corner %d of a box that has a rectangle is behind the eye: w %v", i, t3)
				}
			}
			const off = 1e-13 // of the oracle
			if px < float64(x0)-off*512 || px > float64(x1)+off*512 || py < float64(y0)-off*512 || py > float64(y1)+off*512 || near > float64(z)+off*math.Abs(near) {
				t.Fatalf("parallel %v, lens %+v: corner %d of %v %v %v is at %v %v %v, outside %v..%v, %v..%v or %v", parallel, l, i, p[0][5], p[2][5], p[4][5], px, py, near, x0, x1, y0, y1, z)
			}
		}
	}
	if shown < 10_000 {
		t.Errorf("%d boxes have rectangles", shown)
	}
}

// A hidden rectangle is farther than each pixel that it touches; a rectangle that fits a level without rounding is
// hidden then.
func TestHides(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range kernel.PictureSizes {
		p := kernel.RandomPicture(rng, size[0], size[1])
		hidden := 0
		for range testkit.Again(20_000, 4000) {
			number := func(n int) float32 {
				x := rng.Float64()*float64(n+6) - 3
				if rng.IntN(3) == 0 {
					x = math.Round(x)
				}
				return float32(x)
			}
			x0, y0 := number(size[0]), number(size[1])
			x1, y1 := x0+float32(rng.IntN(40))/4, y0+float32(rng.IntN(12))/4
			z := float32(rng.IntN(5))
			want, on, few := true, false, x1-x0 < 14 && y1-y0 < 2
			for y := max(int(y0)-1, 0); y <= int(y1)+1 && y < size[1]; y++ {
				for x := max(int(x0)-1, 0); x <= int(x1)+1 && x < size[0]; x++ {
					// RandomDepths are closed: their borders belong to both
					inX := float32(x) <= x1 && float32(x+1) > x0 || x+1 == size[0] && x0 == float32(size[0])
					inY := float32(y) <= y1 && float32(y+1) > y0 || y+1 == size[1] && y0 == float32(size[1])
					if inX && inY {
						on = true
						want = want && p.Row(y)[x] > z
					}
				}
			}
			got := cull.HidesRect(p, x0, x1, y0, y1, z)
			if got && !want || few && want && !got {
				t.Fatalf("%v: %v..%v, %v..%v at %v hidden: %v, want %v (on the picture: %v)", size, x0, x1, y0, y1, z, got, want, on)
			}
			if got && on {
				hidden++
			}
		}
		if hidden == 0 {
			t.Errorf("%v: nothing is hidden", size)
		}
		nan := float32(math.NaN())
		for _, r := range [][5]float32{{nan, 1, 0, 1, 0}, {0, nan, 0, 1, 0}, {0, 1, nan, 1, 0}, {0, 1, 0, nan, 0}, {0, 0.5, 0, 0.5, nan}} {
			if cull.HidesRect(p, r[0], r[1], r[2], r[3], r[4]) {
				t.Errorf("%v is hidden", r)
			}
		}
	}
}
