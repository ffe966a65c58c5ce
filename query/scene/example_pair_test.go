package scene_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
)

// Overlapping pairs in a scene with contacts: two towers are instances of one part, and one of them is
// rotated and overlaps a crate. The overlap of the two cubes within the tower is reported once, as a pair
// of the part.
func ExampleAppendPairs() {
	yard, err := linear.NewScene(linear.Config{})
	if err != nil {
		panic(err)
	}
	crate := linear.AABB{Min: [3]float32{1, 0, 0}, Max: [3]float32{2, 1, 1}}
	if _, err := yard.Tree().Insert(linear.Object{Box: crate, Mask: 1}); err != nil {
		panic(err)
	}
	tower := cubes([3]float32{0, 0, 0}, [3]float32{0, 0, 0.75})
	for _, transform := range []linear.Transform{at(5, 0, 0, 0, 1), at(-0.25, 0.5, 0, -math.Pi/4, 1)} {
		if _, err := yard.AddInstance(tower, transform, linear.InstanceOptions{}); err != nil {
			panic(err)
		}
	}
	v := yard.View()
	pairs := scene.AppendPairs(nil, v, scene.PairFilter{})
	for _, c := range scene.AppendContacts(nil, v, pairs) {
		fmt.Printf("part %d: %d of %v and %d of %v, %.2f deep along %.2f\n", c.Part, c.A.ID, c.A.Path, c.B.ID, c.B.Path, c.Depth, c.Normal)
	}
	each := scene.AppendPairs(nil, v, scene.PairFilter{Instances: true})
	fmt.Println(len(pairs), "pairs,", len(each), "with those of both towers")
	// Output:
	// part 0: 0 of / and 0 of /1, 0.16 deep along [-1.00 0.00 0.00]
	// part 0: 0 of / and 1 of /1, 0.16 deep along [-1.00 0.00 0.00]
	// part 1: 0 of / and 1 of /, 0.25 deep along [0.00 0.00 1.00]
	// 3 pairs, 4 with those of both towers
}

// The pairs of the instances that a frame has moved: only these are searched for.
func ExamplePairFilter() {
	row := made(linear.NewScene(linear.Config{}))
	cube := cubes([3]float32{})
	for i := range 100 {
		made(row.AddInstance(cube, at(0.75*float64(i), 0, 0, 0, 1), linear.InstanceOptions{}))
	}
	moved := make([]uint64, 2)
	const id = 70
	if err := row.Move(id, at(0.75*id, 0.5, 0, 0, 1)); err != nil {
		panic(err)
	}
	moved[id/64] |= 1 << (id % 64)
	for _, p := range scene.AppendPairs(nil, row.View(), scene.PairFilter{LiveInstances: moved}) {
		fmt.Println(p.A.Path, p.B.Path)
	}
	// Output:
	// /69 /70
	// /70 /71
}
