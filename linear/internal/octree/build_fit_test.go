package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A build examines the centres of all objects if there are few, and otherwise of 1,024 objects or more, less
// than twice as many, at equal distances.
func TestSampleSize(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	sizes := []int{0, 1, 2, 1023, 1024, 1025, 2046, 2047, 2048, 2049, 3071, 3072, 100_000}
	for range 50 {
		sizes = append(sizes, r.IntN(50_000))
	}
	for _, n := range sizes {
		j := &job{objects: make([]soa.Object, n), n: n}
		for i := range j.objects {
			j.objects[i].Box.Min[1], j.objects[i].Box.Max[1] = float32(i), float32(i)
		}
		x := j.sample(nil, 1)
		if got := len(x); got >= 2048 || got < min(n, 1024) {
			t.Errorf("%d of %d centres are looked at", got, n)
		}
		for i := range x {
			if i > 0 && x[i]-x[i-1] != x[1]-x[0] || x[0] != 0 || float32(n)-x[len(x)-1] > max(x[min(1, len(x)-1)], 1) {
				t.Fatalf("of %d centres these are looked at: %v", n, x)
			}
		}
	}
}

// A sample is gathered if three quarters of it or more lie in two neighbours of 16 bins, anywhere.
func TestGathered(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{8, 9, 16, 64, 100, 1024} {
		rest := 2 * max(n/8, 1)
		for out := range n - 1 { // number of values at the lower end, beside one at the upper end
			for _, bin := range []int{3, 7, 11} {
				x := make([]float32, n)
				for i := range x {
					switch {
					case i == 0:
						x[i] = 16
					case i < out:
						x[i] = r.Float32() / 2
					default:
						x[i] = float32(bin) + 0.01 + 1.98*r.Float32()
					}
				}
				x[n-1] = 0
				apart := max(out, 1) + 1
				r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
				want := apart <= rest || apart-1 >= n-rest // or nearly all at the lower end
				if got := gathered(x, 16); got != want {
					t.Fatalf("%d of %d lie apart from bins %d and %d: gathered %v", apart, n, bin, bin+1, got)
				}
			}
		}
	}
	if gathered([]float32{1, 1}, 16) {
		t.Error("two are no sample")
	}
}
