package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A voxel filter: a map of LiDAR scans that keeps one point in each voxel of 0.5 m.
func ExampleConfig_thin() {
	t, _ := linear.New(linear.Config{Thin: linear.Thin{Cell: 0.5}})
	ids, _ := t.InsertPoints(nil, [][3]float32{{0.1, 0.1, 0}, {0.2, 0.1, 0}, {0.6, 0.1, 0}}, linear.Labels{})
	fmt.Println(ids[0], ids[1] == linear.None, ids[2])
	ids, _ = t.InsertPoints(ids[:0], [][3]float32{{0.3, 0.2, 0.1}, {-0.1, 0.2, 0.1}}, linear.Labels{}) // the next scan
	fmt.Println(ids[0] == linear.None, ids[1], t.Len())
	t.Remove(0)
	ids, _ = t.InsertPoints(ids[:0], [][3]float32{{0.3, 0.2, 0.1}}, linear.Labels{}) // its voxel is free
	fmt.Println(ids, t.Len())
	// Output:
	// 0 true 1
	// true 2 3
	// [0] 3
}

// The points of a cell, found by a box query, and their removal.
func ExampleThin_CellBox() {
	thin := linear.Thin{Cell: 0.3, Most: 2}
	t, _ := linear.New(linear.Config{Thin: thin})
	t.InsertPoints(nil, [][3]float32{{0.31, 0, 0}, {0.59, 0, 0}, {0.5, 0, 0}, {0.61, 0, 0}}, linear.Labels{})
	cell, err := thin.CellBox([3]float32{0.4, 0.1, 0.1})
	box, _ := query.NewBox(cell.Min, cell.Max)
	fmt.Println(box.Append(nil, t.View(), query.Filter{}), err)

	_, n, _ := t.RemoveIn(nil, linear.BoxRegion(cell), linear.Filter{})
	fmt.Println(n, "removed,", t.Len(), "left")
	// Output:
	// [0 1] <nil>
	// 2 removed, 1 left
}

// The newest point of a voxel takes the ID of the point that it replaces, and handles of that point are stale.
func ExampleTree_Thinned() {
	t, _ := linear.New(linear.Config{Thin: linear.Thin{Cell: 1, Keep: linear.KeepNewest}})
	ids, _ := t.InsertPoints(nil, [][3]float32{{0.5, 0, 0}, {1.5, 0, 0}}, linear.Labels{Mask: 1})
	h, _ := t.Handle(ids[0])
	ids, _ = t.InsertPoints(ids[:0], [][3]float32{{0.7, 0, 0}}, linear.Labels{Mask: 2})
	_, err := t.Resolve(h)
	fmt.Println(ids, t.Thinned()[0] == h, err, t.Len())
	// Output: [0] true soa: stale handle: its object has been removed 2
}

// A tree that thins rejects objects with an extent.
func ExampleKeep() {
	var keep linear.Keep
	keep.UnmarshalText([]byte("nearest"))
	t, _ := linear.New(linear.Config{Thin: linear.Thin{Cell: 1, Keep: keep}})
	_, err := t.Insert(linear.Object{Box: cube(0, 0, 0, 1)})
	fmt.Println(keep, err)
	// Output: nearest linear: a tree that thins holds only points: the box [-1 -1 -1] to [1 1 1] has an extent
}
