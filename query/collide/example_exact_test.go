package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Two balls whose boxes overlap at a corner, and who do not touch.
func ExampleFilter_exact() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}},
		{Box: linear.AABB{Min: [3]float32{0.5, 0.5, 0.5}, Max: [3]float32{2.5, 2.5, 2.5}}},
	})
	_ = t.SetSphereBatch(ids, [][4]float32{{0, 0, 0, 1}, {1.5, 1.5, 1.5, 1}})

	v := t.View()
	fmt.Println(collide.Count(v, linear.View{}, collide.Filter{}), collide.Count(v, linear.View{}, collide.Filter{Exact: true}))
	// Output: 1 0
}
