package build_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// FuzzFill reads the lanes of packets, then records; NaN, which no box has, is
// read as 0.
func FuzzFill(f *testing.F) {
	f.Add([]byte{3, 16, 0, 7, 1, 2, 3, 4, 0, 0, 128, 63}, uint8(3))
	f.Add([]byte("sixteen lanes of text, and then some more of it, are a box or two"), uint8(20))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, slots uint8) {
		in := kernel.Reader(data)
		starts := []uint32{0}
		for range slots {
			starts = append(starts, starts[len(starts)-1]+uint32(in.Byte()%(soa.Lanes+1)))
		}
		const indices = 2 * soa.Lanes
		items := make([]uint64, starts[slots])
		for i := range items {
			items[i] = uint64(in.Byte())%indices | 1<<31 | uint64(i)<<40
		}
		records := make([]record, indices)
		from := &packetSource{Locations: make([]soa.Location, indices)}
		from.Bounds, from.IDs, from.Masks = make([]soa.Packet, 2), make([]kernel.IDRow, 2), make([]kernel.IDRow, 2)
		from.Moving = make([]uint16, 2, 3)
		for i := range from.Locations {
			from.Locations[i] = soa.Location(i)
		}
		for i := range records {
			b := soa.AABB{}
			for a := range 3 {
				b.Min[a], b.Max[a] = number(&in), number(&in)
			}
			var flag [4]byte
			binary.LittleEndian.PutUint32(flag[:], in.Uint32())
			records[i] = makeRecord(b, in.Uint32(), flag)
			slot, lane := i/soa.Lanes, i%soa.Lanes
			kernel.SetPacketBox(&from.Bounds[slot], lane, kernel.ColumnsOf(b))
			from.IDs[slot][lane], from.Masks[slot][lane] = in.Uint32(), in.Uint32()
			from.Moving[slot] |= uint16(flag[3]&1) << lane
		}
		kernel.OnTiers(t, func() {
			checkRecords(t, kernel.Heap, 1, starts, items, records)
			checkFillPackets(t, kernel.Heap, 1, starts, items, from)
		})
	})
}

// number is a float that is not NaN.
func number(r *kernel.Reader) float32 {
	if f := r.Float(); f == f {
		return f
	}
	return 0
}

// FuzzReduce reads boxes, masks and references of nodes; NaN is read as 0.
func FuzzReduce(f *testing.F) {
	f.Add([]byte("the boxes of sixteen children"), uint8(9))
	f.Add([]byte{0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 128, 127}, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		in := kernel.Reader(data)
		nodes, up := make([]soa.Node, int(n)+1), make([]soa.Up, int(n)+1)
		var list []uint32
		for i := range nodes {
			for l := range soa.Fan {
				var c kernel.Columns
				for k := range c {
					c[k] = number(&in)
				}
				kernel.SetNodeBox(&nodes[i], l, c)
				nodes[i].Child[l], nodes[i].Mask[l] = soa.Ref(in.Uint32()), in.Uint32()
			}
			if i > 0 {
				up[i] = soa.Up(in.Byte()) % soa.Up(soa.Fan*i)
				list = append([]uint32{uint32(i)}, list...)
			}
		}
		kernel.OnTiers(t, func() { checkReduce(t, kernel.Heap, nodes, up, list) })
	})
}

func ExampleFillRecords() {
	objects := []soa.Object{
		{Box: soa.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 1, 1}}, Mask: 1},
		{Box: soa.AABB{Min: [3]float32{4, 0, 0}, Max: [3]float32{5, 2, 1}}, Mask: 2, Static: true},
	}
	out := soa.PacketColumns{
		Bounds: make([]soa.Packet, 1), IDs: make([]kernel.IDRow, 1), Masks: make([]kernel.IDRow, 1),
		Moving: make([]uint16, 1), Counts: make([]uint8, 1), Parents: make([]soa.Up, 1),
	}
	nodes := make([]soa.Node, 1)
	records := unsafe.Slice((*record)(unsafe.Pointer(&objects[0])), len(objects))
	build.FillRecords(&out, nodes, 0, []uint32{0, 2}, []uint64{1, 0}, records)
	fmt.Println(out.IDs[0][:out.Counts[0]], out.Moving[0], kernel.NodeBox(&nodes[0], 0), nodes[0].Mask[0])
	// Output: [1 0] 2 [0 5 0 2 0 1] 3
}
