package morton_test

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/morton"
)

func ExampleEncode() {
	k := morton.Encode(1, 2, 4)
	fmt.Printf("%b\n", uint64(k))
	fmt.Println(k.Decode())
	// Output:
	// 100010001
	// 1 2 4
}

func ExampleEncode30() {
	k := morton.Encode30(1023, 0, 0)
	fmt.Println(k)
	fmt.Println(k.Key()) // the first key of the cell at level 10
	// Output:
	// 1111111111
	// 111111111100000000000
}

func ExampleKey_At() {
	k := morton.Encode(morton.Max, 0, morton.Max)
	for level := range 3 {
		fmt.Println(k.At(level))
	}
	// Output:
	// /
	// /5
	// /55
}

func ExampleCommon() {
	a, b := morton.Encode(4, 4, 4), morton.Encode(5, 6, 4)
	c := morton.Common(a, b)
	fmt.Println(c.Bits(), c.First() <= a, b <= c.Last())
	// Output:
	// 58 true true
}

func ExampleCell_Child() {
	c := morton.Cell{}.Child(3).Child(6)
	p, _ := c.Parent()
	fmt.Println(c, c.Octant(), p, p.Holds(c))
	// Output:
	// /36 6 /3 true
}

func ExampleCell_Neighbor() {
	c := morton.Cell{}.Child(0)
	n, ok := c.Neighbor(morton.HighX)
	fmt.Println(n, ok)
	_, ok = c.Neighbor(morton.LowX)
	fmt.Println(ok)
	// Output:
	// /1 true
	// false
}

func ExampleCell_Compare() {
	root := morton.Cell{}
	cells := []morton.Cell{root.Child(2), root.Child(1).Child(0), root, root.Child(1)}
	slices.SortFunc(cells, morton.Cell.Compare)
	fmt.Println(cells)
	// Output:
	// [/ /1 /10 /2]
}

// A range search scans sorted keys and skips the intervals that lie outside the box.
func ExampleBox_Next() {
	keys := make([]morton.Key, 512)
	for i := range keys {
		keys[i] = morton.Key(i)
	}
	box := morton.BoxOf([3]uint32{3, 3, 3}, [3]uint32{4, 3, 4})
	looked := 0
	for i := 0; i < len(keys); {
		looked++
		if box.Contains(keys[i]) {
			fmt.Println(keys[i].Decode())
			i++
			continue
		}
		next, ok := box.Next(keys[i])
		if !ok {
			break
		}
		i, _ = slices.BinarySearch(keys, next)
	}
	fmt.Println(looked, "keys visited")
	// Output:
	// 3 3 3
	// 4 3 3
	// 3 3 4
	// 4 3 4
	// 9 keys visited
}

func ExampleBox_Prev() {
	box := morton.BoxOf([3]uint32{1, 1, 1}, [3]uint32{2, 2, 2})
	k, ok := box.Prev(morton.MaxKey)
	fmt.Println(ok)
	fmt.Println(k.Decode())
	// Output:
	// true
	// 2 2 2
}

func ExampleBox_Ranges() {
	box := morton.BoxOf([3]uint32{0, 0, 0}, [3]uint32{2, 1, 1})
	for r := range box.Ranges() {
		fmt.Println(uint64(r.First), uint64(r.Last))
	}
	// Output:
	// 0 8
	// 10 10
	// 12 12
	// 14 14
}

func ExampleBox_AppendCover() {
	box := morton.BoxOf([3]uint32{0, 0, 0}, [3]uint32{8, 1, 1})
	for _, k := range []int{8, 2} {
		cover := box.AppendCover(nil, k)
		fmt.Println(len(cover), "ranges:")
		for _, r := range cover {
			fmt.Println(uint64(r.First), uint64(r.Last))
		}
	}
	// Output:
	// 6 ranges:
	// 0 15
	// 64 79
	// 512 512
	// 514 514
	// 516 516
	// 518 518
	// 2 ranges:
	// 0 79
	// 512 518
}

func ExampleFit() {
	w, err := morton.Fit([3]float32{-3, 0, 1}, [3]float32{5, 7.5, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w)
	fmt.Println(w.Inside([3]float32{5, 0, 0}), w.Inside([3]float32{100, 0, 0}))
	// Output:
	// [-8 0 0] to [8 16 16], cells of 2^-17
	// true false
}

func ExampleWorld_CellBox() {
	w, _ := morton.Fit([3]float32{-4, -4, -4}, [3]float32{3, 3, 3})
	k := w.Key([3]float32{1, 1, -1})
	fmt.Println(w.CellBox(k.At(1)))
	fmt.Println(w.CellBox(k.At(2)))
	// Output:
	// [0 0 -4] [4 4 0]
	// [0 0 -2] [2 2 0]
}

// A range search over the sorted rows of a store finds the points in a box.
func ExampleWorld_AppendCover() {
	w, _ := morton.Fit([3]float32{0, 0, 0}, [3]float32{100, 100, 100})
	var rows []morton.Key
	for i := range 100 {
		x := float32(i)
		rows = append(rows, w.Key([3]float32{x, x, x}))
	}
	slices.Sort(rows)
	cover, err := w.AppendCover(nil, [3]float32{10, 10, 10}, [3]float32{20, 20, 20}, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	candidates := 0
	for _, r := range cover {
		from, _ := slices.BinarySearch(rows, r.First)
		to, _ := slices.BinarySearch(rows, r.Last+1)
		candidates += to - from
	}
	fmt.Println(len(cover) <= 4, candidates >= 11)
	// Output:
	// true true
}

// The world doubles towards a point outside; keys of points inside move by a
// shift.
func ExampleWorld_Grow() {
	w, _ := morton.Fit([3]float32{0, 0, 0}, [3]float32{7, 7, 7})
	inside, outside := [3]float32{1, 2, 3}, [3]float32{-5, 0, 9}
	k := w.Key(inside)
	octant := w.Towards(outside)
	grown, ok := w.Grow(octant)
	fmt.Println(grown, ok)
	fmt.Println(k.Grow(octant) == grown.Key(inside), grown.Inside(outside))
	// Output:
	// [-8 -8 0] to [8 8 16], cells of 2^-17 true
	// true true
}

func ExampleWorld_Shrink() {
	w, _ := morton.Fit([3]float32{0, 0, 0}, [3]float32{15, 15, 15})
	k := w.Key([3]float32{12, 1, 1})
	octant := k.At(1).Octant()
	half, _ := w.Shrink(octant)
	fmt.Println(half)
	cell := k.At(21).Shrink() // all but the last triple of the new key
	fmt.Println(cell.Contains(half.Key([3]float32{12, 1, 1})))
	// Output:
	// [8 0 0] to [16 8 8], cells of 2^-18
	// true
}
