package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A part of 2 x 4 x 1, scaled by 2, rotated by 90 degrees about z and translated by 10 along x.
func ExampleTransform() {
	part := linear.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{2, 4, 1}}
	pose, err := linear.Similarity([3]float64{10, 0, 0}, [4]float64{0, 0, 1, 1}, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(pose.Kind(), pose.Box(part))
	fmt.Println(pose.Point([3]float64{2, 4, 1}))
	fmt.Println(pose.Local([3]float64{2, 4, 2}))
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
	pose, err := linear.TransformColumnMajor([16]float32{
		1, 0, 0, 0,
		0, 1, 0, 0,
		0, 0, 1, 0,
		5, 6, 7, 1,
	})
	fmt.Println(pose.Kind(), pose.Point([3]float64{}), err)
	// Output: translation [5 6 7] <nil>
}
