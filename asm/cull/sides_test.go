package cull_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// The sides of a box that contain objects are those of the definition: for boxes inside, outside, touching and
// inverted, zeros of both signs, and each set of lanes.
func TestAppendSides(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		number := func() float32 {
			if x := float32(rng.IntN(9) - 4); x != 0 || rng.IntN(2) == 0 {
				return x
			}
			return float32(math.Copysign(0, -1))
		}
		type memory struct {
			packet []soa.Packet
			ids    []kernel.IDRow
			boxes  []cull.Box
			out    []cull.Sided
		}
		var places []memory
		for _, at := range []kernel.Place{kernel.Heap, kernel.Tail, kernel.Head} {
			places = append(places, memory{kernel.Room[soa.Packet](t, at, 1), kernel.Room[kernel.IDRow](t, at, 1),
				kernel.Room[cull.Box](t, at, 1), kernel.Room[cull.Sided](t, at, 1+soa.Lanes)})
		}
		var some, all, none int
		little := func() bool { return min(some, all, none) < 50 }
		cases := testkit.Budget(t, 3000, 300_000)
		for k := 0; k < cases || k < 10*cases && little(); k++ {
			m := &places[k%len(places)]
			packet, ids, boxes, out := m.packet, m.ids, m.boxes, m.out
			for c := range packet[0] {
				for l := range packet[0][c] {
					packet[0][c][l] = number()
				}
			}
			for l := range ids[0] {
				ids[0][l] = rng.Uint32()
			}
			for c := range boxes[0] {
				boxes[0][c] = number() + float32(c%2*2-1)
			}
			lanes := uint16(rng.Uint32())
			if rng.IntN(4) == 0 {
				lanes = 0xffff
			}
			out[0] = cull.Sided{ID: 12345, Sides: 67890}
			want := []cull.Sided{out[0]}
			b := &boxes[0]
			for l := range soa.Lanes {
				if lanes>>l&1 == 0 {
					continue
				}
				sides := uint32(0)
				for a := range 3 {
					if packet[0][2*a][l] >= b[2*a] {
						sides |= 1 << (2 * a)
					}
					if packet[0][2*a+1][l] <= b[2*a+1] {
						sides |= 2 << (2 * a)
					}
				}
				switch sides {
				case 0:
					none++
				case 63:
					all++
					sides = cull.AllSides
				default:
					some++
				}
				want = append(want, cull.Sided{ID: ids[0][l], Sides: sides})
			}
			if got := b.AppendSides(out[:1], &packet[0], &ids[0], lanes); !slices.Equal(got, want) || &got[0] != &out[0] {
				t.Fatalf("lanes %x of %v in %v: %x, want %x", lanes, packet, *b, got, want)
			}
		}
		if little() {
			t.Errorf("%d with all sides, %d with some, %d with none", all, some, none)
		}
	})
}
