package collide_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
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
