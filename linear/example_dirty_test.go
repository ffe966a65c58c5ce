package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A game keeps the boxes of its objects by ID, and a bit set of the objects that moved.
func ExampleTree_MoveDirty() {
	var t linear.Tree
	t.InsertBatch(nil, grid(4))
	boxes, dirty := make([]linear.AABB, 64), make([]uint64, 1)
	move := func(id uint32, x float32) {
		boxes[id] = cube(x, 0, 0, 1)
		dirty[id/64] |= 1 << (id % 64)
	}
	move(3, 20)
	move(40, 30)
	fmt.Println(t.MoveDirty(boxes, dirty), t.Bounds().Max)
	clear(dirty) // for the next frame
	// Output: <nil> [31 3.5 3.5]
}

// A bit set of the objects that die in a frame.
func ExampleTree_RemoveDirty() {
	var t linear.Tree
	t.InsertBatch(nil, grid(4))
	dead := make([]uint64, 1)
	for _, id := range []uint32{3, 40} {
		dead[id/64] |= 1 << (id % 64)
	}
	fmt.Println(t.RemoveDirty(dead), t.Len(), t.Has(40))
	clear(dead) // for the next frame
	// Output: <nil> 62 false
}

// A batch records removals from a bit set as a list of removals.
func ExampleBatch_RemoveDirty() {
	var t linear.Tree
	t.InsertBatch(nil, grid(2))
	var b linear.Batch
	b.RemoveDirty([]uint64{1<<2 | 1<<5})
	_, err := t.Apply(&b)
	fmt.Println(b.Len(), err, t.Len())
	// Output: 1 <nil> 6
}

// A batch records moves from a bit set as a list of moves.
func ExampleBatch_MoveDirty() {
	var t linear.Tree
	t.InsertBatch(nil, grid(2))
	var b linear.Batch
	b.MoveDirty([]linear.AABB{2: cube(5, 0, 0, 1)}, []uint64{1 << 2})
	_, err := t.Apply(&b)
	o, _ := t.Object(2)
	fmt.Println(b.Len(), err, o.Box.Center())
	// Output: 1 <nil> [5 0 0]
}
