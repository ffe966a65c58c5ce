package cull_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// randomColumns returns n slots in that kind of memory. IDs are below limit, or anything in one lane of eight; lanes
// beyond the count hold any values.
func randomColumns(t testing.TB, at kernel.Place, rng *rand.Rand, n int, limit uint32) *soa.PacketColumns {
	ids, counts := kernel.RandomIDs(rng, n)
	masks, moving := make([]kernel.IDRow, n), make([]uint16, n)
	for i := range ids {
		for l := range ids[i] {
			if rng.IntN(8) != 0 {
				ids[i][l] %= limit
			}
			masks[i][l] = 1 << rng.IntN(32) & rng.Uint32()
		}
		moving[i] = uint16(rng.Uint32())
	}
	return &soa.PacketColumns{IDs: kernel.Put(t, at, ids), Masks: kernel.Put(t, at, masks), Moving: kernel.Put(t, at, moving), Counts: kernel.Put(t, at, counts)}
}

// selectRef is the documented result.
func selectRef(o *soa.PacketColumns, ranges []asm.Range, s *cull.LaneFilter) (out []asm.Range) {
	for _, r := range ranges {
		hit, slots := uint32(0xffff), r.N
		if r.N&asm.RangeHit != 0 {
			hit, slots = r.N&0xffff, 1
		}
		for slot := r.First; slot < r.First+slots; slot++ {
			m := uint32(0)
			for l := range int(o.Counts[slot]) {
				id, moving := o.IDs[slot][l], o.Moving[slot]>>l&1 != 0
				wanted := hit>>l&1 != 0 &&
					(s.Mask == 0 || o.Masks[slot][l]&s.Mask != 0) &&
					(moving && s.Flags&soa.RefMoving != 0 || !moving && s.Flags&soa.RefStatic != 0) &&
					(s.Only == nil || int(id/64) < len(s.Only) && s.Only[id/64]>>(id%64)&1 != 0)
				if wanted {
					m |= 1 << l
				}
			}
			if m != 0 {
				out = append(out, asm.Range{First: slot, N: asm.RangeHit | m})
			}
		}
	}
	return out
}

func selections(t testing.TB, at kernel.Place, rng *rand.Rand) (all []cull.LaneFilter) {
	for _, words := range []int{-1, 0, 1, 2, 3, 17} {
		var live []uint64
		if words >= 0 {
			live = kernel.Room[uint64](t, at, words)
			for i := range live {
				live[i] = rng.Uint64()
			}
		}
		for _, mask := range []uint32{0, 1 << 31, 0xff, 0xffffffff} {
			for _, flags := range []soa.Ref{soa.RefFlags, soa.RefMoving, soa.RefStatic} {
				all = append(all, cull.LaneFilter{Mask: mask, Flags: flags, Only: live})
			}
		}
	}
	return all
}

// Every selection, at guarded memory of the exact size, and in every length about the bound of a call.
func TestSelectRanges(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{1, 7, 15, 16, 17, 63}, func(t *testing.T, at kernel.Place, n int) {
			o := randomColumns(t, at, rng, n, 17*64)
			for _, s := range selections(t, at, rng) {
				ranges := randomRanges(rng, n, n, 20)
				want := selectRef(o, ranges, &s)
				got := cull.SelectRanges([]asm.Range{{First: 9, N: 9}}, o, kernel.Put(t, at, ranges), &s)
				if got[0] != (asm.Range{First: 9, N: 9}) || !slices.Equal(got[1:], want) {
					t.Fatalf("%+v\ngot  %x\nwant %x", s, got[1:], want)
				}
			}
		})
		const per = cull.SelectPerCall
		for _, n := range []int{0, 1, per - 1, per, per + 1, 2*per + 17} {
			o := randomColumns(t, kernel.Heap, rng, 4*per, 1<<20)
			for _, longest := range []int{1, 3, 4 * per} {
				s := cull.LaneFilter{Mask: 0xffff, Flags: soa.RefMoving}
				ranges := randomRanges(rng, n, 4*per, longest)
				want := selectRef(o, ranges, &s)
				// The first call writes to memory that has the room of one.
				out := kernel.Room[asm.Range](t, kernel.Tail, per)[:0]
				if got := cull.SelectRanges(out, o, ranges, &s); !slices.Equal(got, want) {
					t.Fatalf("n=%d longest=%d: got %d ranges, want %d", n, longest, len(got), len(want))
				}
			}
		}
	})
}

