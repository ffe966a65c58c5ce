package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// Patch brings a copy up to date from the list of changed rows, here slot 1: its count, and with it all columns but
// boxes and spheres.
func ExampleStore_Patch() {
	var s, c soa.Store
	for range 7 {
		s.Packets.AllocBlock() // of 16 empty slots
	}
	c.CopyFrom(&s)

	s.Packets.Counts[1] = 7
	s.Packets.Counts[64] = 9 // a change of this row is not recorded
	c.Patch(&s, nil, soa.Rows{1 << 1}, nil)
	fmt.Println(c.Packets.Counts[1], c.Packets.Counts[64])

	c.Patch(&s, nil, soa.Rows{0, 1 << 0}, nil)
	fmt.Println(c.Packets.Counts[1], c.Packets.Counts[64])
	// Output:
	// 7 0
	// 7 9
}
