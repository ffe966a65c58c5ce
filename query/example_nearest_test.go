package query_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// lamps is a tree of unit boxes along the x axis: object i starts at 10*i.
func lamps() linear.View {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var objects []linear.Object
	for i := range 6 {
		x := float32(10 * i)
		objects = append(objects, linear.Object{Box: linear.AABB{
			Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1},
		}})
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		log.Fatal(err)
	}
	return tree.View()
}

func ExampleAppendNearest() {
	v := lamps()
	near, err := query.AppendNearest(nil, v, [3]float32{18, 0, 0}, 3, 12, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range near {
		fmt.Println(n.ID, n.Dist())
	}
	// Output:
	// 2 2
	// 1 7
	// 3 12
}

// An incremental search by [query.Nearby.All] finds the nearest ball, when the boxes hold balls. The loop tests a
// ball only while its box may hold a nearer one.
func ExampleNearby_All() {
	v := lamps()
	radius := []float64{0.5, 0.5, 0.1, 0.5, 0.5, 0.5} // by ID
	point := [3]float32{15.6, 0.5, 0.5}

	nearby, err := query.NewNearby(point)
	if err != nil {
		log.Fatal(err)
	}
	best, nearest, asked := math.Inf(1), uint32(0), 0
	for n := range nearby.All(v, query.Filter{}) {
		if float64(n.Low()) > best {
			break
		}
		asked++
		centre := 10*float64(n.ID) + 0.5
		if d := math.Abs(float64(point[0])-centre) - radius[n.ID]; d < best {
			best, nearest = d, n.ID
		}
	}
	fmt.Printf("ball %d at %.1f, %d of %d tested\n", nearest, best, asked, v.Len())
	// Output: ball 1 at 4.6, 2 of 6 tested
}

func ExampleNearestBatch() {
	v := lamps()
	points := [][3]float32{{52, 0, 0}, {0, 0, 0}, {26, 0, 0}}
	var batch query.NearestBatch
	err := batch.Find(context.Background(), v, points, 2, query.Unlimited, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range points {
		fmt.Print(p[0], ":")
		for _, n := range batch.Of(i) {
			fmt.Print(" ", n.ID)
		}
		fmt.Println()
	}
	// Output:
	// 52: 5 4
	// 0: 0 1
	// 26: 3 2
}
