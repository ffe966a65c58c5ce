package query_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// FuzzVolumes reads objects and volumes as raw numbers and compares with the
// oracles on every tier.
func FuzzVolumes(f *testing.F) {
	f.Add([]byte("zero-size and touching boxes, all alike........................"), uint16(40), uint8(0))
	f.Add([]byte{0, 0, 128, 63, 0, 0, 128, 191, 255, 255, 127, 127, 1, 0, 0, 0, 0, 0, 0, 128}, uint16(200), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, coarse uint8) {
		at := 0
		number := func() float32 {
			var bits uint32
			for k := range 4 {
				if len(data) > 0 {
					bits |= uint32(data[at%len(data)]) << (8 * k)
					at++
				}
			}
			if coarse&1 != 0 { // small integers intersect more often
				return float32(int8(bits))
			}
			x := math.Float32frombits(bits + uint32(at)*2654435761)
			if x-x != 0 {
				return 0
			}
			return x
		}
		next := func() (b soa.AABB) {
			for a := range 3 {
				x, y := number(), number()
				b.Min[a], b.Max[a] = min(x, y), max(x, y)
			}
			return b
		}
		objects := make([]soa.Object, n%300)
		for i := range objects {
			objects[i] = soa.Object{Box: next(), Mask: 1 << (i % 3), Static: i%2 == 0}
		}
		forest := plantAll(t, objects)
		b, s := next(), scene.Sphere{Center: next().Min, Radius: float32(math.Abs(float64(number())))}
		planes := make([][4]float32, int(coarse)%(query.MaxPlanes+1))
		for i := range planes {
			planes[i] = [4]float32{number(), number(), number(), number()}
		}
		for _, p := range []probe{
			{numbers: b, query: box(t, b), reference: testkit.ReferenceBox(objects, b)},
			{"sphere", sphere(t, s), testkit.ReferenceSphere(objects, s.Center, s.Radius), testkit.DefinitionSphere(objects, s.Center, s.Radius), nil},
			{"convex", convex(t, planes), testkit.ReferenceConvex(objects, planes), testkit.DefinitionConvex(objects, planes), planes},
		} {
			for form, tree := range forest.Trees {
				v := tree.View()
				for _, tier := range asm.Info().Available {
					former, err := asm.SetTier(tier)
					testkit.Must(t, err)
					got := forms(t, p.query, p.query.All(v, query.Filter{}), v, query.Filter{})
					asm.SetTier(former)
					sorted := slices.Sorted(slices.Values(got))
					testkit.SameIDs(t, sorted, p.referenceOf(objects, v))
					testkit.NothingLost(t, sorted, p.definition)
					if t.Failed() {
						t.Fatalf("%s, tree %s, tier %s", p.name(), form, tier)
					}
				}
			}
		}
	})
}
