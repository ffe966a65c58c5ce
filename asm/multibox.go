package asm

import (
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// MaxBoxes is the largest number of boxes in one walk.
const MaxBoxes = 16

const (
	// A box that meets more nodes, beside the root, or more packets gives up; so does
	// one that comes when all have met as many nodes as one call may take.
	multiBoxNodeLimit   = 48
	multiBoxPacketLimit = 112
	multiBoxInsideLimit = 3 * soa.Fan

	// A nodes kernel tests what all boxes meet, a packets kernel what some of them do.
	boxNodesPerCall   = 400
	boxPacketsPerCall = 896

	// Kernels look after each node whether it was too much, and store whole registers.
	multiBoxQueue = boxNodesPerCall + 2*soa.Fan
)

// BoxesWalk is a walk of several small boxes side by side, level by level: while the
// nodes of one come from memory, those of the others are tested.
//
//	queue   | nodes of box 0 | of box 1 | ... | of box 0, one level down | of box 1 | ...
//	                    ends[0]    ends[1]                          then ends[0] ...
//
// Its lists have a fixed length. A box that meets more gives up: it is to be asked by
// itself.
type BoxesWalk struct {
	Boxes [MaxBoxes]Box
	N     int // how many there are

	ends   [MaxBoxes]uint32 // of the nodes of each box on this level
	left   [MaxBoxes]int32  // nodes that it may still queue; below 0 it has given up
	met    [MaxBoxes]uint32 // packets on its border
	within [MaxBoxes]uint32 // references wholly inside
	last   [MaxBoxes]uint32 // end of its slots in list
	queue  [multiBoxQueue]uint32
	slots  [MaxBoxes][multiBoxPacketLimit + soa.Fan]uint32
	inside [MaxBoxes][multiBoxInsideLimit + soa.Fan]soa.Ref
	list   []uint32 // slots of all boxes, those of each in the order of its answer
}

// whole marks a slot of the list whose objects are all inside.
const whole = 1 << 31

// Kernels index rows by shifts and products.
var (
	_ [0]struct{} = [unsafe.Sizeof(BoxesWalk{}.slots[0]) - 4*128]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(BoxesWalk{}.inside[0]) - 4*64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(BoxesWalk{}.Boxes[0]) - 4*6]struct{}{}
)

// Nodes walks from the root through the nodes, whose slots are spans, with all boxes; a
// box that meets more than most nodes gives up. What is pending is met by each. It
// allocates only while a list grows.
func (w *BoxesWalk) Nodes(nodes []soa.Node, spans []soa.Span, pending []uint32, most int) {
	most = min(most, multiBoxNodeLimit)
	for i := range w.N {
		w.queue[i], w.ends[i] = 0, uint32(i+1)
		w.left[i], w.met[i], w.within[i] = int32(most), 0, 0
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

// gather lists the slots of a box, what is inside first, unless they are too many.
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
	w.list = append(w.list, w.slots[i][:w.met[i]]...)
	if w.left[i] < 0 || len(w.list)-first > multiBoxPacketLimit {
		w.left[i], w.list = -1, w.list[:first]
	}
}

// GaveUp reports whether box i has given up.
func (w *BoxesWalk) GaveUp(i int) bool { return w.left[i] < 0 }

// Met returns how many packets the boxes that have not given up have met.
func (w *BoxesWalk) Met() int { return len(w.list) }

// seeking is the argument of a packets kernel.
type seeking struct {
	ids     *uint32 // where the first ID goes
	room    int     // IDs that fit
	packets *soa.Packet
	columns *[soa.Lanes]uint32 // the IDs
	counts  *uint8
	slots   *uint32
	listed  int // slots that may be fetched
	at      int // in, out: slots done
	wrote   int // in, out: IDs written
	box     *Box
	end     *uint32 // of its slots
	sum     *uint32 // out: IDs up to there
	n       int     // boxes; the kernel counts it down
}

// AppendIDs appends the IDs of the objects that the boxes from first to end, which have
// not given up, meet, box by box, each in the order of a walk by itself, and sets sums[i]
// to how many there are up to the end of box i. It allocates only when dst lacks room
// for all lanes of what the boxes have met.
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
