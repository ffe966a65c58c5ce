package morton

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// checkCover tests the promises of AppendCover for a box with known maximal
// ranges: shape, superset, exact when k allows, else least excess.
func checkCover(t *testing.T, b Box, k int, exact []Range) {
	t.Helper()
	before := []Range{{7, 7}}
	got := b.AppendCover(before, k)
	if got[0] != before[0] {
		t.Fatalf("%v: lost what dst held", b)
	}
	got = got[1:]
	if len(exact) <= k {
		if !slices.Equal(got, exact) {
			t.Fatalf("%v: cover of %d is %v, want %v", b, k, got, exact)
		}
		return
	}
	excess := checkShape(t, b, k, got)
	for _, r := range exact {
		i, _ := slices.BinarySearchFunc(got, r.First, func(g Range, k Key) int {
			if g.Last < k {
				return -1
			}
			return 1
		})
		if i == len(got) || !got[i].Contains(r.First) || !got[i].Contains(r.Last) {
			t.Fatalf("%v: cover of %d %v misses %v", b, k, got, r)
		}
		excess -= float64(r.Last-r.First) + 1
	}
	if len(exact) > coverEffort*k {
		return
	}
	if len(got) != k {
		t.Fatalf("%v: cover of %d has %d ranges, the box has %d", b, k, len(got), len(exact))
	}
	// The least excess: all gaps but the k-1 widest.
	var gaps []float64
	for i := range exact[1:] {
		gaps = append(gaps, float64(exact[i+1].First-exact[i].Last-1))
	}
	slices.Sort(gaps)
	least := 0.0
	for _, g := range gaps[:len(gaps)-(k-1)] {
		least += g
	}
	if excess != least {
		t.Fatalf("%v: cover of %d has %v keys too many, least is %v", b, k, excess, least)
	}
}

// checkShape tests that ranges are ascending, apart, not empty, at most k, with
// ends in the box, and returns the number of their keys.
func checkShape(t *testing.T, b Box, k int, got []Range) (keys float64) {
	t.Helper()
	if len(got) > k || len(got) == 0 {
		t.Fatalf("%v: %d ranges for %d", b, len(got), k)
	}
	for i, r := range got {
		if r.First > r.Last || i > 0 && r.First <= got[i-1].Last+1 || !in(b, r.First) || !in(b, r.Last) {
			t.Fatalf("%v: cover of %d is malformed at %d: %v", b, k, i, got)
		}
		keys += float64(r.Last-r.First) + 1
	}
	if got[0].First != b.Lo || got[len(got)-1].Last != b.Hi {
		t.Fatalf("%v: cover %v", b, got)
	}
	return keys
}

func TestCoverSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range testkit.Again(1000, 200) {
		b := smallBox(rng, 5, 0)
		exact := slices.Collect(b.Ranges())
		for _, k := range []int{1, 2, 3, 4, 8, 17, len(exact) - 1, len(exact), len(exact) + 1} {
			if k > 0 {
				checkCover(t, b, k, exact)
			}
		}
	}
}

// A box of more than 8k maximal ranges may have a cover of fewer than k ranges, and of more
// keys than k ranges need. One of at most 8k has neither, which checkCover tests.
func TestCoverRounded(t *testing.T) {
	b := BoxOf([3]uint32{14, 0, 0}, [3]uint32{50, 28, 17})
	if got := b.AppendCover(nil, 2); len(got) != 1 || got[0].width()+1 != 62_021 {
		t.Errorf("%v: cover %v", b, got)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	exactly, fewer, boxes := 0, 0, 0
	for i := range 1000 {
		b := smallBox(rng, 3+i%4, 0)
		exact := slices.Collect(b.Ranges())
		for _, k := range []int{2, 3, 5} {
			if len(exact) <= k {
				continue
			}
			checkCover(t, b, k, exact)
			boxes++
			if len(exact) <= coverEffort*k {
				exactly++
			} else if len(b.AppendCover(nil, k)) < k {
				fewer++
			}
		}
	}
	if exactly < boxes/10 || fewer == 0 {
		t.Errorf("of %d covers, %d are of boxes of few ranges, %d have fewer ranges than they may", boxes, exactly, fewer)
	}
}

// Boxes whose ranges cannot be listed: points of the box are in the cover.
func TestCoverLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	boxes := []Box{
		{0, MaxKey},
		BoxOf([3]uint32{0, 0, 1}, [3]uint32{Max, Max, Max}),
		BoxOf([3]uint32{1, 1, 1}, [3]uint32{Max - 1, Max - 1, Max - 1}),
		BoxOf([3]uint32{1 << 20, 0, 0}, [3]uint32{1 << 20, Max, Max}),
		BoxOf([3]uint32{1<<20 - 1, 1<<20 - 1, 1<<20 - 1}, [3]uint32{1 << 20, 1 << 20, 1 << 20}),
	}
	for range 100 {
		boxes = append(boxes, smallBox(rng, Levels, 0))
	}
	for _, b := range boxes {
		for _, k := range []int{1, 2, 7, 64} {
			if b.Empty() {
				if b.AppendCover(nil, k) != nil {
					t.Fatalf("%v is empty", b)
				}
				continue
			}
			got := b.AppendCover(nil, k)
			checkShape(t, b, k, got)
			lo, hi := b.Corners()
			for range 50 {
				var p [3]uint32
				for a := range p {
					p[a] = lo[a] + rng.Uint32N(hi[a]-lo[a]+1)
				}
				key := Encode(p[0], p[1], p[2])
				if !slices.ContainsFunc(got, func(r Range) bool { return r.Contains(key) }) {
					t.Fatalf("%v: cover of %d %v misses %v", b, k, got, key)
				}
			}
		}
	}
}

func TestCoverAllocations(t *testing.T) {
	b := BoxOf([3]uint32{123, 4567, 891011}, [3]uint32{1234, 56789, 1011121})
	dst := make([]Range, 0, 16)
	if n := testing.AllocsPerRun(10, func() { dst = b.AppendCover(dst[:0], 16) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCover(f *testing.F) {
	f.Add(uint16(0), uint16(0xFFF), uint8(1))
	f.Add(uint16(0x123), uint16(0xEDF), uint8(9))
	f.Fuzz(func(t *testing.T, lo, hi uint16, k uint8) {
		b := Box{Key(lo & 0xFFF), Key(hi & 0xFFF)}
		checkCover(t, b, int(k)+1, slices.Collect(b.Ranges()))
	})
}

func BenchmarkCover(b *testing.B) {
	for _, k := range []int{1, 4, 16, 64, 256} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			b.ReportAllocs()
			rng := rand.New(rand.NewPCG(9, 9))
			boxes := make([]Box, 64)
			for i := range boxes {
				for boxes[i] = smallBox(rng, Levels, 0); boxes[i].Empty(); {
					boxes[i] = smallBox(rng, Levels, 0)
				}
			}
			var dst []Range
			i, excess := 0, 0.0
			for b.Loop() {
				box := boxes[i%len(boxes)]
				dst = box.AppendCover(dst[:0], k)
				if i++; i <= len(boxes) {
					excess += excessOf(box, dst)
				}
			}
			b.ReportMetric(excess/float64(min(i, len(boxes))), "keys/key")
		})
	}
}

// excessOf returns the keys of the cover per key of the box.
func excessOf(b Box, cover []Range) float64 {
	lo, hi := b.Corners()
	volume, keys := 1.0, 0.0
	for a := range 3 {
		volume *= float64(hi[a]-lo[a]) + 1
	}
	for _, r := range cover {
		keys += float64(r.Last-r.First) + 1
	}
	return keys / volume
}
