package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// Each face of the box of a cell is in the cell, and the next float32 outside it is in another cell or beyond float32.
func TestCellBox(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	ends := []float32{0, float32(math.Copysign(0, -1)), math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, math.MaxFloat32, -math.MaxFloat32, 1, -1}
	for _, side := range []float64{0.3, 0.25, 1, 1000, 1e-30, 1e-250, 1e38, 1e39, 1e300, math.MaxFloat64, math.Nextafter(1, 2)} {
		index := func(x float32) float64 { return math.Floor(float64(x) / side) }
		for i := range 1000 {
			p := [3]float32{
				float32(r.NormFloat64() * side), float32(math.Ldexp(r.NormFloat64(), r.IntN(250)-125)), float32(float64(r.IntN(100)-50) * side),
			}
			for a := range p {
				if p[a] = min(max(p[a], -math.MaxFloat32), math.MaxFloat32); i < len(ends) {
					p[a] = ends[(i+a)%len(ends)]
				}
			}
			box, err := linear.Thin{Cell: side}.CellBox(p)
			must(t, err)
			for a, x := range p {
				low, high := float32(math.Nextafter32(box.Min[a], -math.MaxFloat32)), math.Nextafter32(box.Max[a], math.MaxFloat32)
				switch {
				case !(box.Min[a] <= x && x <= box.Max[a]), index(box.Min[a]) != index(x), index(box.Max[a]) != index(x):
					t.Fatalf("side %v: the cell of %v is %v", side, p, box)
				case index(low) == index(x) && box.Min[a] > -math.MaxFloat32, index(high) == index(x) && box.Max[a] < math.MaxFloat32:
					t.Fatalf("side %v: the cell of %v is larger than %v on axis %d", side, p, box, a)
				}
			}
		}
	}
}

// CellBox rejects points that are not finite, and sides that New rejects.
func TestCellBoxErrors(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, p := range [][3]float32{{inf, 0, 0}, {0, -inf, 0}, {0, 0, float32(math.NaN())}} {
		if box, err := (linear.Thin{Cell: 1}).CellBox(p); err == nil || box != (linear.AABB{}) {
			t.Errorf("the cell of %v is %v, %v", p, box, err)
		}
	}
	for _, side := range []float64{0, -1, math.NaN(), math.Inf(1), 1e-300} {
		if box, err := (linear.Thin{Cell: side}).CellBox([3]float32{1, 2, 3}); err == nil || box != (linear.AABB{}) {
			t.Errorf("side %v: the cell is %v, %v", side, box, err)
		}
	}
}
