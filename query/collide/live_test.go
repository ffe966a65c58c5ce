package collide_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// someOf returns a set with about half of the IDs below n, which may end before n.
func someOf(rng *rand.Rand, n int) []uint64 {
	set := make([]uint64, 1+rng.IntN(n/64+1))
	for i := range set {
		set[i] = rng.Uint64()
	}
	return set
}

func inSet(set []uint64, id uint32) bool {
	return int(id/64) < len(set) && set[id/64]&(1<<(id%64)) != 0
}

// With sets of live objects every form returns the pairs that have one or both objects in the sets, in the
// order of all pairs. The same holds for a tracker whose sets change from update to update.
func TestLive(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		n := testkit.Budget(t, 1000, 2500)
		objects := testkit.SceneByName(t, "clustered").Make(n, 1)
		for round := range testkit.Budget(t, 3, 50) {
			if !testkit.OfTier(t, round) {
				continue
			}
			for i := range objects {
				objects[i].Static = round%3 == 0 && i%50 != 0 // few move: these are searched one by one
			}
			tree := trees.New(t, linear.Config{Log: true})
			trees.Insert(t, tree, objects[:n*3/5+rng.IntN(n*2/5)])
			other := trees.New(t, linear.Config{})
			trees.Insert(t, other, objects[rng.IntN(n-100):])
			v, o := tree.View(), other.View()
			var tracker collide.Tracker
			for k := range 4 {
				flt := collide.Filter{Exact: k&1 != 0}
				if k != 1 {
					flt.Live = someOf(rng, len(objects))
				}
				if k != 0 {
					flt.LiveBoth = someOf(rng, len(objects))
				}
				all := flt
				all.Live, all.LiveBoth = nil, nil
				for i, of := range []collide.Views{collide.Within(v), collide.Between(v, o), collide.Between(o, v), collide.Between(v, v)} {
					within := i == 0
					want := slices.DeleteFunc(collide.Append(nil, of, all), func(p collide.Pair) bool {
						one, both := inSet(flt.Live, p.A), inSet(flt.LiveBoth, p.A)
						if within {
							one, both = one || inSet(flt.Live, p.B), both && inSet(flt.LiveBoth, p.B)
						}
						return flt.Live != nil && !one || flt.LiveBoth != nil && !both
					})
					got := collide.Append(nil, of, flt)
					if !slices.Equal(got, want) {
						t.Fatalf("round %d: %d pairs, want %d", round, len(got), len(want))
					}
					if n := collide.Count(of, flt); n != len(want) {
						t.Fatalf("counted %d, want %d", n, len(want))
					}
					if got := slices.Collect(collide.All(of, flt)); !slices.Equal(got, want) {
						t.Fatalf("iterated %d, want %d", len(got), len(want))
					}
					b := collide.Batch{Workers: 3}
					got, err := b.Append(context.Background(), nil, of, flt)
					if err != nil || !slices.Equal(got, want) {
						t.Fatalf("a batch has %d pairs, want %d, %v", len(got), len(want), err)
					}
					if within {
						tracker.Filter = flt
						if err := tracker.Update(v); err != nil || tracker.Len() != len(want) {
							t.Fatalf("a tracker has %d, want %d, %v", tracker.Len(), len(want), err)
						}
					}
				}
			}
			tracker.Filter.LiveBoth[0] ^= 1 << 7 // of the same slice
			if err := tracker.Update(v); err != nil || tracker.Len() != collide.Count(collide.Within(v), tracker.Filter) {
				t.Fatalf("a tracker has %d, want %d, %v", tracker.Len(), collide.Count(collide.Within(v), tracker.Filter), err)
			}
		}
	})
}

func TestLiveAllocates(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	rng := testkit.Rand(testkit.Seed(t))
	tree := trees.New(t, linear.Config{})
	trees.Insert(t, tree, testkit.SceneByName(t, "clustered").Make(2500, 1))
	flt := collide.Filter{Live: someOf(rng, 2500)}
	pairs := collide.Append(nil, collide.Within(tree.View()), flt)
	if n := testing.AllocsPerRun(10, func() { pairs = collide.Append(pairs[:0], collide.Within(tree.View()), flt) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