// lanesOf returns the lanes of ranges, slot by slot: the form of selectRef.
func lanesOf(o *soa.PacketColumns, ranges []asm.Range) []asm.Range {
	return selectRef(o, ranges, &cull.LaneFilter{Flags: soa.RefFlags})
}

// An excluded object is removed from the slot that holds it, in ranges of any form, and ranges are split in order.
func TestSelectRangesExcludes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const n = 40
	for range testkit.Budget(t, 20, 2000) {
		o := randomColumns(t, kernel.Heap, rng, n, 17*64)
		for _, s := range selections(t, kernel.Heap, rng) {
			var ranges []asm.Range // no two share a slot
			for slot := uint32(rng.IntN(3)); slot < n; slot += rng.Uint32N(3) {
				r := asm.Range{First: slot, N: 1 + rng.Uint32N(n-slot)}
				if slot += r.N; rng.IntN(2) == 0 {
					r.N, slot = asm.RangeHit|1+rng.Uint32N(0xffff), r.First+1
				}
				ranges = append(ranges, r)
			}
			rng.Shuffle(len(ranges), func(i, k int) { ranges[i], ranges[k] = ranges[k], ranges[i] })
			at := soa.MakeLocation(rng.Uint32N(n), rng.IntN(soa.Lanes))
			var want []asm.Range
			for _, r := range selectRef(o, ranges, &s) {
				if r.First == at.Slot() {
					r.N &^= 1 << at.Lane()
				}
				if r.N != asm.RangeHit {
					want = append(want, r)
				}
				hit := rng.Uint32N(0x10000)
				s.Exclude = 1 + uint32(at)
				kept := s.Kept(o, r.First, hit)
				s.Exclude = 0
				if without := s.Kept(o, r.First, hit); r.First == at.Slot() && kept != without&^(1<<at.Lane()) || r.First != at.Slot() && kept != without {
					t.Fatalf("%+v without %v: slot %d keeps %#x of %#x", s, at, r.First, kept, without)
				}
			}
			s.Exclude = 1 + uint32(at)
			got := cull.SelectRanges([]asm.Range{{First: 9, N: 9}}, o, slices.Clone(ranges), &s)
			for _, r := range got {
				if r.N == 0 || r.N == asm.RangeHit {
					t.Fatalf("an empty range %x", r)
				}
			}
			if got[0] != (asm.Range{First: 9, N: 9}) || !slices.Equal(lanesOf(o, got[1:]), want) {
				t.Fatalf("%+v without slot %d lane %d of %x\ngot  %x\nwant %x", s, at.Slot(), at.Lane(), ranges, got[1:], want)
			}
		}
	}
}

// One slot at a time gives the same lanes.
func TestSelectionLanes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	o := randomColumns(t, kernel.Heap, rng, 50, 17*64)
	for _, s := range selections(t, kernel.Heap, rng) {
		for slot := range uint32(50) {
			hit := 1 + rng.Uint32N(0xffff)
			got := s.Kept(o, slot, hit)
			var m uint32
			for _, r := range selectRef(o, []asm.Range{{First: slot, N: asm.RangeHit | hit}}, &s) {
				m = r.N & 0xffff
			}
			if got != m {
				t.Fatalf("%+v: slot %d, hit %#x: got %#x, want %#x", s, slot, hit, got, m)
			}
		}
	}
}

func FuzzSelectRanges(f *testing.F) {
	f.Add(uint64(1), uint32(1), uint32(soa.RefMoving), 3)
	f.Add(uint64(2), uint32(0), uint32(soa.RefStatic), -1)
	f.Fuzz(func(t *testing.T, seed uint64, mask, flags uint32, words int) {
		rng := testkit.Rand(seed)
		s := cull.LaneFilter{Mask: mask, Flags: soa.RefStatic | soa.RefMoving}
		if flags%4 != 0 {
			s.Flags = soa.Ref(flags) % 4 << 29
		}
		if words >= 0 {
			s.Only = make([]uint64, words%100)
			for i := range s.Only {
				s.Only[i] = rng.Uint64() & rng.Uint64()
			}
		}
		o := randomColumns(t, kernel.Heap, rng, 40, 6000)
		ranges := randomRanges(rng, 30, 40, 40)
		want := selectRef(o, ranges, &s)
		kernel.OnTiers(t, func() {
			if got := cull.SelectRanges(nil, o, slices.Clone(ranges), &s); !slices.Equal(got, want) {
				t.Errorf("got %x, want %x", got, want)
			}
		})
	})
}
