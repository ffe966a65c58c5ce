package asm

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// movesPerCall boxes are written in one call: some 10 microseconds when each packet
// comes from memory (BenchmarkMoveBoxes).
const movesPerCall = 64

// Moved is what a move has done to a packet: of which object of the batch it was, and
// the tight box of the packet behind it, in which no bound is -0.
type Moved struct {
	Min   [3]float32
	Index uint32
	Max   [3]float32
	Flags uint32
}

// What [Moved] tells of the old box, the new one, the home box and the tight box, that is
// the union of all boxes of the packet, before the move.
const (
	MovedAway   = 1 << iota // the old box sticks out of the home box
	MovedLeaves             // the new one does
	MovedGrows              // the new one sticks out of the tight box
	MovedBears              // the old one touches a face of the tight box
)

// Kernels step over them by 32 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Moved{}) - 32]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Moved{}.Index) - 12]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Moved{}.Flags) - 28]struct{}{}
)

// MoveBoxes overwrites the boxes at the first places, one by one, and lists the moves that
// have a flag beside [MovedAway], in dst, which it returns as long as that list is. Where
// Bears and Grows are not set the tight box has not changed. Homes are the home boxes of
// packets. The places behind those of boxes are where boxes are written next: as many
// of their packets are asked for meanwhile.
//
// Boxes must be finite, lanes that hold none empty, and places those of packets that are
// there. It panics when there are fewer places than boxes, or dst is shorter than boxes. It
// does not allocate.
func MoveBoxes(dst []Moved, packets []soa.Packet, homes []soa.AABB, at []soa.Place, boxes []soa.AABB) []Moved {
	if len(at) < len(boxes) || len(dst) < len(boxes) {
		panic(fmt.Sprintf("asm: MoveBoxes: %d boxes, %d places, room for %d moves", len(boxes), len(at), len(dst)))
	}
	n := 0
	for i := 0; i < len(boxes); i += movesPerCall {
		k := min(movesPerCall, len(boxes)-i)
		n += moveBoxes(dst[n:], packets, homes, at[i:min(i+2*k, len(at))], boxes[i:i+k], uint32(i))
	}
	return dst[:n]
}
