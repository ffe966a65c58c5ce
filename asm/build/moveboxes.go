package build

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// movesPerCall is the number of boxes per call: some 10 microseconds with each packet from memory
// (BenchmarkMoveBoxes).
const movesPerCall = 64

// Moved is the effect of a move on a packet: the index of the object in the batch, flags, and the
// tight box of the packet after the move, in which no bound is -0.
type Moved struct {
	Min   [3]float32
	Index uint32
	Max   [3]float32
	Flags uint32
}

// Flags of [Moved]. They compare the old and the new box of the object with the placement box of
// the packet, and with its tight box before the move: the union of all its boxes.
const (
	MovedAway     = 1 << iota // the old box exceeds the placement box
	MovedLeaves               // the new box exceeds the placement box
	MovedGrows                // the new box exceeds the tight box
	MovedFromFace             // the old box touches a face of the tight box
)

// Kernels step over them by 32 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Moved{}) - 32]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Moved{}.Index) - 12]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Moved{}.Flags) - 28]struct{}{}
)

// MoveBoxes replaces the boxes of moved objects one by one: boxes[i] is written to the location
// at[i]. It lists the moves with a flag other than [MovedAway] in dst, and returns that prefix of
// dst. If neither [MovedFromFace] nor [MovedGrows] is set, the tight box has not changed. placements has
// the placement boxes of packets. Locations behind the first len(boxes) are the next to be written:
// their packets are prefetched, as many as there are boxes.
//
// Boxes must be finite, free lanes empty, and locations valid. It panics if there are fewer
// locations than boxes, or if dst is shorter than boxes. It does not allocate.
func MoveBoxes(dst []Moved, packets []soa.Packet, placements []soa.AABB, at []soa.Location, boxes []soa.AABB) []Moved {
	if len(at) < len(boxes) || len(dst) < len(boxes) {
		panic(fmt.Sprintf("build: MoveBoxes: %d boxes, %d locations, room for %d moves", len(boxes), len(at), len(dst)))
	}
	n := 0
	for i := 0; i < len(boxes); i += movesPerCall {
		k := min(movesPerCall, len(boxes)-i)
		n += moveBoxes(dst[n:], packets, placements, at[i:min(i+2*k, len(at))], boxes[i:i+k], uint32(i))
	}
	return dst[:n]
}
