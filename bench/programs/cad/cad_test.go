package cad_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/bench/programs/cad"
	"github.com/zoctree/zoctree/linear"
)

type picker interface {
	Move(part int, at linear.Transform) error
	Pick(origin, dir [3]float32) (cad.Pick, bool, error)
}

// made returns both pickers of an assembly.
func made(t testing.TB, a cad.Assembly) (before, after picker) {
	t.Helper()
	before, err1 := cad.NewCopies(a)
	after, err2 := cad.NewScene(a)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return before, after
}

// Both pickers find the same parts, before and after parts move. Distances and triangles may differ where a ray hits
// an edge: one picker finds the box of a triangle before the other has rounded its corners.
func TestSamePicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := cad.Rack(800, 3)
	before, after := made(t, a)
	random := func() (p [3]float32) {
		for d := range p {
			p[d] = float32(rng.Float64()*60 - 10)
		}
		return p
	}
	hits := 0
	for i := range 4000 {
		if i%4 == 0 {
			part := rng.IntN(len(a.Parts))
			at := random()
			to, err := linear.Similarity([3]float64{float64(at[0]), float64(at[1]), float64(at[2])}, [4]float64{rng.Float64(), rng.Float64(), 0, 1}, 1+rng.Float64())
			if err != nil {
				t.Fatal(err)
			}
			if err1, err2 := before.Move(part, to), after.Move(part, to); err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
		}
		origin, target := random(), random()
		dir := [3]float32{target[0] - origin[0], target[1] - origin[1], target[2] - origin[2]}
		want, ok1, _ := before.Pick(origin, dir)
		got, ok2, err := after.Pick(origin, dir)
		if err != nil || ok1 != ok2 || got.Part != want.Part || math.Abs(float64(got.Dist-want.Dist)) > 1e-5 {
			t.Fatalf("pick %d: %v %v %v, want %v %v", i, got, ok2, err, want, ok1)
		}
		if ok1 {
			hits++
		}
	}
	if hits < 1000 {
		t.Errorf("%d rays of 4000 hit", hits)
	}
}

// A ray that is no ray is an error of the new picker; the old one found nothing, or anything.
func TestInvalidRay(t *testing.T) {
	_, after := made(t, cad.Rack(10, 1))
	if _, ok, err := after.Pick([3]float32{float32(math.NaN())}, [3]float32{1, 0, 0}); ok || err == nil {
		t.Errorf("%v %v", ok, err)
	}
}
