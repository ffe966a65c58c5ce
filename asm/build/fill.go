package build

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Bounds of one call: packets of a fill kernel, and nodes or packets of a reduce kernel.
const (
	fillPerCall   = 128
	reducePerCall = 512
)

// cachedSlots is the largest number of packets that fit a second level cache of 1 MiB, with their IDs and masks. A
// prefetch of these takes 5 % of a rebuild. (go test ./linear -run '^$' -bench JumpAll)
const cachedSlots = 2048

// itemIndex masks the record index of an item: see package radix.
const itemIndex = 1<<31 - 1

// fillArgs is the argument of a fill kernel. Slot first+i takes the records
// items[starts[i]:starts[i+1]] (at most 16). Assembly finds the columns in the copies here.
type fillArgs struct {
	items     *uint64
	starts    *uint32
	n         int           // slots
	last      int           // number of items: the bound of prefetches; 0: none
	first     int           // slot
	records   *[8]float32   // records source: minimum, maximum, mask, flag
	from      packetColumns // packets source, with the locations of its lanes
	locations *soa.Location
	out       packetColumns
	nodes     []soa.Node
	maskRows  int // -1, or 0 if all packets write the first row of masks, which is not kept
}

// Kernels index the sources by shifts.
var (
	_ [0]struct{} = [unsafe.Sizeof(*fillArgs{}.items) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*fillArgs{}.starts) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*fillArgs{}.records) - 32]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*fillArgs{}.locations) - 4]struct{}{}
)

// FillRecords builds packets from records: it writes the slots first to first+len(starts)-2. Slot
// first+i takes the records with the indices in the low 31 bits of items[starts[i]:starts[i+1]], at
// most 16. The ID of an object is the index of its record. A record is eight words: minimum xyz,
// maximum xyz, mask, and a flag whose first byte is not 0 for a static object.
//
// Free lanes get the empty box, ID 0 and mask 0. If a slot has an owner, that lane of nodes gets
// the union of the boxes, the OR of the masks, and the reference with its flags. Several goroutines
// may fill disjoint slots. If out has no column of masks, every mask must be out.Mask.
func FillRecords(out *soa.PacketColumns, nodes []soa.Node, first int, starts []uint32, items []uint64, records [][8]float32) {
	f := newFill(out, nodes, first, starts, items)
	var unkept [1][soa.Lanes]uint32
	if f.maskRows == 0 {
		f.out.Masks = unkept[:]
	}
	f.records = unsafe.SliceData(records)
	f.run(starts, fillRecords)
}

// FillPackets builds packets from the objects of other packets. It is [FillRecords] with another
// source: places maps the index of an item to the location of its object, which keeps its ID, mask
// and flags. All items must have places, also those behind the last slot: packets are prefetched.
// The capacity of from.Moving must exceed its length by one. If from has no column of masks, out
// has none, either, and has the same mask.
func FillPackets(out *soa.PacketColumns, nodes []soa.Node, first int, starts []uint32, items []uint64, from *soa.PacketColumns, locations []soa.Location) {
	slots, masks := len(from.Bounds), from.Masks
	if len(masks) == 0 {
		masks = from.IDs // to read something
	}
	if have := min(len(from.IDs), len(masks), len(from.Moving)); have < slots || slots > 0 && cap(from.Moving) <= slots {
		panic(fmt.Sprintf("build: source of %d packets with columns of %d, Moving with room for %d", slots, have, cap(from.Moving)))
	}
	uniform := len(from.Masks) == 0 && slots > 0
	if uniform && (len(out.Masks) > 0 || out.Mask != from.Mask) {
		panic(fmt.Sprintf("build: packets of the mask %#x are the source of packets with %d rows of masks, or the mask %#x", from.Mask, len(out.Masks), out.Mask))
	}
	f := newFill(out, nodes, first, starts, items)
	f.from, f.locations = *from, unsafe.SliceData(locations)
	if slots <= cachedSlots {
		f.last = 0
	}
	f.from.Masks = masks
	var unkept [1][soa.Lanes]uint32
	if f.maskRows == 0 {
		f.out.Masks = unkept[:]
	}
	f.run(starts, fillPackets)
	for i := 0; uniform && i < len(starts)-1; i++ {
		setMask(out, nodes, uint32(first+i))
	}
}

// setMask writes the mask of all objects to the lane of the owner of a packet, if it has one. A packet without objects
// has the mask 0.
func setMask(p *soa.PacketColumns, nodes []soa.Node, slot uint32) {
	up, mask := p.Parents[slot], p.Mask
	if up == soa.NoParent {
		return
	}
	if p.Counts[slot] == 0 {
		mask = 0
	}
	nodes[up.Node()].Mask[up.Lane()] = mask
}

func newFill(out *soa.PacketColumns, nodes []soa.Node, first int, starts []uint32, items []uint64) fillArgs {
	n := len(starts) - 1
	slots, maskRows := min(len(out.Bounds), len(out.IDs), len(out.Moving), len(out.Counts), len(out.Parents)), 0
	if len(out.Masks) > 0 {
		slots, maskRows = min(slots, len(out.Masks)), -1
	}
	if n < 0 || first < 0 || n > slots-first {
		panic(fmt.Sprintf("build: fill of %d slots from %d over columns of %d", n, first, slots))
	}
	if int(starts[n]) > len(items) {
		panic(fmt.Sprintf("build: fill up to item %d of %d", starts[n], len(items)))
	}
	return fillArgs{
		items: unsafe.SliceData(items), first: first, last: len(items), out: *out, nodes: nodes, maskRows: maskRows,
	}
}

// run cuts the slots of these starts into bounded calls of the kernel of kind.
func (f *fillArgs) run(starts []uint32, kind fillKind) {
	for n := len(starts) - 1; n > 0; n -= f.n {
		f.starts, f.n = &starts[len(starts)-1-n], min(n, fillPerCall)
		f.call(kind)
		f.first += f.n
	}
}

type fillKind uint8

const (
	fillRecords fillKind = iota
	fillPackets
)

// ReduceNodes refits nodes: for each listed node it writes the union of its lanes into the lane of
// its parent, together with the OR of the masks and the reference with its flags. up[node] is the
// parent link. The root has none and must not be listed. Children must precede their parents.
func ReduceNodes(nodes []soa.Node, up []soa.Up, list []uint32) {
	for len(list) > 0 {
		k := min(len(list), reducePerCall)
		reduceNodes(nodes, up, list[:k])
		list = list[k:]
	}
}

// ReducePackets refits the owners of packets: for each listed slot it writes the union of its boxes
// into the lane of its owner, together with the OR of the masks and the reference with its flags.
// Every slot must have an owner.
func ReducePackets(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	if len(p.Masks) == 0 {
		reduceUniform(p, nodes, slots)
		return
	}
	for len(slots) > 0 {
		k := min(len(slots), reducePerCall)
		reducePackets(p, nodes, slots[:k])
		slots = slots[k:]
	}
}

// reduceUniform is ReducePackets of packets without a column of masks.
func reduceUniform(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	q := *p
	q.Masks = p.IDs // to read something
	for len(slots) > 0 {
		k := min(len(slots), reducePerCall)
		reducePackets(&q, nodes, slots[:k])
		for _, slot := range slots[:k] {
			setMask(p, nodes, slot)
		}
		slots = slots[k:]
	}
}
