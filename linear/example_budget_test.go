package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A tree with a budget takes in a crowd over several frames, and finds all of it at once.
func ExampleConfig_tickBudget() {
	tree, err := linear.New(linear.Config{TickBudget: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	grid := func(n int, z float32) (objects []linear.Object) {
		for i := range n {
			x, y := float32(i%200), float32(i/200)
			objects = append(objects, linear.Object{Box: linear.AABB{Min: [3]float32{x, y, z}, Max: [3]float32{x + 1, y + 1, z + 1}}})
		}
		return objects
	}
	if _, err := tree.InsertBatch(nil, grid(40_000, 0)); err != nil { // builds the tree
		fmt.Println(err)
		return
	}
	ids, err := tree.InsertBatch(nil, grid(4000, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, found := tree.View().Object(ids[3999])
	fmt.Println(found, tree.Stats().Grafted)
	for range 3 {
		if err := tree.Tick(); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(tree.Stats().Grafted, tree.Work().Rebuilt)
	if err := tree.Flush(); err != nil { // does not wait for more ticks
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Stats().Grafted)
	// Output:
	// true 4000
	// 2422 0
	// 0
}
