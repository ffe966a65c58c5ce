package query_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// All objects of a shell are exactly as far from its centre, which the boxes of nodes are nearer to. A walk defers
// the ties, and then falls back because each node has a hit. It finds the ties again, with the smallest IDs.
func TestNearestOfShell(t *testing.T) {
	const n = 14_500_001 // sums of squares up to it are exact
	var objects []soa.Object
	for x := 0; x*x <= n; x++ {
		for y := 0; x*x+y*y <= n; y++ {
			z := int(math.Sqrt(float64(n - x*x - y*y)))
			if x*x+y*y+z*z != n {
				continue
			}
			for k := range 8 {
				p := [3]float32{float32(x), float32(y), float32(z)}
				for a := range p {
					if k>>a&1 != 0 {
						p[a] = -p[a]
					}
				}
				objects = append(objects, soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1 << (len(objects) % 2)})
			}
		}
	}
	r := testkit.Rand(testkit.Seed(t))
	r.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
	if len(objects) < 10_000 {
		t.Fatalf("%d objects", len(objects))
	}
	for _, frozen := range []bool{true, false} {
		v := plant(t, objects, frozen).View()
		testkit.EachTier(t, func(t *testing.T) {
			for _, flt := range []query.Filter{{}, {Mask: 2}} {
				for _, k := range []int{1, 2, 8, 20, 100} {
					got, err := query.AppendNearest(nil, v, [3]float32{}, k, infinity, flt)
					testkit.Must(t, err)
					var want []query.Neighbor
					for id, o := range objects {
						if len(want) < k && (flt.Mask == 0 || o.Mask&flt.Mask != 0) {
							want = append(want, query.Neighbor{ID: uint32(id), Dist2: n})
						}
					}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("frozen %v, k %d, filter %v: %v, want %v", frozen, k, flt, got, want)
					}
				}
			}
		})
	}
}
