package morton_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
)

// TestBreakOff breaks off the iteration.
func TestBreakOff(t *testing.T) {
	operations := []testkit.Operation{
		testkit.Iteration("Box.Ranges", morton.BoxOf([3]uint32{14, 0, 0}, [3]uint32{50, 28, 17}).Ranges()),
	}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}
