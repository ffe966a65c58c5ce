package query_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// street is a tree of ten houses of edge 2 along the x axis, five apart: house i
// has ID i and begins at x = 5i.
func street() linear.View {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var houses []linear.Object
	for i := range 10 {
		x := float32(5 * i)
		houses = append(houses, linear.Object{
			Box:    linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 2, 2, 2}},
			Mask:   1 << (i % 2),
			Static: true,
		})
	}
	if _, err := tree.InsertBatch(nil, houses); err != nil {
		log.Fatal(err)
	}
	return tree.View()
}

// Intervals are closed: house 2 begins where the box ends.
func ExampleBox() {
	q, err := query.NewBox([3]float32{0, 0, 0}, [3]float32{10, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	fmt.Println(q.Count(street(), query.Filter{Mask: 2}))
	// Output:
	// [0 1 2]
	// 1
}

// A point query finds the objects that contain a point.
func ExamplePoint() {
	q, err := query.NewPoint([3]float32{21, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	for id := range q.All(street(), query.Filter{}) {
		fmt.Println("in house", id)
	}
	// Output: in house 4
}

// The distance to a box is the distance to its nearest point: house 1 begins 3 from the centre.
func ExampleSphere() {
	q, err := query.NewSphere([3]float32{2, 1, 1}, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	fmt.Println(q.Any(street(), query.Filter{Motion: query.MovingOnly}))
	// Output:
	// [0 1]
	// false
}

// A slice of the street: two planes, x >= 12 and x <= 26, facing inward.
func ExampleConvex() {
	q, err := query.ConvexPlanes([][4]float32{{1, 0, 0, -12}, {-1, 0, 0, 26}})
	if err != nil {
		log.Fatal(err)
	}
	view := street()
	q.Ranges(view, query.Filter{}, func(r query.Range) bool {
		for lane, id := range view.IDs(r.First) {
			if r.Mask>>lane&1 != 0 {
				fmt.Println("house", id)
			}
		}
		return true
	})
	_, err = query.ConvexPlanes(make([][4]float32, 33))
	fmt.Println(err)
	// Output:
	// house 2
	// house 3
	// house 4
	// house 5
	// query: a convex volume of 33 planes, at most 32 are possible
}

// Boxes yields the ID and the box of each result of a volume, for example to draw them.
func ExampleBoxes() {
	q, err := query.NewSphere([3]float32{12, 1, 1}, 4)
	if err != nil {
		log.Fatal(err)
	}
	for id, box := range query.Boxes(q, street(), query.Filter{}) {
		fmt.Println("house", id, "from", box.Min, "to", box.Max)
	}
	// Output:
	// house 2 from [10 0 0] to [12 2 2]
	// house 3 from [15 0 0] to [17 2 2]
}

// An oriented box, turned by an eighth about z, has a corner between two houses. The box around it overlaps both, the
// oriented box neither.
func ExampleOrientedBox() {
	b := linear.OrientedBox{
		Center: [3]float32{8.5, 5, 1},
		Axes:   [3][3]float32{{2, 2, 0}, {-2, 2, 0}, {0, 0, 1}},
	}
	q, err := query.NewOrientedBox(b)
	if err != nil {
		log.Fatal(err)
	}
	box := b.Box()
	around, err := query.NewBox(box.Min, box.Max)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(around.Append(nil, street(), query.Filter{}))
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	b.Axes[0] = [3]float32{2, 0, 0}
	_, err = query.NewOrientedBox(b)
	fmt.Println(err)
	// Output:
	// [1 2]
	// []
	// query: oriented box [8.5 5 1] with half axes [2 0 0] [-2 2 0] [0 0 1]: axes [2 0 0] and [-2 2 0] are not at right angles
}

// Remove removes what a volume query finds: here everything in a beam.
func ExampleRemove() {
	tree, _ := linear.New(linear.Config{})
	var objects []linear.Object
	for x := range 10 {
		objects = append(objects, linear.Object{Box: linear.AABB{Min: [3]float32{float32(x), 0, 0}, Max: [3]float32{float32(x), 1, 1}}, Mask: 1 << (x % 2)})
	}
	tree.InsertBatch(nil, objects)
	beam, _ := query.NewCylinder([3]float32{2, 0, 0}, [3]float32{6, 0, 0}, 0.5)
	n, err := query.Remove(tree, beam, query.Filter{Mask: 1})
	fmt.Println(n, tree.Len(), err)
	// Output:
	// 3 7 <nil>
}
