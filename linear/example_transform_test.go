package linear_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/linear"
)

// A part of 2 x 4 x 1, scaled by 2, rotated by 90 degrees about z and translated by 10 along x.
func ExampleTransform() {
	part := linear.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{2, 4, 1}}
	transform, err := linear.Similarity([3]float64{10, 0, 0}, [4]float64{0, 0, 1, 1}, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(transform.Kind(), transform.Box(part))
	fmt.Println(transform.Point([3]float64{2, 4, 1}))
	fmt.Println(transform.Local([3]float64{2, 4, 2}))
	// Output:
	// aligned [2 0 0] to [10 4 2]
	// [2 4 2]
	// [2 4 1] [0 0 0]
}

// Composed transforms: a wheel rotates about its axle, and the axle moves with the car.
func ExampleTransform_Then() {
	wheel, err := linear.Similarity([3]float64{1, 0, 0}, [4]float64{3: 1}, 1)
	if err != nil {
		panic(err)
	}
	car, err := linear.Similarity([3]float64{100, 50, 0}, [4]float64{0, 0, 1, 1}, 1)
	if err != nil {
		panic(err)
	}
	world, err := wheel.Then(car)
	fmt.Println(world.Point([3]float64{}), err)
	// Output: [100 51 0] <nil>
}

// Row 0 computes x. A mirror image is a valid transform.
func ExampleNewTransform() {
	mirror, err := linear.NewTransform([12]float64{
		-1, 0, 0, 8,
		0, 1, 0, 0,
		0, 0, 1, 0,
	})
	fmt.Println(mirror.Point([3]float64{3, 1, 1}), err)
	_, err = linear.NewTransform([12]float64{})
	fmt.Println(err)
	// Output:
	// [5 1 1] <nil>
	// linear: transform [0 0 0 0 0 0 0 0 0 0 0 0]: the largest number of its matrix is 0, want at most 2^100 and at least 2^-100
}

// Graphics APIs hold matrices by columns.
func ExampleTransformColumnMajor() {
	transform, err := linear.TransformColumnMajor([16]float32{
		1, 0, 0, 0,
		0, 1, 0, 0,
		0, 0, 1, 0,
		5, 6, 7, 1,
	})
	fmt.Println(transform.Kind(), transform.Point([3]float64{}), err)
	// Output: translation [5 6 7] <nil>
}

// Matrices of float64 place a part far from the origin, which float32 cannot do precisely.
func ExampleTransformColumnMajor64() {
	transform, err := linear.TransformColumnMajor64([16]float64{
		1, 0, 0, 0,
		0, 1, 0, 0,
		0, 0, 1, 0,
		4_000_000.125, 6, 7, 1,
	})
	fmt.Println(transform.Rows()[3], err)
	// Output: 4.000000125e+06 <nil>
}

// Mathematics and NumPy write matrices by rows.
func ExampleTransformRowMajor() {
	transform, err := linear.TransformRowMajor([16]float32{
		2, 0, 0, 5,
		0, 2, 0, 6,
		0, 0, 2, 7,
		0, 0, 0, 1,
	})
	fmt.Println(transform.Point([3]float64{1, 1, 1}), err)
	// Output: [7 8 9] <nil>
}

// The last row of an affine matrix is 0 0 0 1: a projection is no transform of a part.
func ExampleTransformRowMajor64() {
	_, err := linear.TransformRowMajor64([16]float64{
		1, 0, 0, 0,
		0, 1, 0, 0,
		0, 0, 1, -1,
		0, 0, -1, 0,
	})
	fmt.Println(err)
	// Output: linear: the last row of a matrix is 0 0 -1 0, want 0 0 0 1
}

// A node of a glTF scene: a plank is stretched along x, turned by 90 degrees about z, and put in its place.
func ExampleTRS() {
	translation, rotation, scale := [3]float64{10, 0, 0}, [4]float64{0, 0, math.Sqrt2 / 2, math.Sqrt2 / 2}, [3]float64{3, 1, 1}
	transform, err := linear.TRS(translation, rotation, scale)
	if err != nil {
		panic(err)
	}
	plank := linear.AABB{Max: [3]float32{2, 1, 0.5}}
	fmt.Println(transform.Box(plank))
	_, err = linear.TRS(translation, rotation, [3]float64{3, 0, 1})
	fmt.Println(err)
	// Output:
	// [9 0 0] to [10 6 0.5]
	// linear: a transform of scale [3 0 1], want finite factors other than 0
}
