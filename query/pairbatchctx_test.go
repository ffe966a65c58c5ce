package query_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// expiring is a context that is cancelled at the n-th look at it.
type expiring struct {
	context.Context
	left atomic.Int64
}

func (e *expiring) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A call that is cancelled at any moment returns what it was given and the
// error, the batch is as good as new, and a context that holds changes nothing.
func TestPairBatchCancelled(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(17_000, 1)
	few := testkit.SceneByName(t, "city").Make(500, 1)
	first := query.Pair{A: 7, B: 8}
	for form, tree := range plantAll(t, objects).trees {
		v, other := tree.View(), plant(t, few, true).View()
		want := query.AppendPairs([]query.Pair{first}, v, query.PairFilter{})
		for _, workers := range []int{1, 3} {
			batch := query.PairBatch{Workers: workers}
			most := 0
			for k := 0; ; k = 2*k + 1 {
				ctx := &expiring{Context: context.Background()}
				ctx.left.Store(int64(k))
				got, err := batch.AppendContext(ctx, []query.Pair{first}, v, query.PairFilter{})
				if err == nil {
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %d workers: %d pairs, want %d", form, workers, len(got), len(want))
					}
					break
				}
				if !errors.Is(err, context.Canceled) || len(got) != 1 || got[0] != first {
					t.Fatalf("%s, %d workers, cancelled at look %d: %d pairs, %v", form, workers, k, len(got), err)
				}
				if again := batch.Append(got, v, query.PairFilter{}); !slices.Equal(again, want) {
					t.Fatalf("%s, %d workers: %d pairs after a cancelled call, want %d", form, workers, len(again), len(want))
				}
				most = k
			}
			if most < 100 {
				t.Errorf("%s, %d workers: the context was looked at %d times", form, workers, most)
			}
			ctx := &expiring{Context: context.Background()}
			if got, err := batch.AppendBetweenContext(ctx, want[:1], v, other, query.PairFilter{}); err == nil || len(got) != 1 {
				t.Errorf("%s: %d pairs between, %v", form, len(got), err)
			}
			between, err := batch.AppendBetweenContext(nil, nil, v, other, query.PairFilter{})
			if err != nil || !slices.Equal(between, query.AppendPairsBetween(nil, v, other, query.PairFilter{})) {
				t.Errorf("%s: %d pairs between, %v", form, len(between), err)
			}
		}
	}
}

// Progress goes from 0 to 1, never back, and is not 1 before the end.
func TestPairBatchProgress(t *testing.T) {
	for _, n := range []int{0, 100, 17_000} {
		v := plant(t, testkit.SceneByName(t, "uniform").Make(n, 1), true).View()
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(t *testing.T) {
				var shares []float64
				batch := query.PairBatch{Workers: workers, Progress: func(share float64) { shares = append(shares, share) }}
				batch.Append(nil, v, query.PairFilter{})
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
				if _, err := batch.AppendContext(ctx, nil, v, query.PairFilter{}); n > 0 && (err == nil || slices.Contains(shares, 1)) {
					t.Errorf("cancelled: %v, progress went %v", err, shares)
				}
			})
		}
	}
}
