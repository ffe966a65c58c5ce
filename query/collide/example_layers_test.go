package collide_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// The state of a tracker between two updates: all pairs, lasting pairs, and the pairs of one object.
func ExampleTracker_Pairs() {
	box := func(x float32) linear.AABB {
		return linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 2, 1, 1}}
	}
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, []linear.Object{{Box: box(0)}, {Box: box(1)}, {Box: box(8)}}); err != nil {
		log.Fatal(err)
	}
	var tracker collide.Tracker
	if err := tracker.Update(tree.View()); err != nil {
		log.Fatal(err)
	}
	if err := tree.Move(2, box(2)); err != nil { // now touches 0, and overlaps 1
		log.Fatal(err)
	}
	if err := tracker.Update(tree.View()); err != nil {
		log.Fatal(err)
	}
	for p := range tracker.Stayed() {
		fmt.Println("stayed", p)
	}
	n := 0
	for range tracker.Pairs() {
		n++
	}
	fmt.Println(n, "in all")
	for other := range tracker.Of(2) {
		fmt.Println("2 is paired with", other)
	}
	tracker.Reset() // the next update reports all pairs as new
	fmt.Println(tracker.Len())
	// Output:
	// stayed {0 1}
	// 3 in all
	// 2 is paired with 1
	// 2 is paired with 0
	// 0
}

// Layers say which types collide: here all types do, except debris with debris.
func ExampleAllLayers() {
	const debris = 5 // bit 5 of masks
	layers := collide.AllLayers()
	layers[debris] &^= 1 << debris
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	same := linear.AABB{Max: [3]float32{1, 1, 1}}
	if _, err := tree.InsertBatch(nil, []linear.Object{
		{Box: same, Mask: 1 << debris}, {Box: same, Mask: 1 << debris}, {Box: same, Mask: 1},
	}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(collide.Append(nil, collide.Within(tree.View()), collide.Filter{})), "pairs")
	fmt.Println(collide.Append(nil, collide.Within(tree.View()), collide.Filter{Layers: &layers}))
	// Output:
	// 3 pairs
	// [{0 2} {1 2}]
}
