package soa_test

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

func ExampleAABB() {
	a := soa.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{2, 2, 2}}
	b := soa.AABB{Min: [3]float32{2, 1, 1}, Max: [3]float32{5, 1, 1}} // touches, no height
	fmt.Println(a.Overlaps(b), a.Contains(b), a.Union(b).Max, b.Center())
	// Output: true false [5 2 2] [3.5 1 1]
}

func ExampleAABB_Check() {
	b := soa.AABB{Min: [3]float32{0, 3, 0}, Max: [3]float32{2, 2, 2}}
	fmt.Println(b.Check())
	// Output: box [0 3 0] to [2 2 2] is inverted or not finite on axis y
}

func ExampleIDs() {
	var ids soa.IDs
	a, b := ids.New(0), ids.New(1)
	h, _ := ids.Handle(b)
	ids.Free(b)
	c := ids.New(2) // the ID freed last is reused first
	_, err := ids.Resolve(h)
	fmt.Println(a, b, c, errors.Is(err, soa.ErrStale))
	// Output: 0 1 1 true
}

// The box of a ball is rounded outward: it holds the whole ball.
func ExampleBall() {
	b := soa.Ball{Sphere: [4]float32{1, 2, 16777216, 0.25}, Mask: 1}
	o := b.Object()
	fmt.Println(o.Box.Min, o.Mask)
	fmt.Printf("%.0f\n", o.Box.Max[2]) // beyond it float32 has even numbers only
	// Output:
	// [0.75 1.75 1.6777215e+07] 1
	// 16777218
}

// An oriented box, turned by an eighth about z, and the smallest axis-aligned box around it.
func ExampleOrientedBox() {
	b := soa.OrientedBox{
		Center: [3]float32{10, 20, 30},
		Axes:   [3][3]float32{{2, 2, 0}, {-1, 1, 0}, {0, 0, 5}},
	}
	fmt.Println(b.Check())
	fmt.Println(b.Box())
	b.Axes[1] = [3]float32{1, 0, 0}
	fmt.Println(b.Check())
	// Output:
	// <nil>
	// [7 17 25] to [13 23 35]
	// oriented box [10 20 30] with half axes [2 2 0] [1 0 0] [0 0 5]: axes [2 2 0] and [1 0 0] are not at right angles
}
