package asm

import (
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// VolumeWalk is the state of a breadth-first walk of the tree for a query volume, between two calls
// of a nodes kernel.
//
//	Queue     ... visited ... | Head ... to test ... | len
//	Packets   slots to test
//	Inside    contained references, flags as in Node.Child
type VolumeWalk struct {
	Queue   []uint32
	Packets []uint32
	Inside  []soa.Ref
	Head    int

	// Budget is the maximum number of nodes that the next call may test; 0: the bound of a call, 64.
	Budget int
}

// Kernels write the lists by words.
var (
	_ [0]struct{} = [unsafe.Sizeof(VolumeWalk{}.Queue[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(VolumeWalk{}.Packets[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(VolumeWalk{}.Inside[0]) - 4]struct{}{}
)

// NodeFilter restricts a walk to children below which an object can pass a filter; the zero value
// keeps none, and [AllNodes] all. The child's mask shares a bit with Mask (0: any), and its
// reference has one of the Flags (0: none passes).
type NodeFilter struct {
	Mask  uint32
	Flags soa.Ref
}

// AllNodes keeps every child.
var AllNodes = NodeFilter{Mask: 0, Flags: soa.RefFlags}

// Reset empties the lists and queues the root.
func (w *VolumeWalk) Reset(root uint32) {
	w.Queue = append(w.Queue[:0], root)
	w.Packets = w.Packets[:0]
	w.Inside = w.Inside[:0]
	w.Head, w.Budget = 0, 0
}

// Done reports whether the queue is used up.
func (w *VolumeWalk) Done() bool { return w.Head >= len(w.Queue) }

// Range is a run of packet slots, or some lanes of one slot.
//
//	N   0ccc cccc cccc cccc cccc cccc cccc cccc   c slots from First, all their objects
//	    1000 0000 0000 0000 mmmm mmmm mmmm mmmm   the lanes m of the slot First, m not 0
type Range struct {
	First uint32
	N     uint32
}

// Kernels step over ranges by 8 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Range{}) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Range{}.N) - 4]struct{}{}
)

// RangeHit marks a Range that has a hit mask.
const RangeHit = 1 << 31
