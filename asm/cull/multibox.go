package cull

import (
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// MaxBoxes is the maximum number of boxes in one walk.
const MaxBoxes = 16

const (
	// Limits of a box: nodes without the root, packets, and contained references. A box beyond a limit
	// is abandoned, and so is a box that is tested after all boxes together have queued as many nodes
	// as one call may take.
	multiBoxNodeLimit   = 48
	multiBoxPacketLimit = 112
	multiBoxInsideLimit = 3 * soa.Fan

	// A nodes kernel tests the nodes of all boxes, a packets kernel the packets of some boxes.
	boxNodesPerCall   = 400
	boxPacketsPerCall = 896

	// Kernels check the limits after each node, and store whole registers.
	multiBoxQueue = boxNodesPerCall + 2*soa.Fan
)

// BoxesWalk is a batch of box queries for several small boxes, which walks the tree level by level
// for all of them: the loads of nodes of one box overlap with the tests of the others.
//
//	queue   | nodes of box 0 | of box 1 | ... | of box 0, one level down | of box 1 | ...
//	                    ends[0]    ends[1]                          then ends[0] ...
//
// Its lists have a fixed length. A box that exceeds them is abandoned, and must be queried by
// itself.
type BoxesWalk struct {
	Boxes [MaxBoxes]Box
	N     int // number of boxes

	ends   [MaxBoxes]uint32 // ends of the nodes of each box on this level
	left   [MaxBoxes]int32  // nodes that it may still queue; below 0: abandoned
	border [MaxBoxes]uint32 // packets on its border
	within [MaxBoxes]uint32 // contained references
	last   [MaxBoxes]uint32 // end of its slots in list
	queue  [multiBoxQueue]uint32
	slots  [MaxBoxes][multiBoxPacketLimit + soa.Fan]uint32
	inside [MaxBoxes][multiBoxInsideLimit + soa.Fan]soa.Ref
	list   []uint32 // slots of all boxes, in the order of their results
}

// whole marks a slot of the list whose objects are all inside.
const whole = 1 << 31

// Kernels index rows by shifts and products.
var (
	_ [0]struct{} = [unsafe.Sizeof(BoxesWalk{}.slots[0]) - 4*128]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(BoxesWalk{}.inside[0]) - 4*64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(BoxesWalk{}.Boxes[0]) - 4*6]struct{}{}
)

// Nodes walks the tree from the root for all boxes. spans has the slots of nodes, and pending the
// slots of objects that have not been placed yet, which every box tests. A box that intersects more
// than most nodes is abandoned. Nodes allocates only while a list grows.
func (w *BoxesWalk) Nodes(nodes []soa.Node, spans []soa.Span, pending []uint32, most int) {
	most = min(most, multiBoxNodeLimit)
	for i := range w.N {
		w.queue[i], w.ends[i] = 0, uint32(i+1)
		w.left[i], w.border[i], w.within[i] = int32(most), 0, 0
	}
	multiBoxNodes(w, nodes, boxNodesPerCall)
	w.list = w.list[:0]
	for i := range w.N {
		if w.left[i] >= 0 {
			w.gather(i, spans, pending)
		}
		w.last[i] = uint32(len(w.list))
	}
}

// gather lists the slots of a box, contained ones first, unless they exceed the limit.
func (w *BoxesWalk) gather(i int, spans []soa.Span, pending []uint32) {
	first := len(w.list)
	for _, ref := range w.inside[i][:w.within[i]] {
		slot := ref.Index()
		end := slot + 1
		if !ref.IsPacket() {
			slot, end = spans[slot].First, spans[slot].End
			if end == 0 || end-slot > multiBoxPacketLimit {
				w.left[i] = -1 // not a run, or too long
				break
			}
		}
		for ; slot < end; slot++ {
			w.list = append(w.list, slot|whole)
		}
	}
	w.list = append(w.list, pending...)
	w.list = append(w.list, w.slots[i][:w.border[i]]...)
	if w.left[i] < 0 || len(w.list)-first > multiBoxPacketLimit {
		w.left[i], w.list = -1, w.list[:first]
	}
}

// Abandoned reports whether box i was abandoned.
func (w *BoxesWalk) Abandoned(i int) bool { return w.left[i] < 0 }

// Packets returns the number of packets of the boxes that were not abandoned.
func (w *BoxesWalk) Packets() int { return len(w.list) }

// seeking is the argument of a packets kernel.
type seeking struct {
	ids     *uint32 // address of the first ID
	room    int     // room for IDs
	packets *soa.Packet
	columns *[soa.Lanes]uint32 // the IDs
	counts  *uint8
	slots   *uint32
	listed  int // slots that may be prefetched
	at      int // in, out: slots done
	wrote   int // in, out: IDs written
	box     *Box
	end     *uint32 // of its slots
	sum     *uint32 // out: IDs up to the end of the box
	n       int     // boxes; the kernel counts it down
}

// AppendIDs appends the IDs of the objects that the boxes first to end-1 intersect, box by box,
// each in the order of a walk by itself. It sets sums[i] to the number of IDs up to the end of box
// i. Abandoned boxes have none. It allocates only if dst lacks room for all lanes of the packets of
// the boxes.
func (w *BoxesWalk) AppendIDs(dst []uint32, sums *[MaxBoxes]uint32, first, end int, packets []soa.Packet, ids [][soa.Lanes]uint32, counts []uint8) []uint32 {
	from := 0
	if first > 0 {
		from = int(w.last[first-1])
	}
	n := int(w.last[end-1]) - from
	if n == 0 {
		clear(sums[first:end])
		return dst
	}
	dst = slices.Grow(dst, (n+1)*soa.Lanes)
	e := seeking{
		ids:     (*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), 4*len(dst))),
		room:    cap(dst) - len(dst),
		packets: unsafe.SliceData(packets), columns: unsafe.SliceData(ids), counts: unsafe.SliceData(counts),
		slots: unsafe.SliceData(w.list), listed: len(w.list), at: from,
	}
	const step = boxPacketsPerCall / multiBoxPacketLimit
	for i := first; i < end; i += step {
		e.box, e.end, e.sum, e.n = &w.Boxes[i], &w.last[i], &sums[i], min(end-i, step)
		multiBoxPackets(&e)
	}
	return dst[:len(dst)+e.wrote]
}
