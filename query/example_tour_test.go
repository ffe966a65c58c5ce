// The tour, 3 of 8: queries. Before it: linear; next: query/collide.
package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// town is 10,000 houses, 20 apart: house i stands at x = 20(i mod 100), y = 20(i/100).
func town() linear.View {
	tree, err := linear.New(linear.Config{Frozen: true}) // packed tightly, for static data
	if err != nil {
		panic(err)
	}
	var objects []linear.Object
	for i := range 10_000 {
		x, y := float32(i%100)*20, float32(i/100)*20
		objects = append(objects, linear.Object{Box: linear.AABB{Min: [3]float32{x, y, 0}, Max: [3]float32{x + 10, y + 10, 8}}, Mask: 1})
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		panic(err)
	}
	return tree.View()
}

func Example_tour() {
	v := town()
	all := query.Filter{} // or by mask, by motion, or a set of IDs

	// A query is a small value, made once and run on any view. Frustum culling finds the objects that a camera sees:
	look := query.Camera{
		Eye: [3]float64{-50, -50, 60}, Forward: [3]float64{1, 1, -0.5}, Up: [3]float64{0, 0, 1},
		FovY: 0.8, Aspect: 1.6, Near: 0.1, Far: 400,
	}
	camera, err := look.Frustum()
	if err != nil {
		panic(err)
	}
	var seen []uint32 // kept from frame to frame: no query allocates
	seen = camera.Append(seen[:0], v, all)
	fmt.Println("in view:", len(seen))

	// Picking: a ray through the pixel under the mouse.
	screen, err := look.Viewport(1280, 800)
	if err != nil {
		panic(err)
	}
	click, err := screen.PickRay(640, 400)
	if err != nil {
		panic(err)
	}
	hit, ok := click.First(v, all)
	fmt.Println("under the mouse:", hit.ID, ok)

	// Neighbours: all within a radius, or the k nearest.
	near, err := query.NewSphere([3]float32{1000, 1000, 0}, 30)
	if err != nil {
		panic(err)
	}
	fmt.Println("within 30:", near.Append(nil, v, all))
	three, err := query.AppendNearest(nil, v, [3]float32{1003, 1004, 1}, 3, 100, all)
	for _, n := range three {
		fmt.Println("  ", n.ID, "at distance", n.Dist())
	}

	// Every query returns the result of a loop over all boxes, in less time. Explain counts the tests that it saves.
	c := camera.Explain(v, all, nil)
	fmt.Println("boxes tested one by one:", c.Tested, "of", v.Len(), err)
	// Output:
	// in view: 272
	// under the mouse: 303 true
	// within 30: [4949 4850 4950 5048 5049 5050 4951 5051 5149 5150 5151]
	//    5050 at distance 0
	//    5049 at distance 13
	//    4950 at distance 14
	// boxes tested one by one: 272 of 10000 <nil>
}
