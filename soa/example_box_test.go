package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

func ExampleBoxAround() {
	b := soa.BoxAround([3]float32{10, 20, 30}, [3]float32{1, 2, 3})
	fmt.Println(b.Min, b.Max)
	// Output: [9 18 27] [11 22 33]
}

func ExampleBoxOf() {
	b := soa.BoxOf([3]float32{3, 0, 1}, [3]float32{1, 5, 2}, [3]float32{2, 2, 9})
	fmt.Println(b.Min, b.Max, soa.BoxOf().IsEmpty())
	// Output: [1 0 1] [3 5 9] true
}

func ExampleAABB_Intersect() {
	a := soa.AABB{Max: [3]float32{4, 4, 4}}
	b := a.Translate([3]float32{3, 1, 0})
	c := a.Intersect(b)
	fmt.Println(c.Min, c.Max, c.Size())
	fmt.Println(a.Intersect(a.Translate([3]float32{5, 0, 0})).IsEmpty())
	// Output:
	// [3 1 0] [4 4 4] [1 3 4]
	// true
}

// Grow rounds outward to hold the exact box: 16777216.5 is no float32.
func ExampleAABB_Grow() {
	b := soa.AABB{Min: [3]float32{16777216, 0, 0}, Max: [3]float32{16777216, 1, 1}}
	g := b.Grow(0.5)
	fmt.Printf("%.0f to %.0f, %v to %v\n", g.Min[0], g.Max[0], g.Min[1], g.Max[1])
	fmt.Println(b.Grow(-1).IsEmpty())
	// Output:
	// 16777215 to 16777218, -0.5 to 1.5
	// true
}

func ExampleAABB_Translate() {
	b := soa.AABB{Max: [3]float32{1, 1, 1}}.Translate([3]float32{10, 0, -3})
	fmt.Println(b.Min, b.Max)
	// Output: [10 0 -3] [11 1 -2]
}

func ExampleAABB_Area() {
	b := soa.AABB{Max: [3]float32{1, 2, 3}}
	fmt.Println(b.Area(), soa.Empty().Area(), b.Size())
	// Output: 22 0 [1 2 3]
}

func ExampleAABB_ContainsPoint() {
	b := soa.AABB{Max: [3]float32{1, 2, 3}}
	fmt.Println(b.ContainsPoint([3]float32{1, 0, 3}), b.ContainsPoint([3]float32{1, 0, 4}))
	// Output: true false
}

func ExampleAABB_IsEmpty() {
	point := soa.BoxOf([3]float32{1, 2, 3})
	fmt.Println(soa.Empty().IsEmpty(), point.IsEmpty(), soa.AABB{Min: [3]float32{1, 0, 0}}.IsEmpty())
	// Output: true false true
}

func ExampleAABB_Size() {
	b := soa.AABB{Min: [3]float32{-1, 0, 5}, Max: [3]float32{1, 0, 8}}
	fmt.Println(b.Size(), soa.Empty().Size())
	// Output: [2 0 3] [0 0 0]
}
