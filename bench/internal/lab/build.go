// Package lab provides the fixtures of the benchmark commands: trees of test scenes, batches of queries
// checked against oracles, moving objects, and tables of growth with the number of objects.
package lab

import (
	"context"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Build builds a tree from objects with default settings. The IDs, which are 0, 1, 2, …, are stored in ids.
func Build(objects []soa.Object, workers int, ids []uint32) (*linear.Tree, error) {
	t, err := linear.New(linear.Config{Workers: workers})
	if err != nil {
		return nil, err
	}
	_, err = t.InsertBatch(ids[:0], objects)
	return t, err
}

// Settle ends frames until the ticks have cut the nodes of a new tree in space.
func Settle(t *linear.Tree) error {
	for t.Stats().Uncut > 0 {
		if err := t.Tick(); err != nil {
			return err
		}
	}
	return nil
}

// BuildFrozen builds a frozen tree. progress, unless nil, receives the share done.
func BuildFrozen(objects []soa.Object, workers int, progress func(share float64)) (*linear.Tree, error) {
	t, err := Build(objects, workers, make([]uint32, 0, len(objects)))
	if err != nil {
		return nil, err
	}
	opt := linear.RebuildOptions{Frozen: true}
	if progress != nil {
		opt.Progress = func(p linear.Phase, share float64) { progress((float64(p) + share) / (float64(linear.PhaseFill) + 1)) }
	}
	return t, t.Rebuild(context.Background(), opt)
}
