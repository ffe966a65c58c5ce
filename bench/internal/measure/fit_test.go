package measure

import (
	"math"
	"testing"
)

func TestFit(t *testing.T) {
	x := Series{1000, 3000, 10_000, 1_000_000}
	for _, want := range [][2]float64{{3, 0.5}, {0.01, 1.25}, {7, 0}, {2, -0.3}} {
		y := x.Each(func(x float64) float64 { return want[0] * math.Pow(x, want[1]) })
		if a, b := Fit(x, y); math.Abs(a-want[0]) > 1e-9*want[0] || math.Abs(b-want[1]) > 1e-12 {
			t.Errorf("%v n^%v is fitted by %v n^%v", want[0], want[1], a, b)
		}
	}
	// Factors that cancel leave the exponent unchanged: 2 up, 2 down, in the middle of three.
	if a, b := Fit(Series{1, 10, 100}, Series{5, 100, 500}); math.Abs(b-1) > 1e-12 || math.Abs(a-5*math.Cbrt(2)) > 1e-9 {
		t.Errorf("fit %v, %v", a, b)
	}
	if _, b := Fit(Series{5}, Series{5}); !math.IsNaN(b) {
		t.Errorf("one point has the exponent %v", b)
	}
}
