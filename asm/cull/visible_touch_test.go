package cull_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// A box that touches an occluder is visible, and a box behind it by the least number is hidden: on each tier, with
// any other boxes in the packet.
func TestVisibleTouching(t *testing.T) {
	rounds := testkit.Budget(t, 3, 200)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		hidden := 0
		for range rounds {
			for _, size := range kernel.PictureSizes {
				s := newVisibleScene(t, rng, kernel.Heap, size, 20)
				p := s.picture
				for i := range s.packets {
					lane := rng.IntN(soa.Lanes)
					x0, x1, y0, y1, z, ok := s.lens.Rect(&s.packets[i], lane)
					on := x1 >= 0 && x0 <= float32(size[0]) && y1 >= 0 && y0 <= float32(size[1])
					if !ok || !on || math.IsInf(float64(z), 0) || z != z {
						continue
					}
					seen := func(depth float32) bool {
						p.Clear(depth)
						ranges := []asm.Range{{First: uint32(i), N: asm.RangeHit | 0xffff}}
						left, _ := cull.VisibleRanges(ranges, s.packets, &s.lens, p)
						return len(left) == 1 && left[0].N>>lane&1 != 0
					}
					if !seen(z) {
						t.Fatalf("%v: lane %d of %v is hidden by what is as deep, %v", size, lane, kernel.PacketBox(&s.packets[i], lane), z)
					}
					if nearer := math.Nextafter32(z, float32(math.Inf(1))); !seen(nearer) {
						hidden++
					} else if x0 <= x1 && y0 <= y1 {
						t.Fatalf("%v: lane %d of %v is seen behind %v", size, lane, kernel.PacketBox(&s.packets[i], lane), nearer)
					}
				}
			}
		}
		if hidden < 100 {
			t.Errorf("%d boxes are hidden", hidden)
		}
	})
}
