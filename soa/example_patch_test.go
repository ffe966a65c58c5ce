package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// Patch brings a copy up to date from the list of changed rows, here slot 1: its count, and with it all columns but
// boxes and spheres.
func ExampleStore_Patch() {
	var s, c soa.Store
	s.Packets.Resize(100)
	for slot := range uint32(100) {
		s.Packets.Clear(slot)
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
