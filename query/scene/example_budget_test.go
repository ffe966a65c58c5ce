package scene_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
)

// A broad phase with instancing and a work budget: carts in a row, of which each update searches a few.
func ExampleBudgetTracker() {
	yard := made(linear.NewScene(linear.Config{Log: true}))
	post := linear.AABB{Min: [3]float32{2, 0, 0}, Max: [3]float32{2.25, 1, 1}}
	made(yard.Tree().Insert(linear.Object{Box: post}))
	cart := cubes([3]float32{0, 0, 0}, [3]float32{2, 0, 0})
	for i := range 40 {
		made(yard.AddInstance(cart, at(2.5*float64(i), 0, 0, 0, 1), linear.InstanceOptions{}))
	}
	if err := yard.Tick(); err != nil {
		panic(err)
	}
	var tracker scene.BudgetTracker
	tracker.Own.Budget, tracker.Instances.Budget = 10, 20 // packets
	tracker.Instances.Classes = []collide.Class{{Period: 1000}}
	found := map[scene.Pair]bool{}
	updates, searched := 0, 0
	for searched < 40 {
		if err := tracker.Update(yard.View()); err != nil {
			panic(err)
		}
		for _, p := range tracker.Found() {
			found[p] = true
		}
		searched += len(tracker.Instances.Checked())
		updates++
	}
	tracker.Trim()
	fmt.Println("several updates:", updates > 1)
	fmt.Println(len(found), "pairs, as many as", len(scene.AppendPairs(nil, yard.View(), scene.PairFilter{})))
	// Output:
	// several updates: true
	// 40 pairs, as many as 40
}
