package morton

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// smallBox returns a box within 2^levels cells an axis of the lowest corner,
// shifted to the corner at base; sometimes an empty one.
func smallBox(rng *rand.Rand, levels int, base Key) Box {
	var lo, hi [3]uint32
	for a := range 3 {
		lo[a], hi[a] = rng.Uint32N(1<<levels), rng.Uint32N(1<<levels)
		if lo[a] > hi[a] && rng.IntN(30) > 0 {
			lo[a], hi[a] = hi[a], lo[a]
		}
	}
	b := BoxOf(lo, hi)
	return Box{b.Lo | base, b.Hi | base}
}

// in reports membership by coordinates, the definition.
func in(b Box, k Key) bool {
	lo, hi := b.Corners()
	x, y, z := k.Decode()
	return lo[0] <= x && x <= hi[0] && lo[1] <= y && y <= hi[1] && lo[2] <= z && z <= hi[2]
}

// checkBox compares Contains, Next, Prev and Ranges of a box in the octant of
// 2^levels cells an axis at base with a walk over all its keys.
func checkBox(t *testing.T, b Box, levels int, base Key) {
	t.Helper()
	n := Key(1) << (3 * levels)
	var want []Range
	prev, hasPrev := Key(0), false
	for k := base; k < base+n; k++ {
		hit := in(b, k)
		if b.Contains(k) != hit {
			t.Fatalf("%v contains %v: %v", b, k, !hit)
		}
		if hit {
			if hasPrev && prev == k-1 {
				want[len(want)-1].Last = k
			} else {
				want = append(want, Range{k, k})
			}
			prev, hasPrev = k, true
		}
		if got, ok := b.Prev(k); ok != hasPrev || got != prev {
			t.Fatalf("%v: Prev(%v) = %v %v, want %v %v", b, k, got, ok, prev, hasPrev)
		}
	}
	if b.Empty() != (want == nil) {
		t.Fatalf("%v: empty %v", b, b.Empty())
	}
	next, hasNext := Key(0), false
	for i := range n {
		k := base + n - 1 - i
		if in(b, k) {
			next, hasNext = k, true
		}
		if got, ok := b.Next(k); ok != hasNext || got != next {
			t.Fatalf("%v: Next(%v) = %v %v, want %v %v", b, k, got, ok, next, hasNext)
		}
	}
	if got := slices.Collect(b.Ranges()); !slices.Equal(got, want) {
		t.Fatalf("%v: ranges %v, want %v", b, got, want)
	}
}

func TestBoxSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 100 {
		base := []Key{0, MaxKey &^ 0xFFF, 0x1234567890123 << 12}[i%3]
		checkBox(t, smallBox(rng, 4, base), 4, base)
	}
}

// Large boxes: each result of Next is in the box, no key of a sample lies between it and k, and the jumps from result
// to result visit the ranges in order.
func TestBoxLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range testkit.Again(2000, 400) {
		b := smallBox(rng, Levels, 0)
		if b.Empty() {
			continue
		}
		k := Key(rng.Uint64()) & MaxKey
		next, ok := b.Next(k)
		prev, okPrev := b.Prev(k)
		if ok != (k <= b.Hi) || okPrev != (k >= b.Lo) {
			t.Fatalf("%v: Next(%v) %v, Prev %v", b, k, ok, okPrev)
		}
		if ok && (next < k || !in(b, next)) || okPrev && (prev > k || !in(b, prev)) {
			t.Fatalf("%v: Next(%v) = %v, Prev = %v", b, k, next, prev)
		}
		if ok && okPrev && next != prev {
			for range 100 {
				if mid := prev + 1 + Key(rng.Uint64())%(next-prev); mid != next && in(b, mid) {
					t.Fatalf("%v: %v lies between Prev %v and Next %v", b, mid, prev, next)
				}
			}
		}
		last, n := Key(0), 0
		for r := range b.Ranges() {
			if !in(b, r.First) || !in(b, r.Last) || r.First > r.Last || n > 0 && (r.First <= last+1 || in(b, r.First-1)) ||
				r.Last < MaxKey && in(b, r.Last+1) {
				t.Fatalf("%v: range %v after %v", b, r, last)
			}
			last = r.Last
			if n++; n == 200 {
				break
			}
		}
	}
	whole := Box{0, MaxKey}
	if got := slices.Collect(whole.Ranges()); !slices.Equal(got, []Range{{0, MaxKey}}) {
		t.Errorf("the whole cube: %v", got)
	}
	if _, ok := whole.Next(MaxKey + 1); ok {
		t.Error("Next beyond the last key")
	}
	if k, ok := whole.Prev(1<<64 - 1); !ok || k != MaxKey {
		t.Error("Prev from beyond the last key")
	}
}

func FuzzBox(f *testing.F) {
	f.Add(uint16(0), uint16(0x1FF), uint64(0))
	f.Add(uint16(0x0A5), uint16(0x1B7), uint64(1)<<40)
	f.Fuzz(func(t *testing.T, lo, hi uint16, base uint64) {
		at := Key(base) & MaxKey &^ 0x1FF
		checkBox(t, Box{at | Key(lo&0x1FF), at | Key(hi&0x1FF)}, 3, at)
	})
}

func BenchmarkNext(b *testing.B) {
	rng := rand.New(rand.NewPCG(6, 6))
	boxes, keys := make([]Box, 1024), make([]Key, 1024)
	for i := range boxes {
		for boxes[i] = smallBox(rng, Levels, 0); boxes[i].Empty(); {
			boxes[i] = smallBox(rng, Levels, 0)
		}
		keys[i] = Key(rng.Uint64()) & MaxKey
	}
	i := 0
	for b.Loop() {
		k, _ := boxes[i%1024].Next(keys[i%1024])
		sink += k
		i++
	}
}

func BenchmarkRanges(b *testing.B) {
	box := BoxOf([3]uint32{1001, 2002, 3003}, [3]uint32{1063, 2067, 3060})
	n := 0
	for b.Loop() {
		n = 0
		for r := range box.Ranges() {
			sink += r.First
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/range")
}
