package occlude_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
)

// needle returns a closed mesh with a separate size along each axis, possibly below the grid's resolution:
// a speck, a wire or a leaf.
func needle(rng *rand.Rand) (s surface) {
	s.name = "needle"
	var size [3]float64
	for a := range size {
		size[a] = math.Pow(10, -6*rng.Float64())
	}
	if rng.IntN(2) == 0 {
		size[rng.IntN(3)] = 20
	}
	corner := func(x, y, z float64) [3]float32 {
		return [3]float32{float32(x * size[0]), float32(y * size[1]), float32(z * size[2])}
	}
	if rng.IntN(2) == 0 {
		s.corners = [][3]float32{corner(0, 0, 0), corner(1, 0, 0), corner(0, 1, 0), corner(0, 0, 1)}
		s.triangles = [][3]int32{{0, 1, 2}, {0, 1, 3}, {2, 1, 3}, {2, 0, 3}}
		return s
	}
	for i := range 8 {
		s.corners = append(s.corners, corner(float64(i&1), float64(i>>1&1), float64(i>>2)))
	}
	for _, f := range boxFaces {
		s.triangles = append(s.triangles, [3]int32{f[0], f[1], f[2]}, [3]int32{f[0], f[2], f[3]})
	}
	return s
}

// A closed mesh that is a point or a line on the grid, all of it or in a tile, covers no pixel there.
func TestSpecksOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	specks := 0
	for round := range testkit.Budget(t, 1000, 200_000) {
		kind := kinds[round%len(kinds)]
		culler, _ := occlude.New(occlude.Config{Width: 24, Height: 16})
		v := randomView(rng, kind, [3]float64{}, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 0.1, 100)
		if err := v.look(culler); err != nil {
			t.Fatal(err)
		}
		s := needle(rng)
		far := 1 + 20*rng.Float64()
		transform := randomTransform(t, rng, [3]float64{v.dir[0] * far, v.dir[1] * far, v.dir[2] * far})
		m := s.mesh(t)
		if n := m.Counts(); n.BoundaryEdges+n.NonManifoldEdges > 0 {
			continue // a triangle is flat
		}
		culler.DrawMesh(m, transform)
		if !c.checkMesh(t, rng, culler, s.placed(transform), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s: %v", round, kind, s.corners)
		}
		specks++
	}
	if specks < 500 || c.pixels < 500 {
		t.Errorf("%d specks, %d pixels", specks, c.pixels)
	}
}
