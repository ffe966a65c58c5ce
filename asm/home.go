package asm

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// homePerCall references go on in one call: some 10 microseconds when each node comes
// from memory (BenchmarkHomeStep).
const homePerCall = 64

// Kernels step over boxes by 24 bytes.
var _ [0]struct{} = [unsafe.Sizeof(soa.AABB{}) - 24]struct{}{}

// HomeStep is a step on the way to the homes of boxes: each reference to a node
// becomes the child whose box would grow least to hold the box of the same index, in
// the sum of the lengths on the three axes; of equal ones that of the smallest sum of
// lengths, so that what lies in several goes to the one that holds least; of equal ones
// the first.
//
//	growth     (x + y) + z    each max(lo - min, 0) + max(max - hi, 0), in float32
//	lengths    (x + y) + z    each |hi - lo|
//
// Both are +Inf in an empty lane, and where they overflow. References to packets stay as
// they are. Those that come have the flags of the child.
//
// Boxes must be finite. It panics when there are fewer boxes than references. It does
// not allocate.
func HomeStep(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	if len(boxes) < len(refs) {
		panic(fmt.Sprintf("asm: HomeStep: %d references, %d boxes", len(refs), len(boxes)))
	}
	for i := 0; i < len(refs); i += homePerCall {
		k := min(homePerCall, len(refs)-i)
		homeStep(refs[i:i+k], nodes, boxes[i:i+k])
	}
}
