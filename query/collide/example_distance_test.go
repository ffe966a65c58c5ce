package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// The pairs of points of a cloud that are at most 5 apart, a limit that two of them reach exactly.
func ExampleFilter_distance() {
	t, _ := linear.New(linear.Config{Frozen: true})
	cloud := [][3]float32{{0, 0, 0}, {3, 4, 0}, {3, 4.0001, 0}, {9, 0, 0}}
	_, _ = t.InsertPoints(nil, cloud, linear.Labels{})

	near := collide.Filter{Distance: 5}
	for p := range collide.All(collide.Within(t.View()), near) {
		fmt.Println(p.A, p.B)
	}
	// Unordered output:
	// 0 1
	// 1 2
}

// A distance that is out of range, such as one from a configuration file.
func ExampleFilter_Check() {
	fmt.Println(collide.Filter{Distance: 0.5}.Check())
	fmt.Println(collide.Filter{Distance: -1}.Check())
	// Output:
	// <nil>
	// collide: Filter.Distance -1 is not a finite number of 0 or more
}
