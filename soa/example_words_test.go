package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// A ball is stored as the box around it and the ball itself. The box is rounded outward, so it holds the whole ball.
func ExampleBallBoxes() {
	b := soa.Ball{Sphere: [4]float32{1, 2, 3, 0.5}, Mask: 1}
	fmt.Println(b.Box(), b.Object().Mask)
	boxes := make([]soa.AABB, 2)
	soa.BallBoxes(boxes, [][4]float32{b.Sphere, {0, 0, 0, 1}})
	fmt.Println(boxes[0] == b.Box(), boxes[1])
	// Output:
	// [0.5 1.5 2.5] to [1.5 2.5 3.5] 1
	// true [-1 -1 -1] to [1 1 1]
}

// The empty box is the neutral element of a union: it intersects nothing.
func ExampleEmpty() {
	all := soa.Empty()
	for x := range 3 {
		at := [3]float32{float32(x), 0, 0}
		all = all.Union(soa.AABB{Min: at, Max: at})
	}
	fmt.Println(all, soa.Empty().Overlaps(all))
	// Output:
	// [0 0 0] to [2 0 0] false
}

// Coordinates of float64 become float32 about the origin of a tree. They are rounded outward: no false negatives.
func ExampleBelow() {
	const x, origin = 4_177_130.1, 4_177_120.25
	low, high := soa.Below(x, origin), soa.Above(x, origin)
	fmt.Println(low < high, float64(low) <= x-origin, x-origin <= float64(high))
	// Output:
	// true true true
}

// Grow reserves room for the values of all objects at once.
func ExampleColumn_Grow() {
	var health soa.Column[int]
	health.Grow(1000)
	health.Set(999, 80) // allocates nothing
	fmt.Println(health.Len(), health.Get(999))
	health.Clear()
	fmt.Println(health.Len(), health.Get(999))
	// Output:
	// 1000 80
	// 0 0
}
