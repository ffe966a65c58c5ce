package collide_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// Few moving objects among many: around the share from which they are gathered, the pairs, exact or not,
// the impacts and the batch match the oracles, in one order on all tiers.
func TestPairsFewMovers(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	sizes := []int{1023, 2560}
	if !testkit.Long(t) {
		sizes = []int{1100}
	}
	for _, name := range []string{"uniform", "clustered"} {
		for _, n := range sizes {
			for _, movers := range []int{0, 1, n / 32, n/32 + 1} {
				objects := testkit.SceneByName(t, name).Make(n, 1)
				for i := range objects {
					objects[i].Static = true
				}
				for _, i := range rng.Perm(n)[:movers] {
					objects[i].Static = false
					objects[i].Box = objects[(i+1)%n].Box // some of them overlap
				}
				solids := testkit.BallsIn(objects)
				f := trees.PlantAll(t, objects)
				f.SetBalls(t, solids)
				boxes := testkit.SweepAndPrune(objects)
				for _, flt := range pairFilters {
					if flt.StaticPairs {
						continue
					}
					want := testkit.KeepPairs(boxes, objects, objects, func(a, b *soa.Object) bool { return passes(flt, a, b) })
					testPairs(t, f, flt, want)
					if n > 1023 {
						flt.Exact = true
						testPairs(t, f, flt, keepMeeting(want, solids, solids, 1+0x1p-40))
					}
				}
				batch := collide.Batch{Workers: 3}
				for form, tree := range f.Trees {
					v := tree.View()
					want := collide.Append(nil, collide.Within(v), collide.Filter{})
					if got := batched(t, &batch, nil, collide.Within(v), collide.Filter{}); !slices.Equal(got, want) {
						t.Errorf("%s: Batch finds %d pairs, want %d in that order", form, len(got), len(want))
					}
					impacts := collide.AppendImpacts(nil, collide.Within(v), nil, nil, collide.Filter{})
					if !slices.EqualFunc(impacts, want, func(h collide.Impact, p collide.Pair) bool { return h == collide.Impact{A: p.A, B: p.B} }) {
						t.Errorf("%s: %d impacts at rest, want %d", form, len(impacts), len(want))
					}
				}
				if t.Failed() {
					t.Fatalf("%s, n=%d, %d movers", name, n, movers)
				}
			}
		}
	}
}

// Gathering allocates nothing in steady state.
func TestPairsFewMoversAllocateNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	for i := range objects {
		objects[i].Static = i%200 != 0
	}
	tree := trees.Plant(t, objects, false)
	v := tree.View()
	n := collide.Count(collide.Within(v), collide.Filter{})
	testkit.Allocs(t, 3, func() {
		if collide.Count(collide.Within(v), collide.Filter{}) != n {
			t.Error("another count")
		}
	})
}

// Moving objects are gathered from trees of 1,024 objects or more when no more than one object in 32 moves,
// if pairs of static objects are excluded.
func TestMoversGathered(t *testing.T) {
	for _, n := range []int{1023, 1024, 1500} {
		for _, movers := range []int{0, 1, n / 32, n/32 + 1} {
			objects := testkit.SceneByName(t, "uniform").Make(n, 1)
			for i := range objects {
				objects[i].Static = i >= movers
			}
			for form, tree := range trees.PlantAll(t, objects).Trees {
				want := n >= 1024 && movers <= n/32
				if got := collide.GathersMovers(tree.View(), collide.Filter{}); got != want {
					t.Errorf("%s: %d movers of %d: gathered %v, want %v", form, movers, n, got, want)
				}
				if collide.GathersMovers(tree.View(), collide.Filter{StaticPairs: true}) {
					t.Errorf("%s: %d movers of %d: gathered, but static pairs are wanted", form, movers, n)
				}
			}
		}
	}
}
