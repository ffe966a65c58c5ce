package query_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A bitmap over IDs holds the objects that a game has switched on.
func ExampleFilter_live() {
	live := []uint64{1<<2 | 1<<5}
	box, err := query.NewBox([3]float32{0, 0, 0}, [3]float32{60, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(box.Append(nil, steps(), query.Filter{Only: live}))
	// Output:
	// [2 5]
}

// A sensor that is an object of the tree, too, does not find itself.
func ExampleFilter_exclude() {
	tree, _ := linear.New(linear.Config{})
	self, _ := tree.Insert(linear.Object{Box: linear.AABB{Max: [3]float32{1, 1, 1}}})
	tree.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{5, 0, 0}, Max: [3]float32{6, 1, 1}}})

	ray, err := query.NewRay([3]float32{0.5, 0.5, 0.5}, [3]float32{1, 0, 0}, 100)
	if err != nil {
		log.Fatal(err)
	}
	handle, _ := tree.Handle(self)
	hit, _ := ray.First(tree.View(), query.Filter{Exclude: handle})
	fmt.Println("object", hit.ID, "at", hit.Dist)
	// Output:
	// object 1 at 4.5
}

func ExampleFrustum_Explain() {
	c := slab(15, 45).Explain(steps(), query.Filter{}, nil)
	fmt.Printf("%+v\n", c)
	// Output:
	// {Nodes:0 Packets:1 Tested:10 Ranges:1}
}

// The edge of a column is at x = 21.3, and the box of object 2 ends at 21. The box is beside the edge, but outside
// none of the planes.
func ExampleFrustum_Precise() {
	f, err := query.FrustumPlanes([6][4]float32{
		{1, 1, 0, -21.8}, {1, -1, 0, -20.8}, {-1, 1, 0, 22.8}, {-1, -1, 0, 23.8}, {0, 0, 1, 0}, {0, 0, -1, 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	v := steps()
	fmt.Println(f.Append(nil, v, query.Filter{}), f.Precise().Append(nil, v, query.Filter{}))
	// Output:
	// [2] []
}

// An object with the zero mask is of no type: only a filter without a mask finds it.
func ExampleFilter_mask() {
	tree, _ := linear.New(linear.Config{})
	box := linear.AABB{Max: [3]float32{1, 1, 1}}
	plain, _ := tree.Insert(linear.Object{Box: box})
	wall, _ := tree.Insert(linear.Object{Box: box, Mask: 1})

	q, _ := query.NewBox(box.Min, box.Max)
	fmt.Println("all:", q.Count(tree.View(), query.Filter{}))
	fmt.Println("walls:", q.Append(nil, tree.View(), query.Filter{Mask: 1}), "with ID", wall)
	fmt.Println("any bit:", q.Count(tree.View(), query.Filter{Mask: ^uint32(0)}))
	tree.SetMask(plain, 2)
	fmt.Println("any bit, once it has a mask:", q.Count(tree.View(), query.Filter{Mask: ^uint32(0)}))
	// Output:
	// all: 2
	// walls: [1] with ID 1
	// any bit: 1
	// any bit, once it has a mask: 2
}
