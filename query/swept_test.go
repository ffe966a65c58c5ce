package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func TestSweptSphereHit(t *testing.T) {
	v := plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{2, 2, 2}}}}, true).View()
	h := float32(math.Sqrt(0.5))
	for _, c := range []struct {
		center, motion [3]float32
		radius         float32
		dist           float32
		pos, normal    [3]float32
	}{
		{[3]float32{-3, 1, 1}, [3]float32{4, 0, 0}, 1, 0.5, [3]float32{0, 1, 1}, [3]float32{-1, 0, 0}},             // a face
		{[3]float32{-5 - h, -5 - h, 1}, [3]float32{10, 10, 0}, 1, 0.5, [3]float32{0, 0, 1}, [3]float32{-h, -h, 0}}, // an edge
		{[3]float32{3, 4, 5}, [3]float32{0, 0, 0}, 3.75, 0, [3]float32{2, 2, 2}, [3]float32{}},                     // overlap at rest
	} {
		s := sweptSphereOf(t, c.center, c.radius, c.motion)
		got, ok := s.First(v, query.Filter{})
		if !ok || math.Abs(float64(got.Dist-c.dist)) > 1e-6 || got.Pos != c.pos {
			t.Errorf("%v: %v %v", c, got, ok)
		}
		for a := range 3 {
			if math.Abs(float64(got.Normal[a]-c.normal[a])) > 1e-6 {
				t.Errorf("%v: normal %v", c, got.Normal)
			}
		}
	}
	// It passes a corner that the box around it would hit.
	s, _ := query.NewSweptSphere([3]float32{-4, -0.9, -0.9}, 1, [3]float32{8, 0, 0})
	if s.Any(v, query.Filter{}) {
		t.Error("the corner of the box around the ball hits")
	}
	nan := float32(math.NaN())
	for _, bad := range [][7]float32{{nan}, {0, 0, 0, nan}, {0, 0, 0, -1}, {0, 0, 0, 1, nan}, {3e38, 0, 0, 3e38}} {
		if _, err := query.NewSweptSphere([3]float32(bad[:3]), bad[3], [3]float32(bad[4:])); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
