package cull_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// checkIDs compares with the reference: with a dst of no room, of the room of the result and a little less and more,
// and of plenty; and single calls of the kernel into a dst that ends at that kind of memory. It returns the number of
// IDs.
func (k *kernels) checkIDs(t testing.TB, at kernel.Place, packets []soa.Packet, ids []kernel.IDRow, slots []uint32) int {
	t.Helper()
	ranges := k.rangesRef(packets, slots)
	want := emitRef(ids, nil, ranges)
	for _, space := range []int{0, 1, 15, 16, 17, len(want) / 2, len(want) - 16, len(want) - 1, len(want), len(want) + 15, len(want) + 16, soa.Lanes * (len(slots) + 1)} {
		if space < 0 {
			continue
		}
		dst := kernel.Room[uint32](t, at, 1+space)
		dst[0] = 12345
		got, _ := k.AppendIDs(dst[:1], nil, packets, ids, slots)
		if got[0] != 12345 || !slices.Equal(got[1:], want) {
			t.Fatalf("%s: room for %d of %d IDs: got %x, want %x", k.name, space, len(want), got[1:], want)
		}
		if space >= len(want)+soa.Lanes && &got[0] != &dst[0] {
			t.Fatalf("%s: an output that has room for %d more moved", k.name, soa.Lanes)
		}
	}
	if cpu.Active == cpu.Go || len(packets) == 0 {
		return len(want)
	}
	for _, space := range []int{16, 17, 31, 40, 1000} {
		for rest := slots; len(rest) > 0; {
			n := min(len(rest), cull.PacketsPerCall/4)
			dst := kernel.Room[uint32](t, at, space)
			done, wrote := cull.VolumeIDsCall(dst, packets, ids, rest[:n], k.Volume)
			if done < 1 || done > n || done < n && space-wrote >= soa.Lanes {
				t.Fatalf("%s: room for %d: %d of %d packets, %d IDs", k.name, space, done, n, wrote)
			}
			if want := emitRef(ids, nil, k.rangesRef(packets, rest[:done])); !slices.Equal(dst[:wrote], want) {
				t.Fatalf("%s: room for %d: got %x, want %x", k.name, space, dst[:wrote], want)
			}
			rest = rest[done:]
		}
	}
	return len(want)
}

func TestVolumeIDsGuard(t *testing.T) {
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		kernel.EachPlace(t, []int{0, 1, 2, 3, 4, 5, 8, 9, 40}, func(t *testing.T, at kernel.Place, n int) {
			made, _ := kernel.RandomPackets(rng, n, testkit.BoxesSmall)
			madeIDs, _ := kernel.RandomIDs(rng, n)
			k := random(t, at, testkit.BoxesSmall)
			k.checkIDs(t, at, kernel.Put(t, at, made), kernel.Put(t, at, madeIDs), kernel.Put(t, at, kernel.Shuffled(rng, n)))
		})
	})
}

// Random boxes and volumes of every kind, and more packets than one call takes.
func TestVolumeIDsRandom(t *testing.T) {
	rounds := testkit.Budget(t, 5, 40)
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		found := 0
		for round := range rounds {
			kind := testkit.BoxKinds()[round%4]
			n := 30
			if round == 0 {
				n = 2*cull.PacketsPerCall + 17
			}
			packets, _ := kernel.RandomPackets(rng, n, kind)
			ids, _ := kernel.RandomIDs(rng, n)
			found += random(t, kernel.Heap, kind).checkIDs(t, kernel.Heap, packets, ids, kernel.Shuffled(rng, n))
		}
		if found == 0 {
			t.Error("nothing was found")
		}
	})
}

// Packets whose lanes are all hit use the room to the last ID, and no more of it.
func TestVolumeIDsFull(t *testing.T) {
	const n = 9
	rng := testkit.Rand(testkit.Seed(t))
	made, madeIDs := make([]soa.Packet, n), make([]kernel.IDRow, n)
	for i := range made {
		for l := range soa.Lanes {
			kernel.SetPacketBox(&made[i], l, kernel.Columns{-1, 1, -1, 1, -1, 1})
			madeIDs[i][l] = rng.Uint32()
		}
	}
	testkit.EachTier(t, func(t *testing.T) {
		packets, ids := kernel.Put(t, kernel.Tail, made), kernel.Put(t, kernel.Tail, madeIDs)
		for _, k := range holdingAll() {
			if found := k.checkIDs(t, kernel.Tail, packets, ids, kernel.Shuffled(rng, n)); found != n*soa.Lanes {
				t.Errorf("%s: %d IDs, want %d", k.name, found, n*soa.Lanes)
			}
		}
	})
}

// No range is written as long as dst has room, and nothing is allocated.
func TestVolumeIDsAllocations(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	packets, _ := kernel.RandomPackets(rng, 100, testkit.BoxesSmall)
	ids, _ := kernel.RandomIDs(rng, len(packets))
	k, slots := randomBox(t, kernel.Heap, rng, testkit.BoxesSmall), kernel.UpTo(len(packets))
	dst, ranges := make([]uint32, 0, soa.Lanes*(len(packets)+1)), make([]asm.Range, 0, len(packets))
	testkit.EachTier(t, func(t *testing.T) {
		testkit.Allocs(t, 10, func() { dst, ranges = k.AppendIDs(dst[:0], ranges, packets, ids, slots) })
	})
}
