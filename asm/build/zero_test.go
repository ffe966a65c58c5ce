package build_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// zeroBoxes are boxes of -1, 1 and zeros of both signs, many of them points.
func zeroBoxes(rng *rand.Rand, n int) []soa.AABB {
	values := [...]float32{float32(math.Copysign(0, -1)), 0, 0, -1, 1}
	boxes := make([]soa.AABB, n)
	for i := range boxes {
		b := &boxes[i]
		for a := range 3 {
			lo, hi := values[rng.IntN(5)], values[rng.IntN(3)]
			if rng.IntN(2) == 0 {
				lo = values[rng.IntN(2)]
			}
			if hi < lo {
				hi = lo
			}
			b.Min[a], b.Max[a] = lo, hi
		}
	}
	return boxes
}

// checkZeros compares the bounds of the first lanes of nodes, bit by bit, with
// the unions of boxes in which zeros are +0, and returns how many are zero.
func checkZeros(t *testing.T, what string, got *soa.Node, lane int, want kernel.Columns) (zeros int) {
	t.Helper()
	for c, x := range kernel.NodeBox(got, lane) {
		if w := want[c] + 0; math.Float32bits(x) != math.Float32bits(w) {
			t.Fatalf("%s, lane %d, column %d: %#08x, want %#08x", what, lane, c, math.Float32bits(x), math.Float32bits(w))
		}
		if x == 0 {
			zeros++
		}
	}
	return zeros
}

// A bound of a node that is zero is +0 on every tier, for any order of the zeros below: in fills, refits of packets
// and unions of nodes. Packets hold their original zeros.
func TestZeroBounds(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		zeros := 0
		for range 200 {
			const slots = soa.Fan
			boxes := zeroBoxes(rng, slots*soa.Lanes)
			records := make([]record, len(boxes))
			items := make([]uint64, len(boxes))
			starts := []uint32{0}
			for i, b := range boxes {
				records[i], items[i] = makeRecord(b, 1, [4]byte{}), uint64(i)
			}
			for range slots {
				starts = append(starts, starts[len(starts)-1]+uint32(1+rng.IntN(soa.Lanes)))
			}
			out := makeColumns(t, kernel.Heap, slots)
			up := []soa.Up{0, 3}
			out.Nodes = make([]soa.Node, 2)
			for i := range out.Parents {
				out.Parents[i] = soa.Up(soa.Fan + i)
			}
			unions, all := [slots]kernel.Columns{}, kernel.EmptyBox
			for s := range unions {
				unions[s] = kernel.EmptyBox
				for i := starts[s]; i < starts[s+1]; i++ {
					unions[s] = kernel.UnionRef(unions[s], kernel.ColumnsOf(boxes[i]))
				}
				all = kernel.UnionRef(all, unions[s])
			}
			out.fillRecords(0, starts, items, records)
			for s := range slots {
				zeros += checkZeros(t, "fill of records", &out.Nodes[1], s, unions[s])
				for l := range starts[s+1] - starts[s] {
					got, want := kernel.PacketBox(&out.Bounds[s], int(l)), kernel.ColumnsOf(boxes[starts[s]+l])
					for c := range got {
						if math.Float32bits(got[c]) != math.Float32bits(want[c]) {
							t.Fatalf("slot %d lane %d: %x, want %x", s, l, got, want)
						}
					}
				}
			}
			from := &packetSource{out.PacketColumns, make([]soa.Location, len(boxes))}
			from.Moving = append(out.Moving, 0)[:slots]
			for s := range slots {
				for i := starts[s]; i < starts[s+1]; i++ {
					from.Locations[i] = soa.MakeLocation(uint32(s), int(i-starts[s]))
				}
			}
			again := makeColumns(t, kernel.Heap, slots)
			again.Nodes, again.Parents = make([]soa.Node, 2), out.Parents
			again.fillPackets(0, starts, items, from)
			again.Nodes[0], out.Nodes[1] = soa.Node{}, soa.Node{}
			out.reduce(kernel.UpTo(slots))
			for s := range slots {
				zeros += checkZeros(t, "fill of packets", &again.Nodes[1], s, unions[s])
				zeros += checkZeros(t, "refit of packets", &out.Nodes[1], s, unions[s])
			}
			for s := range slots { // as no union of this library leaves them
				kernel.SetNodeBox(&out.Nodes[1], s, unions[s])
			}
			build.ReduceNodes(out.Nodes, up, []uint32{1})
			zeros += checkZeros(t, "union of nodes", &out.Nodes[0], 3, all)
		}
		if zeros == 0 {
			t.Error("no bound is zero")
		}
	})
}
