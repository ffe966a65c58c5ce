package collide_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// A row of boxes, each of which overlaps the next. Visible objects are checked in each frame, the others in
// every tenth, and no frame tests more than 4 packets.
func ExampleBudgetTracker() {
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 6 {
		box := linear.AABB{Min: [3]float32{float32(i), 0, 0}, Max: [3]float32{float32(i) + 1, 1, 1}}
		if _, err := tree.Insert(linear.Object{Box: box}); err != nil {
			log.Fatal(err)
		}
	}
	sight, err := query.NewBox([3]float32{4.5, 0, 0}, [3]float32{9, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	watch := collide.BudgetTracker{Budget: 4, Classes: []collide.Class{{Period: 1, Hidden: 10}}}
	for range 3 {
		watch.Visible = make([]uint64, 1)
		for _, id := range sight.Append(nil, tree.View(), query.Filter{}) {
			watch.Visible[id/64] |= 1 << (id % 64)
		}
		if err := watch.Update(tree.View()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(watch.Checked(), watch.Found(), watch.Stats().Units)
	}
	// Output:
	// [0 1 2 3] [{0 1} {1 2} {2 3} {3 4}] 4
	// [4 5] [{3 4} {4 5}] 2
	// [4 5] [{3 4} {4 5}] 2
}

// Bullets and smoke: the bullet, object 5, is searched in each update, whatever the smoke needs. The smoke has
// a share of 2 packets, so it does not starve, and gets what the bullet leaves.
func ExampleBudgetTracker_ClassStats() {
	const bullet, smoke = 1, 2
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 6 {
		box := linear.AABB{Min: [3]float32{float32(i), 0, 0}, Max: [3]float32{float32(i) + 1, 1, 1}}
		mask := uint32(smoke)
		if i == 5 {
			mask = bullet
		}
		if _, err := tree.Insert(linear.Object{Box: box, Mask: mask}); err != nil {
			log.Fatal(err)
		}
	}
	tracker := collide.BudgetTracker{Budget: 3, Classes: []collide.Class{
		{Mask: bullet, Period: 1, Share: 1},
		{Mask: smoke, Period: 1, Share: 2},
	}}
	for range 3 {
		if err := tracker.Update(tree.View()); err != nil {
			log.Fatal(err)
		}
		fmt.Println(tracker.Checked(), tracker.Found(), "smoke late by", tracker.ClassStats(1).Late)
	}
	tracker.Budget = 2 // less than the shares
	fmt.Println(tracker.Check())
	// Output:
	// [5 0 1] [{0 1} {1 2} {4 5}] smoke late by 1
	// [5 2 3] [{1 2} {2 3} {3 4} {4 5}] smoke late by 2
	// [5 4 0] [{0 1} {3 4} {4 5}] smoke late by 2
	// collide: class 1 has a share of 2 packets: want 0 to 1, which is left of a budget of 2
}

// Pairs within a set of live objects, here the player and one bullet: pairs with at least one of them, and
// pairs of both.
func ExampleFilter_live() {
	v := arena()
	seen := []uint64{1<<1 | 1<<2}
	fmt.Println(collide.Count(collide.Within(v), collide.Filter{Live: seen}))
	fmt.Println(collide.Append(nil, collide.Within(v), collide.Filter{LiveBoth: seen}))
	// Output:
	// 4
	// [{1 2}]
}
