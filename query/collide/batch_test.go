package collide_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// batched returns the pairs that a batch appends.
func batched(t testing.TB, batch *collide.Batch, dst []collide.Pair, of collide.Views, flt collide.Filter) []collide.Pair {
	t.Helper()
	pairs, err := batch.Append(nil, dst, of, flt)
	testkit.Must(t, err)
	return pairs
}

// Any number of workers gives the pairs of Append, in its order.
func TestBatch(t *testing.T) {
	var batch collide.Batch
	for i, name := range []string{"uniform", "city", "huge", "surface"} {
		for _, n := range testkit.Turn(t, i, []int{0, 1, 500, 16_383, 16_384, 40_000}) {
			if n == 40_000 && !testkit.Budget(t, false, true) {
				continue
			}
			objects := testkit.SceneByName(t, name).Make(n, 1)
			f := trees.PlantAll(t, objects)
			world := trees.Plant(t, testkit.SceneByName(t, name).Make(max(n, 17_000), 2), true).View()
			for i, form := range trees.Forms {
				v := f.Trees[form].View()
				for k, flt := range pairFilters[:6] {
					want := collide.Append(nil, collide.Within(v), flt)
					between := collide.Append(nil, collide.Between(v, world), flt)
					// Each number of workers with each filter on one of the trees.
					for j, workers := range []int{1, 2, 3, 8, 1000} {
						if (i+j+k)%len(trees.Forms) != 0 && !testkit.Budget(t, false, true) {
							continue
						}
						batch.Workers = workers
						checkBatch(t, &batch, f, form, flt, want)
						if got := batched(t, &batch, nil, collide.Between(v, world), flt); !slices.Equal(got, between) {
							t.Errorf("%d pairs between, want %d in that order", len(got), len(between))
						}
						if t.Failed() {
							t.Fatalf("%s, n=%d, %s, filter %+v, %d workers", name, n, form, flt, batch.Workers)
						}
					}
				}
			}
		}
	}
}

func checkBatch(t *testing.T, batch *collide.Batch, f trees.Forest, form string, flt collide.Filter, want []collide.Pair) {
	t.Helper()
	first := collide.Pair{A: 7, B: 8}
	got := batched(t, batch, []collide.Pair{first}, collide.Within(f.Trees[form].View()), flt)
	if got[0] != first || !slices.Equal(got[1:], want) {
		t.Errorf("%d pairs, want %d in that order", len(got)-1, len(want))
	}
}

// The default number of workers follows GOMAXPROCS; the result does not depend on it.
func TestBatchProcs(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(testkit.Budget(t, 17_000, 20_000), 1)
	v := trees.Plant(t, objects, true).View()
	want := collide.Append(nil, collide.Within(v), collide.Filter{})
	former := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(former)
	for i, procs := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			runtime.GOMAXPROCS(procs)
			testkit.EachTier(t, func(t *testing.T) {
				if !testkit.OfTier(t, i) {
					return
				}
				var batch collide.Batch
				for range 2 {
					if got := batched(t, &batch, nil, collide.Within(v), collide.Filter{}); !slices.Equal(got, want) {
						t.Errorf("%d pairs, want %d in that order", len(got), len(want))
					}
				}
			})
		})
	}
}

// A call that is cancelled at any moment returns its slice unchanged and the error, the batch stays usable,
// and a context that is never cancelled changes nothing.
func TestBatchCancelled(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(17_000, 1)
	few := testkit.SceneByName(t, "city").Make(500, 1)
	first := collide.Pair{A: 7, B: 8}
	for form, tree := range trees.PlantAll(t, objects).Trees {
		v, other := tree.View(), trees.Plant(t, few, true).View()
		want := collide.Append([]collide.Pair{first}, collide.Within(v), collide.Filter{})
		for _, workers := range []int{1, 3} {
			batch := collide.Batch{Workers: workers}
			most := 0
			for k := 0; ; k = 2*k + 1 {
				ctx := testkit.ExpireAfter(k)
				got, err := batch.Append(ctx, []collide.Pair{first}, collide.Within(v), collide.Filter{})
				if err == nil {
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %d workers: %d pairs, want %d", form, workers, len(got), len(want))
					}
					break
				}
				if !errors.Is(err, context.Canceled) || len(got) != 1 || got[0] != first {
					t.Fatalf("%s, %d workers, cancelled at look %d: %d pairs, %v", form, workers, k, len(got), err)
				}
				if again := batched(t, &batch, got, collide.Within(v), collide.Filter{}); !slices.Equal(again, want) {
					t.Fatalf("%s, %d workers: %d pairs after a cancelled call, want %d", form, workers, len(again), len(want))
				}
				most = k
			}
			if most < 100 {
				t.Errorf("%s, %d workers: the context was looked at %d times", form, workers, most)
			}
			ctx := testkit.ExpireAfter(0)
			if got, err := batch.Append(ctx, want[:1], collide.Between(v, other), collide.Filter{}); err == nil || len(got) != 1 {
				t.Errorf("%s: %d pairs between, %v", form, len(got), err)
			}
			between, err := batch.Append(nil, nil, collide.Between(v, other), collide.Filter{})
			if err != nil || !slices.Equal(between, collide.Append(nil, collide.Between(v, other), collide.Filter{})) {
				t.Errorf("%s: %d pairs between, %v", form, len(between), err)
			}
		}
	}
}

// Progress increases from 0 to 1, and is not 1 before the end.
func TestBatchProgress(t *testing.T) {
	for _, n := range []int{0, 100, 17_000} {
		v := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(n, 1), true).View()
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(t *testing.T) {
				var shares []float64
				batch := collide.Batch{Workers: workers, Progress: func(share float64) { shares = append(shares, share) }}
				batched(t, &batch, nil, collide.Within(v), collide.Filter{})
				k := len(shares)
				if k < 2 || shares[0] != 0 || !slices.IsSorted(shares) || shares[k-1] != 1 || shares[k-2] == 1 {
					t.Errorf("progress went %v", shares)
				}
				if n > 16_384 && workers == 1 && k < 500 {
					t.Errorf("progress was reported %d times", k)
				}
				shares = shares[:0]
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				if _, err := batch.Append(ctx, nil, collide.Within(v), collide.Filter{}); n > 0 && (err == nil || slices.Contains(shares, 1)) {
					t.Errorf("cancelled: %v, progress went %v", err, shares)
				}
			})
		}
	}
}

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
