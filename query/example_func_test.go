package query_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A volume of the program's own: all within 10 to 20 of the origin along x, or 40 and more.
func ExampleFunc() {
	test := func(box linear.AABB) query.Relation {
		lo, hi := box.Min[0], box.Max[0]
		switch {
		case hi < 10, lo > 20 && hi < 40:
			return query.Outside // so is every box in it
		case lo >= 10 && hi <= 20, lo >= 40:
			return query.Inside
		}
		return query.Partly
	}
	bounds := linear.AABB{Min: [3]float32{10, -100, -100}, Max: [3]float32{100, 100, 100}}
	q, err := query.NewFunc(bounds, test)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	fmt.Println(q.Count(street(), query.Filter{Mask: 1}), q.Any(street(), query.Filter{Mask: 4}))
	// Output:
	// [2 3 4 8 9]
	// 3 false
}

// All, Ranges and Explain are as for other volumes. A test that never decides finds all in the bounds.
func ExampleFunc_Ranges() {
	bounds := linear.AABB{Max: [3]float32{12, 1, 1}}
	q, err := query.NewFunc(bounds, func(linear.AABB) query.Relation { return query.Partly })
	if err != nil {
		log.Fatal(err)
	}
	for id := range q.All(street(), query.Filter{}) {
		fmt.Println("house", id, "is in", q.Bounds())
	}
	q.Ranges(street(), query.Filter{}, func(r query.Range) bool {
		fmt.Printf("lanes %b\n", r.Mask)
		return true
	})
	fmt.Println("tested", q.Explain(street(), query.Filter{}, nil).Tested)
	// Output:
	// house 0 is in [0 0 0] to [12 1 1]
	// house 1 is in [0 0 0] to [12 1 1]
	// house 2 is in [0 0 0] to [12 1 1]
	// lanes 111
	// tested 10
}

// Check finds boxes for which a test breaks its promise.
func ExampleFunc_Check() {
	bounds := linear.AABB{Max: [3]float32{10, 10, 10}}
	q, err := query.NewFunc(bounds, func(linear.AABB) query.Relation { return query.Partly })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Check(street()) != nil) // houses beyond the bounds are not outside
	// Output: true
}

// Relation is the result of a test.
func ExampleRelation() {
	fmt.Println(query.Outside, query.Partly, query.Inside)
	// Output: outside partly inside
}

// A capsule of radius 1 finds the houses around a character, or along a thick ray.
func ExampleNewCapsule() {
	q, err := query.NewCapsule([3]float32{6, 1, 1}, [3]float32{19, 1, 1}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	// Output: [1 2 3 4]
}

// A cylinder has flat ends: it ends before house 4, which begins at x = 20.
func ExampleNewCylinder() {
	q, err := query.NewCylinder([3]float32{6, 1, 1}, [3]float32{19, 1, 1}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	// Output: [1 2 3]
}

// A spot light over house 2, with a range of 10 and half an opening of 0.6, shines on the houses beside it, too.
func ExampleNewCone() {
	q, err := query.NewCone([3]float32{11, 1, 10}, [3]float32{0, 0, -1}, 10, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, street(), query.Filter{}))
	// Output: [1 2 3]
}
