package cull_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// randomRanges returns n ranges over the slots: hit masks, and runs of up to
// longest slots, among them empty ones.
func randomRanges(rng *rand.Rand, n, slots, longest int) []asm.Range {
	ranges := make([]asm.Range, n)
	for i := range ranges {
		first := rng.IntN(slots)
		ranges[i] = asm.Range{First: uint32(first), N: uint32(rng.IntN(min(longest, slots-first) + 1))}
		if rng.IntN(2) == 0 {
			ranges[i].N = asm.RangeHit | (1 + rng.Uint32N(0xffff))
		}
	}
	return ranges
}

// emitRef is the documented order: ranges, slots, lanes.
func emitRef(ids []kernel.IDRow, counts []uint8, ranges []asm.Range) (out []uint32) {
	for _, r := range ranges {
		if r.N&asm.RangeHit != 0 {
			for l := range soa.Lanes {
				if r.N>>l&1 != 0 {
					out = append(out, ids[r.First][l])
				}
			}
			continue
		}
		for slot := r.First; slot < r.First+r.N; slot++ {
			out = append(out, ids[slot][:counts[slot]]...)
		}
	}
	return out
}

// emitCallRef is one call of the kernel: it visits a slot while it may and 16
// IDs fit, and shortens the range that it ends in.
func emitCallRef(room int, ids []kernel.IDRow, counts []uint8, ranges []asm.Range, budget int) (done int, out []uint32) {
	for done < len(ranges) {
		r := &ranges[done]
		if r.N != 0 {
			if budget == 0 || room-len(out) < soa.Lanes {
				return done, out
			}
			budget--
			slot := asm.Range{First: r.First, N: 1}
			if r.N&asm.RangeHit != 0 {
				slot.N, r.N = r.N, 1
			}
			out = append(out, emitRef(ids, counts, []asm.Range{slot})...)
			r.First++
			r.N--
		}
		if r.N == 0 {
			done++
		}
	}
	return done, out
}

// checkEmit appends to a list of kept IDs with room for spare more than the result. The list must not be reallocated
// when 16 or more are spare.
func checkEmit(t testing.TB, at kernel.Place, ids []kernel.IDRow, counts []uint8, ranges []asm.Range, kept, spare int) {
	t.Helper()
	want := emitRef(ids, counts, ranges)
	buffer := kernel.Room[uint32](t, at, max(kept+len(want)+spare, kept))
	for i := range kept {
		buffer[i] = uint32(i)
	}
	got := cull.EmitIDs(buffer[:kept], ids, counts, kernel.Put(t, at, ranges))
	if !slices.Equal(got[:kept], buffer[:kept]) {
		t.Fatal("EmitIDs changed the IDs that dst held")
	}
	testkit.SameIDs(t, got[kept:], want)
	if spare >= soa.Lanes && unsafe.SliceData(got) != unsafe.SliceData(buffer) {
		t.Errorf("dst moved with room for %d more than the answer", spare)
	}
	if t.Failed() {
		t.Fatalf("%d ranges, %d kept, %d spare", len(ranges), kept, spare)
	}
	if n := cull.CountRanges(counts, ranges); n != len(want) {
		t.Fatalf("CountRanges = %d, want %d", n, len(want))
	}
}

// checkEmitCalls emits the ranges in single calls of the kernel, each into
// guarded memory of that room.
func checkEmitCalls(t testing.TB, at kernel.Place, ids []kernel.IDRow, counts []uint8, ranges []asm.Range, space, budget int) {
	t.Helper()
	left, model := kernel.Put(t, at, ranges), slices.Clone(ranges)
	for step := 0; len(left) > 0; step++ {
		dst := kernel.Room[uint32](t, at, space)
		done, wrote := cull.EmitCall(dst, ids, counts, left, budget)
		wantDone, want := emitCallRef(space, ids, counts, model, budget)
		if done != wantDone || wrote != len(want) || !slices.Equal(dst[:wrote], want) {
			t.Fatalf("step %d, room %d, budget %d: finished %d ranges, wrote %d IDs, want %d and %d",
				step, space, budget, done, wrote, wantDone, len(want))
		}
		left, model = left[done:], model[wantDone:]
		if len(left) > 0 && left[0] != model[0] {
			t.Fatalf("step %d, room %d, budget %d: goes on at %#x, want %#x", step, space, budget, left[0], model[0])
		}
		if space < soa.Lanes || budget == 0 {
			return // no call gets anywhere
		}
	}
}

func TestEmitGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(cull.EmitBudget), func(t *testing.T, at kernel.Place, n int) {
			madeIDs, madeCounts := kernel.RandomIDs(rng, n)
			ids, counts := kernel.Put(t, at, madeIDs), kernel.Put(t, at, madeCounts)
			hits := make([]asm.Range, n)
			for i := range hits {
				hits[i] = asm.Range{First: uint32(n - 1 - i), N: asm.RangeHit | (1 + rng.Uint32N(0xffff))}
			}
			all := []asm.Range{{First: 0, N: uint32(n)}}
			var mixed []asm.Range
			if n > 0 {
				mixed = randomRanges(rng, n, n, 3)
			}
			for _, ranges := range [][]asm.Range{nil, hits, all, mixed} {
				checkEmit(t, at, ids, counts, ranges, n%5, soa.Lanes)
				checkEmit(t, at, ids, counts, ranges, 0, 0)
			}
		})
	})
}

// One call of the kernel with every relevant room and budget.
func TestEmitCalls(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{1, 2, 8, 9, 17, 40}, func(t *testing.T, at kernel.Place, n int) {
			madeIDs, madeCounts := kernel.RandomIDs(rng, n)
			ids, counts := kernel.Put(t, at, madeIDs), kernel.Put(t, at, madeCounts)
			ranges := randomRanges(rng, 30, n, 7)
			for _, space := range []int{0, 1, 15, 16, 17, 31, 32, 33, 100, 1000} {
				for _, budget := range []int{0, 1, 2, 7, 8, 9, 1000} {
					checkEmitCalls(t, at, ids, counts, ranges, space, budget)
				}
			}
		})
	})
}

// dst of every capacity from zero to more than enough.
func TestEmitCapacities(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	ids, counts := kernel.RandomIDs(rng, 20)
	testkit.EachTier(t, func(t *testing.T) {
		for _, ranges := range [][]asm.Range{
			nil,
			{{First: 3, N: 0}},
			{{First: 3, N: asm.RangeHit | 1}},
			{{First: 19, N: asm.RangeHit | 1<<15}},
			{{First: 0, N: 20}},
			randomRanges(rng, 9, len(ids), 5),
		} {
			total := len(emitRef(ids, counts, ranges))
			for spare := -total; spare <= 40; spare++ {
				checkEmit(t, kernel.Heap, ids, counts, ranges, 0, spare)
				checkEmit(t, kernel.Heap, ids, counts, ranges, 7, spare)
			}
		}
	})
}

// Runs and lists of ranges around and across the bound of one call.
func TestEmitBudget(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	ids, counts := kernel.RandomIDs(rng, 3*cull.EmitBudget)
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range kernel.Sizes(cull.EmitBudget) {
			for _, ranges := range [][]asm.Range{
				{{First: 5, N: uint32(n)}},
				{{First: 9, N: asm.RangeHit | 0x8001}, {First: 0, N: uint32(n)}, {First: 1, N: asm.RangeHit | 2}},
				randomRanges(rng, n, len(ids), 1),
			} {
				for _, spare := range []int{0, soa.Lanes, 5000} {
					checkEmit(t, kernel.Heap, ids, counts, ranges, 1, spare)
				}
				checkEmitCalls(t, kernel.Heap, ids, counts, ranges, 1<<17, cull.EmitBudget)
			}
		}
	})
}

