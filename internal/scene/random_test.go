package scene

import (
	"math"
	"slices"
	"testing"
)

func TestCbrt(t *testing.T) {
	for _, x := range []float64{0, 1e-300, 1e-9, 0.1, 1, 2, 7.99, 8, 27, 1e6, 1e7, 1e90, 1e300} {
		if got, want := cbrt(x), math.Cbrt(x); math.Abs(got-want) > 4e-16*want {
			t.Errorf("cbrt(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestNormal(t *testing.T) {
	r := newRandom(1, 0)
	var sum, squares float64
	const n = 100000
	for range n {
		x := r.normal()
		sum += x
		squares += x * x
	}
	if mean, variance := sum/n, squares/n; math.Abs(mean) > 0.02 || math.Abs(variance-1) > 0.02 {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
}

func TestPower(t *testing.T) {
	r := newRandom(1, 0)
	below := 0
	for range 10000 {
		x := r.power(20, 200)
		if x < 20 || x >= 200 {
			t.Fatalf("power(20, 200) = %v", x)
		}
		if x < 40 {
			below++
		}
	}
	// 1/20 - 1/40 of 1/20 - 1/200.
	if below < 5300 || below > 5800 {
		t.Errorf("%d of 10000 are below 40, want 5556", below)
	}
}

// The distance that reach finds is one of all distances from its points, of the right rank.
func TestReach(t *testing.T) {
	for _, sc := range All() {
		const n = 200
		s := newSurvey(sc.Make(n, 3), 1)
		for _, cube := range []bool{true, false} {
			distance, length := squaredDistance, math.Sqrt
			if cube {
				distance, length = cubeDistance, func(d float64) float64 { return d }
			}
			var all []float64
			r := newRandom(7, 94)
			for range 256 {
				p, self := s.onObject(r)
				for i := range s.sample {
					if i != self {
						all = append(all, distance(&s.sample[i], &p))
					}
				}
			}
			slices.Sort(all)
			for _, results := range []int{2, 5, 40, n, n + 1} {
				want := all[min(256*(results-1), len(all))-1]
				if got := s.reach(results, 7, distance, length); got != want {
					t.Errorf("%s, cube %v: %d results within %v, want %v", sc.Name, cube, results, got, want)
				}
			}
		}
	}
}
