package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// The high halves exist from the first generation on that needs one, until Trim finds none.
func ExampleGenerations() {
	var g soa.Generations
	g.Fill(3, 1)
	g.Set(1, 2)
	fmt.Println(g.Len(), g.Low, g.High, g.Bytes())
	g.Set(2, 1<<16+3)
	fmt.Println(g.At(2), g.Low, g.High)

	other := g.Clone()
	g.Trim(2)
	fmt.Println(g.Low, g.High)
	g.CopyFrom(&other)
	fmt.Println(g.At(2))

	list := make([]uint32, 3) // as files have them
	g.CopyTo(list)
	other.SetAll(list)
	other.Resize(4)
	other.Set(3, 5)
	fmt.Println(list, other.Len(), other.At(3))
	// Output:
	// 3 [1 2 1] [] 6
	// 65539 [1 2 3] [0 0 1]
	// [1 2] []
	// 65539
	// [1 2 65539] 4 5
}
