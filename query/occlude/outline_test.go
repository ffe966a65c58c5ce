package occlude_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// No point of a box or an ellipsoid is outside a side of its outline or in front of a front; each side and most
// fronts touch it.
func TestOutline(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	made, sides, fronts, loose := 0, 0, 0, 0
	for round := range testkit.Budget(t, 300, 10_000) {
		kind := kinds[round%len(kinds)]
		culler := newCuller(t, occlude.Config{Width: 160, Height: 90})
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), 2}, [3]float64{30, 5 * rng.NormFloat64(), 2}, 0.1, 300)
		if v.look(culler) != nil {
			t.Fatal("no view")
		}
		transform, _ := partPose(rng, transformKinds[rng.IntN(len(transformKinds)-3)], [3]float64{30, 10 * rng.NormFloat64(), 5 * rng.NormFloat64()})
		var box *soa.OrientedBox
		var ball *[4]float32
		if round%2 == 0 {
			box = &soa.OrientedBox{}
			for i, r := range testkit.Rotation(rng) {
				half := 5 * rng.Float64()
				box.Center[i] = float32(rng.NormFloat64())
				for a := range 3 {
					box.Axes[i][a] = float32(r[a] * half)
				}
			}
		} else {
			ball = &[4]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64()), 5 * rng.Float32()}
		}
		side, front := culler.Outline(box, ball, transform)
		if front == nil {
			continue
		}
		made++
		rays := culler.Rays()
		pixels := pixelsOf(&rays)
		least := make([]float64, len(side)+len(front)) // of the value of a side, of how far a front is beyond
		size := make([]float64, len(least))
		for i := range least {
			least[i] = math.Inf(1)
		}
		check := func(p [3]float64) {
			x, y, depth := pixels(transform.Point(p))
			z := 1 / depth
			if rays.Parallel {
				z = -depth
			}
			for i, f := range side {
				u := f(x, y)
				least[i], size[i] = min(least[i], u), max(size[i], math.Abs(u))
			}
			for i, f := range front {
				k := i + len(side)
				u := f(x, y) - z
				least[k], size[k] = min(least[k], u), max(size[k], math.Abs(u), math.Abs(z))
			}
		}
		for k := range 3000 {
			var q, p [3]float64
			if box != nil {
				for a := range 3 {
					q[a] = 2*rng.Float64() - 1
					if k < 8 {
						q[a] = float64(k>>a&1*2 - 1)
					}
				}
				for a := range 3 {
					p[a] = float64(box.Center[a])
					for i := range 3 {
						p[a] += q[i] * float64(box.Axes[i][a])
					}
				}
			} else {
				d := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				l := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
				for a := range 3 {
					p[a] = float64(ball[a]) + float64(ball[3])*d[a]/l
				}
			}
			check(p)
		}
		for i := range least {
			if least[i] < -1e-9*size[i] {
				t.Fatalf("round %d, %s, box %v, ball %v under %v: a point is outside of %d of %d sides and %d fronts by %g of %g",
					round, kind, box, ball, transform.Rows(), i, len(side), len(front), least[i], size[i])
			}
			close := 1e-6
			if ball != nil {
				close = 0.03 // the nearest of the points
			}
			if i < len(side) {
				sides++
			} else {
				fronts++
			}
			if least[i] > close*size[i] {
				loose++
				if i < len(side) {
					t.Errorf("round %d, %s, box %v, ball %v: side %d is off by %g of %g", round, kind, box, ball, i, least[i], size[i])
				}
			}
		}
	}
	t.Logf("%d outlines of %d sides and %d fronts, %d of these do not touch", made, sides, fronts, loose)
	if made == 0 || loose*4 > fronts {
		t.Errorf("%d of %d fronts do not touch", loose, fronts)
	}
}
