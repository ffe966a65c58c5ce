package interest_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/interest"
)

// When most players have left, the tracker frees memory.
func ExampleTracker_Trim() {
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := tree.Insert(linear.Object{Mask: 1}); err != nil {
		log.Fatal(err)
	}
	area, err := interest.Sphere([3]float32{}, 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	var tracker interest.Tracker
	first := tracker.Add(area)
	for range 1000 {
		tracker.Add(area)
	}
	for player := uint32(1); player <= 1000; player++ {
		if err := tracker.Remove(player); err != nil {
			log.Fatal(err)
		}
	}
	tracker.Trim()
	if err := tracker.Update(tree.View()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(tracker.Len(), tracker.InView(first), tracker.Add(area))
	// Output: 1 [0] 1
}
