package query_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/query"
)

// A heat map counts visits: two searches both visit the root and the only packet of the tree.
func ExampleHeat() {
	v := steps()
	h := query.NewHeat(v)
	for _, x := range []float32{12, 77} {
		if _, err := query.ExplainNearest(v, [3]float32{x, 0, 0}, 1, 100, query.Filter{}, h); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(h.Nodes, h.Slots)
	// Output:
	// [2] [2]
}
