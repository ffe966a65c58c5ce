package occlude_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/occlude"
)

// Each pixel of the picture of a mesh says the truth, for surfaces and cameras of all kinds, under poses of all kinds, near the
// origin and far from it, large and small.
func TestPixelsOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	pixels := map[string]int{}
	for round := 0; c.rays < samples(t)/3; round++ {
		kind := kinds[round%len(kinds)]
		unit, shift := 1.0, 0.0
		if kind == "camera" {
			unit = []float64{1, 1, 1e-6, 1e6}[rng.IntN(4)]
		}
		if round%5 == 4 && (kind == "camera" || kind == "origin") && unit == 1 {
			shift = 1e5
		}
		eye, _ := occlude.New(occlude.Config{Width: []int{64, 33}[round&1], Height: 36, Workers: 1 + round%3})
		from := [3]float64{shift + unit*rng.NormFloat64()*10, shift + unit*rng.NormFloat64()*10, unit * rng.NormFloat64() * 5}
		to := [3]float64{shift + unit*rng.NormFloat64()*3, shift + unit*rng.NormFloat64()*3, unit * rng.NormFloat64() * 3}
		near := unit * []float64{0.01, 1, 5}[rng.IntN(3)]
		far := 1e4 * unit
		if kind == "parallel" { // whose picture is as wide as it is deep
			far = 100
		}
		v := randomView(rng, kind, from, to, near, far)
		if err := v.look(eye); err != nil {
			t.Fatal(err)
		}
		s := randomSurface(rng, unit*[]float64{0.5, 3, 10}[rng.IntN(3)])
		pose := randomPose(t, rng, to)
		if round%4 == 0 {
			pose = linear.Pose{}
		}
		eye.DrawMesh(s.mesh(t), pose)
		before := c.pixels
		if !c.checkMesh(t, rng, eye, s.placed(pose), s.triangles, nearOf(eye, &v)) {
			t.Fatalf("round %d, %s, %s under %v", round, kind, s.name, pose.Rows())
		}
		pixels[s.name] += c.pixels - before
		pixels[kind] += c.pixels - before
	}
	t.Logf("%d rays, pixels %v", c.rays, pixels)
	if testing.Short() {
		return
	}
	for _, kind := range append([]string{"terrain", "holes", "sphere", "tetrahedron", "soup", "fork", "strip"}, kinds...) {
		if pixels[kind] == 0 {
			t.Errorf("no pixel of %s", kind)
		}
	}
}
