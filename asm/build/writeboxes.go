package build

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

const (
	// WritePackets is the maximum number of packets of one call of [WriteBoxes].
	WritePackets = 64

	// writePerCall is the number of packets per call of a kernel: some 30 microseconds with each box
	// from memory (BenchmarkWriteBoxes).
	writePerCall = 32
)

// writeArgs is the argument of a kernel: columns from the first packet on.
type writeArgs struct {
	packets    *soa.Packet
	counts     *uint8
	owners     *soa.Up
	placements *soa.AABB
	nodes      *soa.Node
	n          int                // packets
	index      *[soa.Lanes]uint32 // nil: in order
	rows       int                // of the index: the bound of prefetches
	next       int                // box of the next live lane, if in order
	boxes      *float32
	limit      int // number of boxes
}

// Kernels step over these columns.
var (
	_ [0]struct{} = [unsafe.Sizeof(*writeArgs{}.packets) - 384]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*writeArgs{}.owners) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*writeArgs{}.placements) - 24]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*writeArgs{}.nodes) - 512]struct{}{}
)

// A list without boxes is taken for one of a box that no index has.
var (
	noneWritten = func() (index [WritePackets][soa.Lanes]uint32) {
		for i := range index {
			for l := range index[i] {
				index[i][l] = soa.None
			}
		}
		return index
	}()
	noneBox [6]float32
)

// WriteBoxes replaces boxes in place and refits the level above: it overwrites the boxes in the
// packets of the slots first to first+n-1, at most [WritePackets], and makes the tight boxes of
// their owners exact. boxes has six words minx miny minz maxx maxy maxz each. Live lane l of slot
// first+i gets the box with index index[i][l]. Lanes whose index is out of range are unchanged. If
// index is nil the live lanes get the boxes in order, as far as there are any. If a slot has an
// owner, the bounds of that lane become the union of the packet; masks, references and flags are
// unchanged.
//
// Bit i of written is set if a lane of slot first+i was written. Bit i of away is set if the slot
// has an owner and its union is not inside its placement box. Rows of the index beyond n are only
// prefetched.
//
// It panics if there are fewer slots or rows. It does not allocate.
func WriteBoxes(p *soa.PacketColumns, nodes []soa.Node, first, n int, index [][soa.Lanes]uint32, boxes []float32) (written, away uint64) {
	slots := min(len(p.Bounds), len(p.Counts), len(p.Parents), len(p.PlacementBoxes))
	if first < 0 || n < 0 || n > WritePackets || n > slots-first || index != nil && len(index) < n {
		panic(fmt.Sprintf("build: WriteBoxes: %d slots from %d of %d, %d rows of the index", n, first, slots, len(index)))
	}
	if len(boxes) < 6 { // no kernel has the limit 0
		index, boxes = noneWritten[:n], noneBox[:]
	}
	w := writeArgs{nodes: unsafe.SliceData(nodes), rows: len(index), boxes: unsafe.SliceData(boxes), limit: len(boxes) / 6}
	for i := 0; i < n; i += writePerCall {
		slot := first + i
		w.n = min(writePerCall, n-i)
		w.packets, w.counts, w.owners, w.placements = &p.Bounds[slot], &p.Counts[slot], &p.Parents[slot], &p.PlacementBoxes[slot]
		if index != nil {
			w.index, w.rows = &index[i], len(index)-i
		}
		some, gone := w.write()
		written |= uint64(some) << i
		away |= uint64(gone) << i
	}
	return written, away
}
