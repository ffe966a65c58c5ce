package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A box by its centre and half its size, the box of some points, and a union of boxes.
func ExampleBoxAround() {
	crate := linear.BoxAround([3]float32{10, 20, 30}, [3]float32{1, 2, 3})
	path := linear.BoxOf([3]float32{3, 0, 1}, [3]float32{1, 5, 2}, [3]float32{2, 2, 9})
	all := linear.EmptyBox()
	for _, box := range []linear.AABB{crate, path} {
		all = all.Union(box)
	}
	fmt.Println(crate)
	fmt.Println(path)
	fmt.Println(all, all.Check())
	fmt.Println(linear.BoxOf() == linear.EmptyBox(), linear.EmptyBox().IsEmpty())
	// Output:
	// [9 18 27] to [11 22 33]
	// [1 0 1] to [3 5 9]
	// [1 0 1] to [11 22 33] <nil>
	// true true
}
