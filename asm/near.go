package asm

import (
	"math"
	"slices"
)

// Near is the state of a walk towards a point between two calls of
// [NearWalk]. The distance of a box, squared, is in float32, each operation
// rounded by itself:
//
//	d  = max(max(lo - c, c - hi), 0)      on each axis
//	d2 = (dx*dx + dy*dy) + dz*dz          +Inf where it overflows
//
// Each operation is monotone, so no box has a smaller d2 than a box around it.
//
//	entry   63              32 31           0
//	        |  bits of d2     | reference   |     flags dropped but the packet's
//
// Entries compare like their distances, because d2 is not negative.
type Near struct {
	Point [3]float32
	Bound float32  // what is further away, squared, is left out; never NaN
	Stack []uint64 // entries to visit, the next one last
	Sift  Sift

	// What the last call ended at.
	Slot uint32
	Dist [Lanes]float32 // d2 of each lane
}

// One call of a near kernel takes at most nearPerCall entries from the stack,
// pushes at most eight for each, and stores eight at a time.
const (
	nearPerCall = 128
	nearRoom    = nearPerCall*Fan + Fan
)

// NearEntry is the entry of a reference at a squared distance.
func NearEntry(d2 float32, ref uint32) uint64 {
	return uint64(math.Float32bits(d2))<<32 | uint64(ref&refKeep)
}

// NearWalk takes entries from the stack until it comes to a packet that has a
// lane with d2 <= Bound, and returns the mask of such lanes; Slot and Dist are
// then of that packet. It returns 0 when the stack is used up. The caller may
// lower Bound between calls.
//
// Children of a node go onto the stack with the nearest on top, as far as the
// upper 29 bits of d2 tell; the lower lane is further down among equals. When
// Bound is +Inf, the mask may hold free lanes of the packet. It allocates only
// while the stack grows.
func NearWalk(w *Near, nodes []Node, packets []Packet) (mask uint32) {
	for len(w.Stack) > 0 && mask == 0 {
		w.Stack = slices.Grow(w.Stack, nearRoom)
		mask = nearWalk(w, nodes, packets, nearPerCall)
	}
	return mask
}

// NearStep is one step of [NearWalk]: it takes one entry from the stack.
func NearStep(w *Near, nodes []Node, packets []Packet) (mask uint32) {
	w.Stack = slices.Grow(w.Stack, 2*Fan)
	return nearWalk(w, nodes, packets, 1)
}
