package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A query box overlaps the corner of the bounding box of a ball, but not the ball itself.
func ExampleFilter_exact() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}},
	})
	_ = t.SetSphere(ids[0], [4]float32{0, 0, 0, 1})

	near, _ := query.NewBox([3]float32{0.9, 0.9, 0.9}, [3]float32{2, 2, 2})
	v := t.View()
	fmt.Println(near.Count(v, query.Filter{}), near.Count(v, query.Filter{Exact: true}))
	// Output: 1 0
}

// A ray passes through a corner of the bounding box of an oriented box, and misses the oriented box.
func ExampleFilter_exactOriented() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, make([]linear.Object, 1))
	plank := linear.OrientedBox{Axes: [3][3]float32{{3, 4, 0}, {-0.4, 0.3, 0}, {0, 0, 1}}}
	_ = t.MoveOriented(ids[0], plank)

	v, exact := t.View(), query.Filter{Exact: true}
	past, _ := query.NewRay([3]float32{2, -9, 0}, [3]float32{0, 1, 0}, 7)
	_, boxHit := past.First(v, query.Filter{})
	_, hit := past.First(v, exact)
	fmt.Println(boxHit, hit)

	onto, _ := query.NewRay([3]float32{4, -3, 0}, [3]float32{-0.8, 0.6, 0}, 100)
	h, _ := onto.First(v, exact)
	fmt.Printf("%.3g away, normal %.3g\n", h.Dist, h.Normal)
	// Output:
	// true false
	// 4.5 away, normal [0.8 -0.6 0]
}
