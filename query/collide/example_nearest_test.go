package collide_test

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// The two nearest other points of each point: a k-nearest-neighbour graph.
func ExampleNearest() {
	t, _ := linear.New(linear.Config{Frozen: true})
	_, _ = t.InsertPoints(nil, [][3]float32{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {3, 2, 0}}, linear.Labels{})

	graph, err := collide.Nearest(nil, t.View(), linear.View{}, 2, collide.Filter{})
	for _, n := range graph {
		fmt.Println(n.A, n.B, n.Dist2)
	}
	fmt.Println(err)
	// Output:
	// 0 1 1
	// 0 2 9
	// 1 0 1
	// 1 2 4
	// 2 1 4
	// 2 3 4
	// 3 2 4
	// 3 1 8
	// <nil>
}

// The same by several goroutines.
func ExampleBatch_Nearest() {
	t, _ := linear.New(linear.Config{Frozen: true})
	_, _ = t.InsertPoints(nil, [][3]float32{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {3, 2, 0}}, linear.Labels{})

	var batch collide.Batch
	graph, err := batch.Nearest(context.Background(), nil, t.View(), linear.View{}, 1, collide.Filter{})
	fmt.Println(graph, err)
	// Output: [{0 1 1} {1 0 1} {2 1 4} {3 2 4}] <nil>
}
