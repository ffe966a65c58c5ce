package follow

import (
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
)

// Curve sorts boxes along the Morton curve. The zero value is ready to use.
type Curve struct {
	Keys []uint64
	Sort radix.Scratch
}

// Order returns the items whose [radix.Index] are the numbers of n boxes, sorted by the keys of
// their centres. Every stride numbers, a box begins with min x, y, z and max x, y, z, all finite.
// The items are valid until the next call.
func (c *Curve) Order(boxes []float32, stride, n int) []uint64 {
	if n == 0 {
		return nil
	}
	b, _, _ := build.Survey(boxes, stride, n)
	world, _ := morton.Fit([3]float32{b[0], b[2], b[4]}, [3]float32{b[1], b[3], b[5]}) // the boxes are finite
	grid := world.Grid()
	c.Keys = slices.Grow(c.Keys[:0], n)[:n]
	build.EncodeBoxes(c.Keys, &grid, boxes, stride)
	items, _ := c.Sort.Order(c.Keys, radix.Options{}) // fails only if it is cancelled
	return items
}
