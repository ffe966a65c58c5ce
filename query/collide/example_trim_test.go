package collide_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// After many objects have been removed, the tree and its followers free memory, in this order. Later
// updates are unaffected.
func ExampleTracker_Trim() {
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		log.Fatal(err)
	}
	denseScene, err := tree.InsertBatch(nil, make([]linear.Object, 200)) // all at one position
	if err != nil {
		log.Fatal(err)
	}
	var tracker collide.Tracker
	watch := collide.BudgetTracker{Budget: 100}
	update := func() {
		if err := tree.Tick(); err != nil {
			log.Fatal(err)
		}
		if err := tracker.Update(tree.View()); err != nil {
			log.Fatal(err)
		}
		if err := watch.Update(tree.View()); err != nil {
			log.Fatal(err)
		}
	}
	update()
	fmt.Println(tracker.Len(), "pairs")
	if err := tree.RemoveBatch(denseScene[3:]); err != nil {
		log.Fatal(err)
	}
	update()
	tree.Trim()
	tracker.Trim()
	watch.Trim()
	update()
	fmt.Println(tracker.Len(), "pairs,", watch.Found())
	// Output:
	// 19900 pairs
	// 3 pairs, [{0 1} {0 2} {1 2}]
}
