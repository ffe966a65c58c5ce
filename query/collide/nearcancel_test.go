package collide_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// endingContext is canceled at a call of Err.
type endingContext struct {
	context.Context
	calls, last atomic.Int64
}

func (c *endingContext) Err() error {
	if c.calls.Add(1) >= c.last.Load() {
		return context.Canceled
	}
	return nil
}

// A context that is canceled at the last task ends the join with its error, whichever worker has that task.
func TestNearestCanceledAtTheEnd(t *testing.T) {
	v := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(3000, 1), false).View()
	batch := collide.Batch{Workers: 4}
	ctx := endingContext{Context: context.Background()}
	ctx.last.Store(1 << 40)
	whole, err := batch.Nearest(&ctx, nil, v, linear.View{}, 2, collide.Filter{StaticPairs: true})
	testkit.Must(t, err)
	tasks := ctx.calls.Load() - 1 // one call is after the workers
	if len(whole) != 6000 || tasks < 8 {
		t.Fatalf("%d neighbours, %d tasks", len(whole), tasks)
	}
	dst := whole[:1:1]
	for range testkit.Budget(t, 40, 1000) {
		ctx.calls.Store(0)
		ctx.last.Store(tasks)
		got, err := batch.Nearest(&ctx, dst, v, linear.View{}, 2, collide.Filter{StaticPairs: true})
		if !errors.Is(err, context.Canceled) || len(got) != 1 {
			t.Fatalf("%d neighbours and %v, want the one before and %v", len(got), err, context.Canceled)
		}
	}
}
