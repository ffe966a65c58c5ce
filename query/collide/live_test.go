package collide_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// Few live objects of a large tree, which are searched one by one, have the pairs that are left of all pairs: with
// every filter, in every form of tree, in published versions, and by every call.
func TestFewLive(t *testing.T) {
	defer collide.SharePairsFrom(20, 4)()
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		const n = 1500
		objects := testkit.SceneByName(t, "city").Make(n, 1)
		f := trees.PlantAll(t, objects)
		kept, gathered := 0, 0
		for form, tree := range f.Trees {
			for i := 0; i < n; i += 3 {
				testkit.Must(t, tree.SetSphere(uint32(i), testkit.BallIn(objects[i].Box)))
			}
			publisher := linear.NewPublisher(tree)
			for round := range testkit.Budget(t, 12, 100) {
				flt := collide.Filter{StaticPairs: rng.IntN(2) == 0, Exact: rng.IntN(2) == 0}
				if rng.IntN(3) == 0 {
					flt.Mask = 1 + rng.Uint32N(30)
				}
				if rng.IntN(3) == 0 {
					flt.Layers = someLayers()
				}
				if rng.IntN(2) == 0 {
					flt.Distance = 30 * rng.Float32()
				}
				if rng.IntN(4) == 0 {
					flt.Exclude, _ = tree.Handle(rng.Uint32N(n))
				}
				all := collide.Append(nil, collide.Within(tree.View()), flt)
				few := make([]uint64, n/64+rng.IntN(3))
				for range []int{0, 1, 20, n / 16, n/16 + 40}[round%5] {
					if id := rng.Uint32N(n); int(id/64) < len(few) {
						few[id/64] |= 1 << (id % 64)
					}
				}
				switch rng.IntN(4) {
				case 0:
					flt.LiveBoth = few
				case 1:
					flt.Live, flt.LiveBoth = someOf(rng, n), few
				case 2:
					flt.Live, flt.LiveBoth = few, someOf(rng, n)
				default:
					flt.Live = few
				}
				want := slices.DeleteFunc(all, func(p collide.Pair) bool {
					a, b := inSet(flt.Live, p.A), inSet(flt.Live, p.B)
					return flt.Live != nil && !a && !b || flt.LiveBoth != nil && !(inSet(flt.LiveBoth, p.A) && inSet(flt.LiveBoth, p.B))
				})
				slices.SortFunc(want, comparePairs)
				kept += len(want)
				version := publisher.Acquire()
				for name, v := range map[string]linear.View{"tree": tree.View(), "version": version.View()} {
					within := collide.Within(v)
					if collide.GathersMovers(v, flt) {
						gathered++
					}
					got := collide.Append(nil, within, flt)
					batch := collide.Batch{Workers: 3}
					shared, err := batch.Append(nil, nil, within, flt)
					testkit.Must(t, err)
					count, listed := collide.Count(within, flt), slices.Collect(collide.All(within, flt))
					if count != len(got) || !slices.Equal(shared, got) || !slices.Equal(listed, got) {
						t.Fatalf("%s, %s: %d pairs, counted %d, by a batch %d, one by one %d", form, name, len(got), count, len(shared), len(listed))
					}
					var steps linear.Column[collide.Step]
					if flt.Distance == 0 && !flt.Exact {
						impacts := collide.AppendImpacts(nil, within, &steps, nil, flt)
						if len(impacts) != len(got) {
							t.Fatalf("%s, %s: %d impacts of %d pairs", form, name, len(impacts), len(got))
						}
					}
					if slices.SortFunc(got, comparePairs); !slices.Equal(got, want) {
						t.Fatalf("%s, %s, filter %+v: %d pairs, want %d", form, name, flt, len(got), len(want))
					}
				}
				version.Release()
			}
		}
		if kept < 100 || gathered < 20 {
			t.Errorf("%d pairs, gathered %d times", kept, gathered)
		}
	})
}

// Few live objects are searched one by one in trees of 1,024 objects or more.
func TestLiveGathered(t *testing.T) {
	for _, n := range []int{1023, 1024, 1600} {
		v := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(n, 1), true).View()
		for _, live := range []int{0, 1, n / 16, n/16 + 1} {
			set := make([]uint64, n/64+1)
			for id := range live {
				set[id/64] |= 1 << (id % 64)
			}
			for name, flt := range map[string]collide.Filter{"Live": {StaticPairs: true, Live: set}, "LiveBoth": {StaticPairs: true, LiveBoth: set}} {
				if got, want := collide.GathersMovers(v, flt), n >= 1024 && live <= n/16; got != want {
					t.Errorf("%s: %d of %d: gathered %v, want %v", name, live, n, got, want)
				}
			}
		}
	}
}

// In steady state the search from few live objects allocates nothing.
func TestFewLiveAllocateNothing(t *testing.T) {
	v := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(5000, 1), true).View()
	flt := collide.Filter{StaticPairs: true, Live: []uint64{0x10001, 0, 1 << 40}}
	pairs := collide.Append(nil, collide.Within(v), flt)
	testkit.Allocs(t, 3, func() { pairs = collide.Append(pairs[:0], collide.Within(v), flt) })
	if len(pairs) == 0 {
		t.Error("no pairs")
	}
}