// Every mask of eight lanes in either half, and every count.
func TestEmitLanes(t *testing.T) {
	ids, counts := make([]kernel.IDRow, soa.Lanes+1), make([]uint8, soa.Lanes+1)
	for slot := range ids {
		counts[slot] = uint8(slot)
		for l := range ids[slot] {
			ids[slot][l] = uint32(slot<<4 | l)
		}
	}
	testkit.EachTier(t, func(t *testing.T) {
		for mask := uint32(1); mask < 256; mask++ {
			for _, m := range []uint32{mask, mask << 8, mask<<8 | mask} {
				checkEmit(t, kernel.Heap, ids, counts, []asm.Range{{First: 16, N: asm.RangeHit | m}}, 0, soa.Lanes)
			}
		}
		for slot := range ids {
			checkEmit(t, kernel.Heap, ids, counts, []asm.Range{{First: uint32(slot), N: 1}}, 0, soa.Lanes)
		}
	})
}

func TestCountSlots(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, n := range kernel.Sizes(cull.EmitBudget) {
		for _, at := range []kernel.Place{kernel.Tail, kernel.Head} {
			counts, want := kernel.Room[uint8](t, at, n), 0
			for i := range counts {
				counts[i] = soa.Lanes
				if n%2 == 0 {
					counts[i] = uint8(rng.IntN(soa.Lanes + 1))
				}
				want += int(counts[i])
			}
			if got := cull.CountSlots(counts); got != want {
				t.Errorf("sum of %d counts = %d, want %d", n, got, want)
			}
		}
	}
}

func TestEmitAllocations(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	ids, counts := kernel.RandomIDs(rng, 100)
	from := randomRanges(rng, 2000, len(ids), 9)
	ranges := slices.Clone(from)
	dst := make([]uint32, 0, len(emitRef(ids, counts, from))+soa.Lanes)
	testkit.EachTier(t, func(t *testing.T) {
		testkit.Allocs(t, 10, func() {
			copy(ranges, from)
			cull.EmitIDs(dst, ids, counts, ranges)
		})
	})
}

// FuzzEmit reads lane counts, then ranges.
func FuzzEmit(f *testing.F) {
	f.Add([]byte{16, 0, 7, 16, 1, 15, 3, 0, 4, 0, 1, 255, 255, 2, 6, 0}, uint8(4), uint16(40), uint16(3))
	f.Add([]byte{9, 0, 0, 1}, uint8(1), uint16(16), uint16(1))
	f.Add([]byte("ranges of a few slots, one after the other"), uint8(20), uint16(100), uint16(1000))
	f.Fuzz(func(t *testing.T, data []byte, slots uint8, space, budget uint16) {
		in := kernel.Reader(data)
		ids, counts := kernel.RandomIDs(testkit.Rand(1), int(slots)+1)
		for i := range counts {
			counts[i] = in.Byte() % (soa.Lanes + 1)
		}
		var ranges []asm.Range
		for len(in) > 0 && len(ranges) < 500 {
			first := int(in.Byte()) % len(ids)
			mask := uint32(in.Byte()) | uint32(in.Byte())<<8
			r := asm.Range{First: uint32(first), N: asm.RangeHit | mask}
			if mask>>15 == 0 || mask == 1<<15 {
				r.N = mask % uint32(len(ids)-first+1)
			}
			ranges = append(ranges, r)
		}
		kernel.OnTiers(t, func() {
			checkEmit(t, kernel.Heap, ids, counts, ranges, int(budget%5), int(space%50))
			checkEmitCalls(t, kernel.Heap, ids, counts, ranges, int(space), int(budget))
		})
	})
}

func ExampleEmitIDs() {
	ids := []kernel.IDRow{{10, 11, 12}, {20, 21}}
	counts := []uint8{3, 2}
	ranges := []asm.Range{{First: 1, N: 1}, {First: 0, N: asm.RangeHit | 0b101}}
	fmt.Println(cull.EmitIDs(nil, ids, counts, ranges))
	// Output: [20 21 10 12]
}
