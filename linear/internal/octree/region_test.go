package octree

import (
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The union of the boxes of some records decides only what their boxes decide, one by one.
func TestSelectsNone(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		r := testkit.Rand(testkit.Seed(t))
		number := func() float32 { return float32(r.IntN(9)) } // boxes often touch
		var x search
		decided, selected := map[bool]int{}, 0 // by Outside
		for range 4000 {
			from := [3]float32{number(), number(), number()}
			var region Region
			region.Box = cull.MakeBox(from, [3]float32{from[0] + 3*number(), from[1] + 3*number(), from[2] + 3*number()})
			region.Outside, region.Flags = r.IntN(2) == 0, soa.RefMoving
			if region.Ball = r.IntN(8) == 0; region.Ball {
				region.Sphere = cull.MakeSphere(from, number())
			}
			x.set(&region)
			x.records = x.records[:0]
			near, size := [3]float32{number(), number(), number()}, 1+r.IntN(4)
			objects := make([]soa.Object, 1+r.IntN(64))
			for i := range objects {
				for a := range 3 {
					least := near[a] + float32(r.IntN(size))
					objects[i].Box.Min[a], objects[i].Box.Max[a] = least, least+float32(r.IntN(2))
				}
			}
			none := x.selectsNone(objects)
			x.test(0, objects)
			if none && len(x.records) > 0 {
				t.Fatalf("%+v selects %d of %d objects in %v, want none", region, len(x.records), len(objects), objects)
			}
			if none {
				decided[region.Outside]++
			}
			selected += len(x.records)
		}
		if min(decided[false], decided[true]) < 100 || selected == 0 {
			t.Errorf("%v lists decided as a whole, and %d objects selected", decided, selected)
		}
	})
}
