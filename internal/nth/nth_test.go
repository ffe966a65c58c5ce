package nth

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// orders are orders of n numbers.
var orders = map[string]func(r *rand.Rand, i, n int) float32{
	"random":     func(r *rand.Rand, _, _ int) float32 { return r.Float32() - 0.5 },
	"ascending":  func(_ *rand.Rand, i, _ int) float32 { return float32(i) },
	"descending": func(_ *rand.Rand, i, _ int) float32 { return float32(-i) },
	"equal":      func(*rand.Rand, int, int) float32 { return 1 },
	"few values": func(r *rand.Rand, _, _ int) float32 { return float32(r.IntN(3)) },
	"organ pipe": func(_ *rand.Rand, i, n int) float32 { return float32(min(i, n-i)) },
	"one far":    func(_ *rand.Rand, i, n int) float32 { return float32(i/(n-1)) * 1e30 },
}

func lengths() []int {
	all := []int{2, 3, 100, 1000, 2047}
	for n := sortMax - 1; n <= 2*sortMax+1; n++ {
		all = append(all, n)
	}
	return all
}

// check fails unless element k of x is found and parts the others.
func check(t *testing.T, x []float32, k int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(x))
	y := slices.Clone(x)
	got := Element(y, k)
	if got != sorted[k] || y[k] != got {
		t.Fatalf("element %d of %d is %v, returned as %v; want %v", k, len(x), y[k], got, sorted[k])
	}
	if k > 0 && slices.Max(y[:k]) > got || slices.Min(y[k:]) < got {
		t.Fatalf("element %d of %d does not part the others", k, len(x))
	}
	slices.Sort(y)
	if !slices.Equal(y, sorted) {
		t.Fatalf("element %d of %d: the elements are others now", k, len(x))
	}
}

func TestElement(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for name, next := range orders {
		for _, n := range lengths() {
			x := make([]float32, n)
			for i := range x {
				x[i] = next(r, i, n)
			}
			t.Run(name, func(t *testing.T) {
				for _, k := range []int{0, n / 64, n / 8, n / 2, n - 1 - n/8, n - 1} {
					check(t, x, k)
				}
			})
		}
	}
	check(t, []float32{7}, 0)
}

// Where too many medians of three are bad, the rest is sorted: here each is the second smallest of the remaining
// numbers, and the rest is in random order.
func TestElementOfBadMedians(t *testing.T) {
	const n = 1 << 12
	r := rand.New(rand.NewPCG(2, 0))
	at := make([]int, n) // at[i] is the original index of the number at i
	for i := range at {
		at[i] = i
	}
	x := make([]float32, n)
	lo := 0
	for range 2 * bits.Len(n) {
		mid := lo + (n-1-lo)/2
		x[at[lo]], x[at[mid]] = float32(lo), float32(lo+1)
		at[lo+1], at[mid] = at[mid], at[lo+1]
		lo += 2
	}
	for _, i := range at[lo:] {
		x[i] = float32(lo + r.IntN(n))
	}
	check(t, x, n-1)
	Element(x, n-1)
	if !slices.IsSorted(x[lo:]) {
		t.Error("the rest is not sorted: the steps are not bounded")
	}
}

func TestElementAllocatesNothing(t *testing.T) {
	x := make([]float32, 2000)
	for i := range x {
		x[i] = float32(i * 7919 % 2000)
	}
	if got := testing.AllocsPerRun(10, func() { Element(x, 31) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func FuzzElement(f *testing.F) {
	f.Add([]byte("a rank of bytes"), uint(3))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), uint(30))
	f.Fuzz(func(t *testing.T, bytes []byte, k uint) {
		if len(bytes) == 0 {
			return
		}
		x := make([]float32, len(bytes))
		for i, b := range bytes {
			x[i] = float32(b)
		}
		check(t, x, int(k%uint(len(x))))
	})
}
