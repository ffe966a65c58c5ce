package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

func ExampleObject_String() {
	o := soa.Object{Box: soa.BoxAround([3]float32{1, 2, 3}, [3]float32{1, 1, 1}), Mask: 0x11, Static: true}
	fmt.Println(o)
	fmt.Println(soa.Ball{Sphere: [4]float32{1, 2, 3, 0.5}, Mask: 1})
	fmt.Println(soa.Handle{ID: 7, Gen: 3})
	// Output:
	// [0 1 2] to [2 3 4] mask 0x11 static
	// [1 2 3] radius 0.5 mask 0x1
	// ID 7 generation 3
}

func ExampleAABB_String() {
	fmt.Println(soa.AABB{Max: [3]float32{1, 1, 1}}, soa.Empty())
	// Output: [0 0 0] to [1 1 1] [+Inf +Inf +Inf] to [-Inf -Inf -Inf]
}

func ExampleOrientedBox_String() {
	fmt.Println(soa.OrientedBox{Center: [3]float32{1, 2, 3}, Axes: [3][3]float32{{1, 1, 0}, {-1, 1, 0}, {0, 0, 2}}})
	// Output: [1 2 3] with half axes [1 1 0] [-1 1 0] [0 0 2]
}
