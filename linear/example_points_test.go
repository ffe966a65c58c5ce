package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A point cloud is inserted without a slice of objects.
func ExampleTree_InsertPoints() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertPoints(nil, [][3]float32{{0, 0, 0}, {3, 4, 0}, {1, 1, 1}}, linear.Labels{Mask: 1, Static: true})
	near, _ := query.NewSphere([3]float32{0, 0, 0}, 5) // the second point lies on its surface
	fmt.Println(ids, near.Count(t.View(), query.Filter{Mask: 1}))
	ids, err := t.InsertPoints(ids, [][3]float32{{5, 5, 5}}, linear.Labels{Masks: []uint32{1, 2}})
	fmt.Println(len(ids), err)
	// Output:
	// [0 1 2] 3
	// 3 linear: 1 points and 2 masks: row 1 is not in both
}

// Columns in file layout; the class of each point is its mask.
func ExampleTree_InsertPointColumns() {
	x, y, z := []float32{0, 1, 2}, []float32{0, 0, 5}, []float32{0, 0, 0}
	const ground, roof = 1, 2
	t, _ := linear.New(linear.Config{})
	t.InsertPointColumns(nil, x, y, z, linear.Labels{Masks: []uint32{ground, ground, roof}})
	all, _ := query.NewBox([3]float32{-9, -9, -9}, [3]float32{9, 9, 9})
	fmt.Println(all.Count(t.View(), query.Filter{Mask: ground}), all.Count(t.View(), query.Filter{Mask: roof}))
	// Output: 2 1
}

// Labels: one mask for all points, or one for each.
func ExampleLabels() {
	t, _ := linear.New(linear.Config{})
	points := [][3]float32{{1, 2, 3}, {4, 5, 6}}
	t.InsertPoints(nil, points, linear.Labels{Mask: 4, Static: true})
	t.InsertPoints(nil, points, linear.Labels{Masks: []uint32{1, 2}})
	for _, o := range t.All() {
		fmt.Println(o.Box.Min, o.Mask, o.Static)
	}
	// Output:
	// [1 2 3] 4 true
	// [4 5 6] 4 true
	// [1 2 3] 1 false
	// [4 5 6] 2 false
}

// A batch records points as objects.
func ExampleBatch_InsertPoints() {
	t, _ := linear.New(linear.Config{})
	var b linear.Batch
	b.InsertPoints([][3]float32{{1, 2, 3}, {4, 5, 6}}, linear.Labels{Mask: 1})
	ids, err := t.Apply(&b)
	o, _ := t.Object(ids[1])
	fmt.Println(ids, err, o.Box)
	// Output: [0 1] <nil> [4 5 6] to [4 5 6]
}

// A batch records columns of coordinates as one change.
func ExampleBatch_InsertPointColumns() {
	t, _ := linear.New(linear.Config{})
	var b linear.Batch
	b.InsertPointColumns([]float32{1, 4}, []float32{2, 5}, []float32{3, 6}, linear.Labels{Mask: 1})
	ids, err := t.Apply(&b)
	fmt.Println(ids, err, b.Len())
	// Output: [0 1] <nil> 1
}
