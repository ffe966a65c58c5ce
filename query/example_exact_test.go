package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A ball in the corner of whose box the query lies: the box meets it, the ball
// does not.
func ExampleFilter_exact() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}},
	})
	_ = t.SetSphere(ids[0], [4]float32{0, 0, 0, 1})

	near, _ := query.NewBox([3]float32{0.9, 0.9, 0.9}, [3]float32{2, 2, 2})
	v := t.View()
	fmt.Println(near.Count(v, query.Filter{}), near.Count(v, query.Filter{Exact: true}))
	// Output: 1 0
}
