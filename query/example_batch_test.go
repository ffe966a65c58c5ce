package query_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// steps returns a tree of unit boxes at x = 0, 10, 20, … 90.
func steps() linear.View {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var objects []linear.Object
	for i := range 10 {
		x := float32(10 * i)
		objects = append(objects, linear.Object{
			Box:  linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}},
			Mask: 1,
		})
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		log.Fatal(err)
	}
	return tree.View()
}

// slab returns the frustum between two values of x.
func slab(from, to float32) query.Frustum {
	f, err := query.FrustumPlanes([6][4]float32{
		{1, 0, 0, -from}, {-1, 0, 0, to}, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	return f
}

func ExampleFrustumBatch() {
	var batch query.FrustumBatch
	if err := batch.Find(nil, steps(), []query.Frustum{slab(15, 45), slab(35, 65)}, query.Filter{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.Of(0), batch.Of(1))
	ids, viewers := batch.Viewers()
	for i, id := range ids {
		fmt.Printf("object %d: viewers %02b\n", id, viewers[i])
	}
	// Output:
	// [2 3 4] [4 5 6]
	// object 2: viewers 01
	// object 3: viewers 01
	// object 4: viewers 11
	// object 5: viewers 10
	// object 6: viewers 10
}

func ExampleBoxBatch() {
	var boxes []query.Box
	for _, x := range []float32{50, 0} {
		b, err := query.NewBox([3]float32{x, 0, 0}, [3]float32{x + 10, 1, 1})
		if err != nil {
			log.Fatal(err)
		}
		boxes = append(boxes, b)
	}
	var batch query.BoxBatch
	if err := batch.Find(nil, steps(), boxes, query.Filter{}); err != nil {
		log.Fatal(err)
	}
	for i := range boxes {
		fmt.Println(i, batch.Of(i))
	}
	// Output:
	// 0 [5 6]
	// 1 [0 1]
}

func ExampleSphereBatch() {
	ball, err := query.NewSphere([3]float32{25, 0, 0}, 5)
	if err != nil {
		log.Fatal(err)
	}
	var batch query.SphereBatch
	if err := batch.Find(nil, steps(), []query.Sphere{ball, {}}, query.Filter{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(batch.Of(0), batch.Of(1))
	// Output:
	// [2 3] [0]
}
