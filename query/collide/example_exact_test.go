package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Two balls whose boxes overlap at a corner, but which do not touch.
func ExampleFilter_exact() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}},
		{Box: linear.AABB{Min: [3]float32{0.5, 0.5, 0.5}, Max: [3]float32{2.5, 2.5, 2.5}}},
	})
	_ = t.SetBounds(ids, linear.Bodies{Spheres: [][4]float32{{0, 0, 0, 1}, {1.5, 1.5, 1.5, 1}}})

	v := t.View()
	fmt.Println(collide.Count(collide.Within(v), collide.Filter{}), collide.Count(collide.Within(v), collide.Filter{Exact: true}))
	// Output: 1 0
}

// Two crates, one rotated by an eighth of a turn, whose boxes overlap at a corner.
func ExampleAppendContacts_oriented() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, make([]linear.Object, 2))
	crate := linear.OrientedBox{Axes: [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	turned := linear.OrientedBox{Center: [3]float32{2.5, 0, 0}, Axes: [3][3]float32{{1, 1, 0}, {-1, 1, 0}, {0, 0, 1}}}
	_ = t.MoveBodies(ids, linear.Bodies{Oriented: []linear.OrientedBox{crate, turned}})

	v := t.View()
	pairs := collide.Append(nil, collide.Within(v), collide.Filter{Exact: true})
	for _, c := range collide.AppendContacts(nil, collide.Within(v), pairs) {
		fmt.Println(c.A, c.B, c.Pos, c.Normal, c.Depth)
	}
	// Output: 0 1 [0.75 0 0] [1 0 0] 0.5
}
