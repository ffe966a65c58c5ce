package occlude_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/occlude"
)

// Closed bodies, from a fraction of a step of the grid to some pixels in size, some of them narrow or flat: many of their triangles are flat on the
// grid, of all of them at times, and cover nothing.
func TestSmallClosedMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 2000, 20_000, 300_000) {
		eye, _ := occlude.New(occlude.Config{Width: 12, Height: 9})
		kind := kinds[round%len(kinds)]
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, [3]float64{9, 1, 2}, 0.01, 50)
		if err := v.look(eye); err != nil {
			t.Fatal(err)
		}
		rays := eye.Rays()
		x, y := 1+10*rng.Float64(), 1+7*rng.Float64()
		if rng.IntN(2) == 0 { // about a corner of pixels
			x, y = math.Round(x), math.Round(y)
		}
		size := []float64{1e-4, 2e-3, 1e-2, 1, 4}[rng.IntN(5)]
		across := size * []float64{1, 1e-3, 0}[rng.IntN(3)]
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		s := surface{triangles: [][3]int32{{0, 1, 2}, {0, 1, 3}, {2, 1, 3}, {2, 0, 3}}}
		for range 4 {
			p, q := size*rng.NormFloat64(), across*rng.NormFloat64()
			s.corners = append(s.corners, at(&rays, x+p*cos-q*sin, y+p*sin+q*cos, 3+rng.Float64()))
		}
		m := s.mesh(t)
		eye.DrawMesh(m, linear.Pose{})
		if !c.checkMesh(t, rng, eye, s.placed(linear.Pose{}), s.triangles, nearOf(eye, &v)) {
			t.Fatalf("round %d, %s: %v", round, kind, s.corners)
		}
	}
	t.Logf("%d pixels", c.pixels)
	if c.pixels == 0 {
		t.Error("this tests nothing")
	}
}
