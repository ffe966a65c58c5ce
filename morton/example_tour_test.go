// The tour, 1 of 8: a curve through space.
//
// Each file of the tour is a program that runs; read them in the order morton, linear, query, query/collide,
// query/occlude, query/scene, query/interest, query/show. All are about one town.
package morton_test

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/morton"
)

// A house of the town stands on a square of a grid.
type house struct {
	name string
	at   [3]float32
}

func Example_tour() {
	houses := []house{
		{"mill", [3]float32{900, 880, 0}},
		{"church", [3]float32{510, 500, 0}},
		{"inn", [3]float32{530, 505, 0}},
		{"bakery", [3]float32{40, 70, 0}},
		{"smithy", [3]float32{60, 20, 0}},
	}
	// A world is a cube, cut into 2^21 cells a side. Every cell has a number, the key: the bits of its
	// three coordinates interleaved, z y x z y x …, the highest first.
	world, err := morton.NewWorld(-11, [3]int32{}) // from 0 to 1024
	if err != nil {
		panic(err)
	}
	// The first three bits of a key select one of eight cubes, the next three an eighth of it, and so on. A key is a
	// path down an octree, and the contents of a cube are one interval of keys. Sorted by keys, neighbours in space
	// are mostly neighbours in memory.
	slices.SortFunc(houses, func(a, b house) int {
		return cmp.Compare(world.Key(a.at), world.Key(b.at))
	})
	for _, h := range houses {
		fmt.Printf("%-7s %v %v\n", h.name, world.Key(h.at).At(1), world.Key(h.at).At(4))
	}
	// The nearness of two keys on the curve: the smallest cube that holds both.
	bakery, smithy := world.Key(houses[0].at), world.Key(houses[1].at)
	low, high := world.CellBox(morton.Common(bakery, smithy))
	fmt.Println("both in", low, "to", high)
	// A range search along the curve: the intervals of keys that a box covers.
	runs, err := world.AppendCover(nil, [3]float32{0, 0, 0}, [3]float32{100, 100, 0}, 4)
	fmt.Println(len(runs), "runs", err)
	// Output:
	// smithy  /0 /0000
	// bakery  /0 /0002
	// church  /0 /0333
	// inn     /1 /1222
	// mill    /3 /3312
	// both in [0 0 0] to [128 128 64]
	// 4 runs <nil>
}
