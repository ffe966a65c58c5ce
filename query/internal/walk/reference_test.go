package walk_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// The walks find what the plain loops find, on every tree and tier.
func TestReference(t *testing.T) {
	seed := testkit.Seed(t)
	hits := 0
	for _, sc := range testkit.Scenes() {
		n := 20 + testkit.Rand(seed).IntN(testkit.Budget(t, 500, 3000))
		objects := sc.Make(n, seed)
		for form, tree := range trees.PlantAll(t, objects).Trees {
			s := tree.View().Store()
			testkit.EachTier(t, func(t *testing.T) {
				for i, b := range scene.BoxQueries(objects, 8, 20, seed) {
					testkit.SameIDSet(t, boxIDs(s, &b), walk.ReferenceBox(nil, s, &b))
					if same, hit := firstHits(s, &b, i); !same {
						t.Errorf("the first hit of ray %d is another", i)
					} else if hit {
						hits++
					}
				}
			})
			if t.Failed() {
				t.Fatalf("scene %s, %d objects, %s tree", sc.Name, n, form)
			}
		}
	}
	if hits < 100 {
		t.Errorf("only %d rays hit", hits)
	}
}

func boxIDs(s *soa.Store, b *soa.AABB) []uint32 {
	var q walk.Box
	q.Set(&b.Min, &b.Max)
	return slices.Clone(q.Begin(s).Append(nil, &walk.Everything))
}

// firstHits compares the first hits along a diagonal of a box and beyond.
func firstHits(s *soa.Store, b *soa.AABB, i int) (same, hit bool) {
	from, dir := b.Min, [3]float32{}
	for a := range 3 {
		if i>>a&1 != 0 {
			from[a] = b.Max[a]
		}
		dir[a] = b.Center()[a] - from[a]
	}
	const length = 1e6
	var q walk.Sweep
	q.SetPoint(&from, &dir, length)
	var r trace.Ray
	exp := r.Set(&from, &from, &dir, length)
	id, dist, ok := q.FirstID(s, &walk.Everything)
	want, time, hit := walk.ReferenceRay(s, &r)
	return id == want && ok == hit && (!ok || dist == float32(math.Ldexp(float64(time), -exp))), hit
}
