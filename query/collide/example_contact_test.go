package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Contacts: a ball has sunk into the floor, and a crate rests on it.
func ExampleAppendContacts() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-10, -10, -1}, Max: [3]float32{10, 10, 0}}, Static: true},
		{Box: linear.AABB{Min: [3]float32{-1, -1, -0.25}, Max: [3]float32{1, 1, 1.75}}},
		{Box: linear.AABB{Min: [3]float32{4, 4, 0}, Max: [3]float32{5, 5, 1}}},
	})
	_ = t.SetSphere(ids[1], [4]float32{0, 0, 0.75, 1})

	v := t.View()
	pairs := collide.Append(nil, collide.Within(v), collide.Filter{})
	for _, c := range collide.AppendContacts(nil, collide.Within(v), pairs) {
		fmt.Println(c.A, c.B, "at", c.Pos, "along", c.Normal, "by", c.Depth)
	}
	// Unordered output:
	// 0 1 at [0 0 -0.125] along [0 0 1] by 0.25
	// 0 2 at [4.5 4.5 0] along [0 0 1] by 0
}

// Contacts between two trees: the bullets of one in the walls of the other.
func ExampleAppendContacts_between() {
	bullets, _ := linear.New(linear.Config{})
	walls, _ := linear.New(linear.Config{})
	bullets.InsertBatch(nil, []linear.Object{{Box: linear.AABB{Min: [3]float32{0.9, 2, 2}, Max: [3]float32{1.1, 2.2, 2.2}}}})
	walls.InsertBatch(nil, []linear.Object{{Box: linear.AABB{Min: [3]float32{1, 0, 0}, Max: [3]float32{2, 5, 5}}, Static: true}})

	a, b := bullets.View(), walls.View()
	pairs := collide.Append(nil, collide.Between(a, b), collide.Filter{})
	for _, c := range collide.AppendContacts(nil, collide.Between(a, b), pairs) {
		fmt.Printf("bullet %d in wall %d by %.2f along %v\n", c.A, c.B, c.Depth, c.Normal)
	}
	// Output: bullet 0 in wall 0 by 0.10 along [1 0 0]
}
