package collide_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
)

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
