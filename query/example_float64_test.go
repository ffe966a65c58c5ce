package query_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A world in metres about the centre of the Earth, and a tree about a town.
func ExampleNewBox64() {
	town := [3]float64{4_177_120.25, 855_110.5, 4_728_330.75}
	house := linear.AABB64{
		Min: [3]float64{4_177_130.1, 855_120.2, 4_728_330.7},
		Max: [3]float64{4_177_142.3, 855_131.9, 4_728_338.4},
	}
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, []linear.Object{{Box: house.Box(town)}}); err != nil {
		log.Fatal(err)
	}
	corner := house.Max // a query that touches the house in one point
	q, err := query.NewBox64(corner, [3]float64{corner[0] + 1, corner[1] + 1, corner[2] + 1}, town)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.Append(nil, tree.View(), query.Filter{}))
	// Output:
	// [0]
}
