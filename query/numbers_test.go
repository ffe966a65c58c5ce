package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// A plane in float64 is the same one times any power of two, as far as its numbers are
// exact then.
func TestPlanesAnyScale64(t *testing.T) {
	plane := [4]float64{1, -2, 0.5, 3}
	var planes [6][4]float64
	for i := range planes {
		planes[i] = plane
	}
	want, err := query.FrustumPlanes64(planes, [3]float64{1, 2, 3})
	testkit.Must(t, err)
	for e := -1073; e <= 1022; e++ {
		for i := range planes {
			for k, x := range plane {
				planes[i][k] = math.Ldexp(x, e)
			}
		}
		if got, err := query.FrustumPlanes64(planes, [3]float64{1, 2, 3}); err != nil || got != want {
			t.Fatalf("times 2^%d: %v, %v, want %v", e, got, err, want)
		}
	}
}
