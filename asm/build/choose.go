package build

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// choosePerCall is the number of references per call: some 10 microseconds with each node from memory
// (BenchmarkChooseSubtree).
const choosePerCall = 64

// Kernels step over boxes by 24 bytes.
var _ [0]struct{} = [unsafe.Sizeof(soa.AABB{}) - 24]struct{}{}

// ChooseSubtree descends one level of the tree for a batch of inserted boxes (choose subtree). Each
// reference to a node becomes the child whose box would grow least to contain the box of the same
// index. Growth is the sum over the three axes. Ties are resolved by the smallest sum of lengths,
// so that a box inside several children is inserted into the smallest one, then by the lowest lane.
//
//	growth     (x + y) + z    each max(lo - min, 0) + max(max - hi, 0), in float32
//	lengths    (x + y) + z    each |hi - lo|
//
// Both are +Inf in an empty lane, and on overflow. References to packets are unchanged. New
// references have the flags of the child.
//
// Boxes must be finite. ChooseSubtree panics if there are fewer boxes than references. It does not
// allocate.
func ChooseSubtree(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	if len(boxes) < len(refs) {
		panic(fmt.Sprintf("build: ChooseSubtree: %d references, %d boxes", len(refs), len(boxes)))
	}
	for i := 0; i < len(refs); i += choosePerCall {
		k := min(choosePerCall, len(refs)-i)
		chooseSubtree(refs[i:i+k], nodes, boxes[i:i+k])
	}
}
