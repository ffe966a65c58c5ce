package build_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
)

// Boxes on one side of the origin, where the initial bounds of a survey are on both; and no boxes at all.
func TestSurveyOneSide(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 7, 8, 9, 33, 100} {
			for _, sign := range []float32{1, -1} {
				boxes := make([]float32, 6*n)
				for i := range n {
					for a := range 3 {
						lo, hi := sign*float32(3+i+a), sign*float32(5+i+a)
						boxes[6*i+a], boxes[6*i+3+a] = min(lo, hi), max(lo, hi)
					}
				}
				centres, union, bad := build.Survey(boxes, 6, n)
				for a := range 3 {
					near, far := sign*float32(3+a), sign*float32(5+n-1+a)
					if union[2*a] != min(near, far) || union[2*a+1] != max(near, far) || bad != -1 {
						t.Fatalf("n=%d: axis %d is %v to %v, want %v and %v", n, a, union[2*a], union[2*a+1], near, far)
					}
					near, far = near+sign, far-sign
					if centres[2*a] != min(near, far) || centres[2*a+1] != max(near, far) {
						t.Fatalf("n=%d: centres on axis %d are %v to %v, want %v and %v", n, a, centres[2*a], centres[2*a+1], near, far)
					}
				}
			}
		}
		centres, union, bad := build.Survey(nil, 6, 0)
		inf := float32(math.Inf(1))
		if empty := [6]float32{inf, -inf, inf, -inf, inf, -inf}; centres != empty || union != empty || bad != -1 {
			t.Fatalf("no boxes: centres %v, union %v, bad %d", centres, union, bad)
		}
	})
}
