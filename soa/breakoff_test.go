package soa_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// TestBreakOff breaks off the iterations over free rows.
func TestBreakOff(t *testing.T) {
	var s soa.Store
	for range 9 {
		s.Nodes.Alloc()
	}
	for i := range uint32(5) {
		s.Nodes.Free(i)
	}
	operations := []testkit.Operation{
		testkit.Iteration("NodeColumns.EachFree", s.Nodes.EachFree),
	}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}
