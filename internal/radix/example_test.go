package radix_test

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/radix"
)

func ExampleScratch_Order() {
	names := []string{"pear", "fig", "plum", "lime"}
	keys := []uint64{3 << 40, 1 << 40, 3<<40 | 5, 1 << 40}

	var s radix.Scratch
	items, err := s.Order(keys, radix.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range items {
		fmt.Println(names[radix.Index(item)], radix.Top(item))
	}
	// Output:
	// fig 1024
	// lime 1024
	// pear 3072
	// plum 3072
}
