package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// floor returns a tree of a floor, with its top at z = 0, and of a wall on it from x = 6 on.
func floor() linear.View {
	var tree linear.Tree
	tree.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-10, -10, -1}, Max: [3]float32{10, 10, 0}}, Mask: 1},
		{Box: linear.AABB{Min: [3]float32{6, -10, 0}, Max: [3]float32{7, 10, 5}}, Mask: 1},
	})
	return tree.View()
}

// A character controller: a body that stands on the floor touches it in every direction. Entering leaves the floor out
// unless the body moves into it.
func ExampleSweptBox_Entering() {
	v := floor()
	body := linear.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 1, 2}}
	for _, motion := range [][3]float32{{10, 0, 0}, {0, 0, 3}, {0, 0, -3}} {
		cast, err := query.NewSweptBox(body, motion)
		if err != nil {
			panic(err)
		}
		all := cast.Append(nil, v, query.Filter{})
		cast = cast.Entering()
		first, ok := cast.First(v, query.Filter{})
		fmt.Println(motion, "touches", len(all), "and enters", ok, first.ID, "at", first.Dist, "normal", first.Normal)
	}
	// Output:
	// [10 0 0] touches 2 and enters true 1 at 0.5 normal [-1 0 0]
	// [0 0 3] touches 1 and enters false 0 at 0 normal [0 0 0]
	// [0 0 -3] touches 1 and enters true 0 at 0 normal [0 0 1]
}

// A ball that rolls along the floor meets the wall, and nothing on its way.
func ExampleSweptSphere_Entering() {
	ball, err := query.NewSweptSphere([3]float32{0, 0, 1}, 1, [3]float32{10, 0, 0})
	if err != nil {
		panic(err)
	}
	v := floor()
	touched, _ := ball.First(v, query.Filter{})
	fmt.Println(touched.ID, touched.Dist, touched.Normal)
	ball = ball.Entering()
	entered, _ := ball.First(v, query.Filter{})
	fmt.Println(entered.ID, entered.Dist, entered.Normal)
	// Output:
	// 0 0 [0 0 1]
	// 1 0.5 [-1 0 0]
}
