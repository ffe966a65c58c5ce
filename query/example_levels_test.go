package query_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Levels of detail by size on the screen, from frame to frame: a column holds the last level of each object, so that a
// camera that sways does not make meshes pop.
func ExampleFrustum_Levels() {
	v := avenue().View()
	var ids []uint32
	var lods []uint8
	var last linear.Column[uint8]
	for _, x := range []float64{-5, -5.5, -6.5, -5.5} {
		camera := query.Camera{
			Eye: [3]float64{x, 0, 0}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
			FovY: math.Pi / 3, Aspect: 16.0 / 9, Near: 0.1, Far: 60,
		}
		frustum, err := camera.Frustum()
		if err != nil {
			panic(err)
		}
		levels, err := frustum.Levels(0.2, 1./5, 1./20, 1./40)
		if err != nil {
			panic(err)
		}
		ids = frustum.Append(ids[:0], v, query.Filter{})
		lods = levels.Append(lods[:0], v, ids, &last) // the mesh of ids[i] is number lods[i]
		fmt.Println(ids, lods)
	}
	// Output:
	// [0 1 2 3 4 5] [0 1 1 2 2 3]
	// [0 1 2 3 4 5] [0 1 2 2 2 3]
	// [0 1 2 3 4 5] [1 1 2 2 2 3]
	// [0 1 2 3 4 5] [1 1 2 2 2 3]
}

// Without a column, the level is a function of the size alone.
func ExampleLevels_Append() {
	f := along()
	levels, err := f.Levels(0, 1./5, 1./20)
	v := avenue().View()
	fmt.Println(levels.Append(nil, v, []uint32{0, 1, 5}, nil), err)

	_, err = f.Levels(0, 1./20, 1./5)
	fmt.Println(err)
	// Output:
	// [0 1 2] <nil>
	// query: levels of detail with the size 0.2 after 0.05, want sizes that descend
}

func ExampleLevels_String() {
	levels, _ := along().Levels(0.25, 1, 0.5)
	fmt.Println(levels)
	// Output: 3 levels of detail 1 (0.75 to 1.25) 0.5 (0.375 to 0.625)
}

// The pixels of a mountain 10 km away decide about its texture.
func ExampleCamera_PixelSize() {
	c := query.Camera{
		Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
		FovY: math.Pi / 2, Aspect: 16.0 / 9, Near: 0.1, Far: query.Unlimited,
	}
	mountain := linear.AABB{Min: [3]float32{10_000, 0, 0}, Max: [3]float32{12_000, 1000, 1500}}
	pixels, err := c.PixelSize(mountain, 1080)
	fmt.Printf("%.1f %v\n", pixels, err)
	// Output: 108.0 <nil>
}

// In an orthographic projection, such as a map of 200 units on 1,000 lines, a size does not depend on the distance.
func ExampleViewport_PixelSize() {
	v, err := query.ViewportColumnMajor([16]float32{0: 1. / 100, 5: 1. / 100, 10: 1. / 1000, 15: 1}, query.ClipZeroToOne, 1000, 1000)
	if err != nil {
		panic(err)
	}
	pixels, err := v.PixelSize(linear.AABB{Min: [3]float32{0, 0, 500}, Max: [3]float32{4, 7, 505}})
	fmt.Printf("%.1f %v\n", pixels, err)
	// Output: 35.0 <nil>
}
