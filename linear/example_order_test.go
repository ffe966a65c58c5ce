package linear_test

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A program that moves every object in each frame keeps its boxes in the order of the tree, and reads the order
// again when it has changed.
func ExampleTree_MoveInOrder() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(8))

	ids, arrangement := t.Order(nil)
	boxes := make([]linear.AABB, len(ids))
	load := func() {
		boxes = boxes[:0]
		for _, id := range ids {
			o, _ := t.Object(id)
			boxes = append(boxes, o.Box)
		}
	}
	load()
	for frame := range 3 {
		if frame == 1 {
			t.Insert(linear.Object{Box: boxes[0], Mask: 1})
		}
		for i := range boxes {
			boxes[i].Min[0] += 0.01
			boxes[i].Max[0] += 0.01
		}
		err := t.MoveInOrder(arrangement, boxes)
		if errors.Is(err, linear.ErrRearranged) {
			ids, arrangement = t.Order(ids[:0])
			load()
			err = t.MoveInOrder(arrangement, boxes)
			fmt.Println("frame", frame, "has a new order of", len(ids))
		}
		fmt.Println("frame", frame, err)
	}
	// Output:
	// frame 0 <nil>
	// frame 1 has a new order of 513
	// frame 1 <nil>
	// frame 2 <nil>
}
