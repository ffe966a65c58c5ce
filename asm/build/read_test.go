package build_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// readable returns n packets with random counts. If uniform, they have no column of masks.
func readable(t testing.TB, rng *rand.Rand, at kernel.Place, n int, uniform bool) *packetSource {
	s := randomSource(t, rng, at, n, 1, testkit.BoxesSpecial)
	s.Counts = kernel.Room[uint8](t, at, n)
	for i := range s.Counts {
		s.Counts[i] = uint8(rng.IntN(soa.Lanes + 1))
	}
	if uniform {
		s.Masks, s.Mask = nil, rng.Uint32()
	}
	return s
}

// words returns the bits of records.
func words(records []record) [][8]uint32 {
	return unsafe.Slice((*[8]uint32)(unsafe.Pointer(unsafe.SliceData(records))), len(records))
}

// Records and IDs are those of the live lanes, in the order of the slots. Nothing behind the room of full packets is
// read or written.
func TestReadRecords(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		for _, n := range []int{1, 2, 16, 63, 64, 65, 130} {
			for _, at := range []kernel.Place{kernel.Heap, kernel.Tail, kernel.Head} {
				s := readable(t, rng, at, n, rng.IntN(2) == 0)
				slots := kernel.Room[uint32](t, at, rng.IntN(n+1))
				for i, slot := range kernel.Shuffled(rng, n)[:len(slots)] {
					slots[i] = uint32(slot)
				}
				records, ids := kernel.Room[record](t, at, len(slots)*soa.Lanes), kernel.Room[uint32](t, at, len(slots)*soa.Lanes)
				got := build.ReadRecords(records, ids, &s.PacketColumns, slots)
				var want []record
				var wantIDs []uint32
				for _, slot := range slots {
					for l := range int(s.Counts[slot]) {
						mask, flag := s.Mask, [4]byte{}
						if s.Masks != nil {
							mask = s.Masks[slot][l]
						}
						if s.Moving[slot]>>l&1 == 0 {
							flag[0] = 1
						}
						want = append(want, makeRecord(s.Box(slot, l), mask, flag))
						wantIDs = append(wantIDs, s.IDs[slot][l])
					}
				}
				if got != len(want) || !slices.Equal(words(records[:got]), words(want)) || !slices.Equal(ids[:got], wantIDs) {
					t.Fatalf("%d of %d packets: %d records %v with IDs %v, want %d %v %v",
						len(slots), n, got, records[:got], ids[:got], len(want), want, wantIDs)
				}
			}
		}
	})
}

// Lists that are too short are an error before the kernel runs.
func TestReadRecordsRoom(t *testing.T) {
	s := readable(t, testkit.Rand(1), kernel.Heap, 2, false)
	for _, room := range [][2]int{{2*soa.Lanes - 1, 2 * soa.Lanes}, {2 * soa.Lanes, 2*soa.Lanes - 1}} {
		value := testkit.Panic(func() {
			build.ReadRecords(make([]record, room[0]), make([]uint32, room[1]), &s.PacketColumns, []uint32{0, 1})
		})
		if want := "build: ReadRecords: room for 31 objects of 2 packets"; value != want {
			t.Errorf("panic %v, want %q", value, want)
		}
	}
}

// Full packets in random order.
func BenchmarkReadRecords(b *testing.B) {
	const touched = 24 + 4 + 4 + 32 + 4
	micro.Each(b, touched, func(b *testing.B, boxes int) micro.Kernel {
		n := max(boxes/soa.Lanes, 1)
		s := readable(b, testkit.Rand(1), kernel.Heap, n, false)
		slots := make([]uint32, n)
		for i, slot := range kernel.Shuffled(testkit.Rand(2), n) {
			slots[i], s.Counts[i] = uint32(slot), soa.Lanes
		}
		records, ids := make([]record, n*soa.Lanes), make([]uint32, n*soa.Lanes)
		return micro.Kernel{Items: n * soa.Lanes, Item: "box", Bytes: touched * n * soa.Lanes, Run: func() {
			build.ReadRecords(records, ids, &s.PacketColumns, slots)
		}}
	})
}
