package collide_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// A ball rolls along a row of pins; the tracker reports the pairs that began and ended.
func ExampleTracker() {
	box := func(x float32) linear.AABB {
		return linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}}
	}
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		log.Fatal(err)
	}
	_, err = tree.InsertBatch(nil, []linear.Object{
		{Box: box(0)}, // the ball
		{Box: box(2), Static: true}, {Box: box(3), Static: true}, {Box: box(5), Static: true},
	})
	if err != nil {
		log.Fatal(err)
	}
	var tracker collide.Tracker
	for frame := range 5 {
		if err := tree.Move(0, box(1.5*float32(frame))); err != nil {
			log.Fatal(err)
		}
		if err := tree.Tick(); err != nil {
			log.Fatal(err)
		}
		if err := tracker.Update(tree.View()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(frame, "began", tracker.Began(), "ended", tracker.Ended(), "now", tracker.Len())
	}
	// Output:
	// 0 began [] ended [] now 0
	// 1 began [{0 1}] ended [] now 1
	// 2 began [{0 2}] ended [] now 2
	// 3 began [{0 3}] ended [{0 1} {0 2}] now 1
	// 4 began [] ended [] now 1
}
