package collide_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// ascending sorts pairs.
func ascending(pairs []collide.Pair) []collide.Pair {
	slices.SortFunc(pairs, comparePairs)
	return pairs
}

// loopPairs are the pairs within a list, or of two: the double loop, ascending.
func loopPairs(a, b []soa.Object, self bool) (pairs []collide.Pair) {
	for i := range a {
		for k := range b {
			if (!self || i < k) && a[i].Box.Overlaps(b[k].Box) {
				pairs = append(pairs, collide.Pair{A: uint32(i), B: uint32(k)})
			}
		}
	}
	return pairs
}

// A walk that is cut into parts finds every pair once, with any assignment of parts to workers, and in one
// order; with several workers each part is done once.
func TestPairShares(t *testing.T) {
	defer collide.SharePairsFrom(1, 12)()
	const few = 300
	flt := collide.Filter{StaticPairs: true}
	other := testkit.SceneByName(t, "city").Make(few, 2)
	world := trees.Plant(t, other, true).View()
	shared := 0
	for _, name := range []string{"uniform", "city", "huge", "clustered"} {
		for _, n := range []int{1, 17, 200, 900} {
			objects := testkit.SceneByName(t, name).Make(n, 1)
			want, between := loopPairs(objects, objects, true), loopPairs(objects, other, false)
			for form, tree := range trees.PlantAll(t, objects).Trees {
				v := tree.View()
				ask := func(kind string, one []collide.Pair, want []collide.Pair, parts int, append func(b *collide.Batch) []collide.Pair) {
					if !slices.Equal(ascending(slices.Clone(one)), want) {
						t.Fatalf("%s, n=%d, %s, %s: %d pairs, want %d", name, n, form, kind, len(one), len(want))
					}
					for _, workers := range []int{1, 2, 3, 1000} {
						b := collide.Batch{Workers: workers}
						if got := append(&b); !slices.Equal(got, one) {
							t.Fatalf("%s, n=%d, %s, %s, %d workers: %d pairs, want %d in that order", name, n, form, kind, workers, len(got), len(one))
						}
						if done := collide.PartsDone(&b); workers > 1 && parts > 1 && done != parts {
							t.Fatalf("%s, n=%d, %s, %s, %d workers: %d parts were done of %d", name, n, form, kind, workers, done, parts)
						} else if done > 0 {
							shared++
						}
					}
				}
				ask("within", collide.Append(nil, collide.Within(v), flt), want, collide.PlannedParts(collide.Within(v), flt),
					func(b *collide.Batch) []collide.Pair { return batched(t, b, nil, collide.Within(v), flt) })
				ask("between", collide.Append(nil, collide.Between(v, world), flt), between, collide.PlannedParts(collide.Between(v, world), flt),
					func(b *collide.Batch) []collide.Pair { return batched(t, b, nil, collide.Between(v, world), flt) })
			}
		}
	}
	if shared < 60 {
		t.Errorf("only %d walks were shared", shared)
	}
}

// Above the threshold a walk is cut, below it is not.
func TestPairSharesFrom(t *testing.T) {
	v := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(6000, 1), true).View()
	for _, c := range []struct {
		from int
		cut  bool
	}{{6000, true}, {6001, false}} {
		restore := collide.SharePairsFrom(c.from, 12)
		parts := collide.PlannedParts(collide.Within(v), collide.Filter{})
		restore()
		if parts > 0 != c.cut {
			t.Errorf("6000 objects, shared from %d on: %d parts", c.from, parts)
		}
	}
}
