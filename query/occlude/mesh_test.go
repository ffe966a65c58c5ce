package occlude_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/occlude"
)

// Each pixel of the picture of a mesh is conservative, for surfaces and cameras of all kinds, under
// transforms of all kinds, near the origin and far from it, large and small.
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
		culler, _ := occlude.New(occlude.Config{Width: []int{64, 33}[round&1], Height: 36, Workers: 1 + round%3})
		from := [3]float64{shift + unit*rng.NormFloat64()*10, shift + unit*rng.NormFloat64()*10, unit * rng.NormFloat64() * 5}
		to := [3]float64{shift + unit*rng.NormFloat64()*3, shift + unit*rng.NormFloat64()*3, unit * rng.NormFloat64() * 3}
		near := unit * []float64{0.01, 1, 5}[rng.IntN(3)]
		far := 1e4 * unit
		if kind == "parallel" { // whose picture is as wide as it is deep
			far = 100
		}
		v := randomView(rng, kind, from, to, near, far)
		if err := v.look(culler); err != nil {
			t.Fatal(err)
		}
		s := randomSurface(rng, unit*[]float64{0.5, 3, 10}[rng.IntN(3)])
		transform := randomTransform(t, rng, to)
		if round%4 == 0 {
			transform = linear.Transform{}
		}
		culler.DrawMesh(s.mesh(t), transform)
		before := c.pixels
		if !c.checkMesh(t, rng, culler, s.placed(transform), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s, %s under %v", round, kind, s.name, transform.Rows())
		}
		pixels[s.name] += c.pixels - before
		pixels[kind] += c.pixels - before
	}
	t.Logf("%d rays, pixels %v", c.rays, pixels)
	if !testkit.Long(t) {
		return
	}
	for _, kind := range append([]string{"terrain", "holes", "sphere", "tetrahedron", "soup", "fork", "strip"}, kinds...) {
		if pixels[kind] == 0 {
			t.Errorf("no pixel of %s", kind)
		}
	}
}

// An edge at which two triangles cannot be oriented alike is a border of both: neither covers pixels beyond
// it, though they are folded onto the same side.
func TestForkedSheets(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	forks := 0
	for round := range testkit.Budget(t, 300, 50_000) {
		culler, _ := occlude.New(occlude.Config{Width: 12, Height: 9})
		kind := kinds[round%len(kinds)]
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, [3]float64{9, 1, 2}, 0.01, 50)
		if err := v.look(culler); err != nil {
			t.Fatal(err)
		}
		rays := culler.Rays()
		// A Möbius strip of five corners, anywhere on the picture.
		var s surface
		for range 5 {
			s.corners = append(s.corners, at(&rays, 12*rng.Float64(), 9*rng.Float64(), 3+0.1*rng.Float64()))
		}
		s.triangles = [][3]int32{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}}
		rng.Shuffle(len(s.triangles), func(i, k int) { s.triangles[i], s.triangles[k] = s.triangles[k], s.triangles[i] })
		m := s.mesh(t)
		forks += m.Counts().NonManifoldEdges
		culler.DrawMesh(m, linear.Transform{})
		if !c.checkMesh(t, rng, culler, s.placed(linear.Transform{}), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s: %v %v", round, kind, s.corners, s.triangles)
		}
	}
	t.Logf("%d forks, %d pixels", forks, c.pixels)
	if forks == 0 || c.pixels == 0 {
		t.Error("this tests nothing")
	}
}
