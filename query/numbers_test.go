package query_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// Every constructor rejects a plane with a number that is not finite, at each position, with its index.
func TestPlanesNotFinite(t *testing.T) {
	for i := range 6 {
		for k := range 4 {
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				var planes [6][4]float32
				var wide [6][4]float64
				for m := range planes {
					planes[m], wide[m] = [4]float32{1, 2, 3, 4}, [4]float64{1, 2, 3, 4}
				}
				planes[i][k], wide[i][k] = float32(x), x
				for form, make := range map[string]func() error{
					"FrustumPlanes":   func() error { _, err := query.FrustumPlanes(planes); return err },
					"FrustumPlanes64": func() error { _, err := query.FrustumPlanes64(wide, [3]float64{}); return err },
					"ConvexPlanes":    func() error { _, err := query.ConvexPlanes(planes[:]); return err },
					"ConvexPlanes64":  func() error { _, err := query.ConvexPlanes64(wide[:], [3]float64{}); return err },
				} {
					if err := make(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("plane %d is not finite", i)) {
						t.Errorf("%s, number %d of plane %d %v: error %v", form, k, i, x, err)
					}
				}
			}
		}
	}
}

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
