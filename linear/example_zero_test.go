package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// The zero Tree is ready for use: New is for other configurations.
func ExampleTree_zero() {
	var t linear.Tree
	t.InsertPoints(nil, [][3]float32{{1, 0, 0}, {2, 0, 0}, {9, 0, 0}}, linear.Labels{})
	near, _ := query.NewSphere([3]float32{0, 0, 0}, 3)
	fmt.Println(near.Count(t.View(), query.Filter{}), t.Len())
	// Output: 2 3
}
