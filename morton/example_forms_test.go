package morton_test

import (
	"fmt"
	"log"

	"github.com/zoctree/zoctree/morton"
)

// A world is a cube of 2^21 cells a side; points outside are clamped to its border.
func ExampleNewWorld() {
	w, err := morton.NewWorld(-4, [3]int32{-16, -16, -16}) // cells of 1/16 from -1 on
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.CellSide(), w.Side(), w.Origin())
	fmt.Println(w.Bounds())
	_, err = morton.NewWorld(200, [3]int32{})
	fmt.Println(err)
	// Output:
	// 0.0625 131072 [-16 -16 -16]
	// [-1 -1 -1] [131071 131071 131071]
	// morton: no world has cells of side 2^200 and the origin [0 0 0]
}

// The key of a box is the key of its centre, for one box or for many by the kernels.
func ExampleWorld_EncodeBoxes() {
	w, err := morton.Fit([3]float32{0, 0, 0}, [3]float32{7, 7, 7})
	if err != nil {
		log.Fatal(err)
	}
	boxes := []float32{
		0, 0, 0, 1, 1, 1,
		4, 4, 4, 7, 5, 5,
	}
	keys := make([]morton.Key, 2)
	w.EncodeBoxes(keys, boxes, 6)
	fmt.Println(keys[0].At(3), keys[1].At(3))
	fmt.Println(keys[1] == w.KeyOfBox([3]float32{4, 4, 4}, [3]float32{7, 5, 5}))
	// Output:
	// /000 /701
	// true
}

// BoxOf returns the cells of the grid that a box of floats touches.
func ExampleWorld_BoxOf() {
	w, err := morton.NewWorld(0, [3]int32{}) // cells of side 1 from 0 on
	if err != nil {
		log.Fatal(err)
	}
	b, err := w.BoxOf([3]float32{1.5, 0, 0}, [3]float32{3, 0.5, 0.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Corners())
	fmt.Println(b.Empty(), morton.BoxOf([3]uint32{2, 2, 2}, [3]uint32{1, 3, 3}).Empty())
	// Output:
	// [1 0 0] [3 0 0]
	// false true
}

// Cells are prefixes of keys, of any number of bits: every third length is a cube.
func ExampleCellOf() {
	k := morton.Encode(5, 6, 4)
	half := morton.CellOf(k, 61) // half of an octant
	fmt.Println(half.Level(), half.IsOctant(), k.At(20).IsOctant())
	fmt.Println(half.Box().Corners())
	r := half.Range()
	fmt.Println(r.Contains(k), r.Contains(morton.Encode(0, 0, 0)))
	both := half.Common(morton.CellOf(0, 63)) // the smallest that holds both
	fmt.Println(both.Bits(), both.Holds(half))
	// Output:
	// 20 false true
	// [4 6 4] [5 7 4]
	// true false
	// 54 true
}

// A world that grows becomes an octant of the larger one, and a cell becomes a longer prefix.
func ExampleCell_Grow() {
	c := morton.Cell{}.Child(3)
	fmt.Println(c, c.Grow(6))
	// Output:
	// /3 /63
}

// Short keys, of 10 bits an axis, for tables and the network: the cell at level 10.
func ExampleKey30() {
	k := morton.Encode(1<<20, 1<<11, 3)
	short := k.Key30()
	fmt.Println(short.Decode())
	fmt.Println(k.At(10).Contains(short.Key()))
	// Output:
	// 512 1 0
	// true
}
