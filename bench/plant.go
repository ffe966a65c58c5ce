package main

import (
	"context"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// insert builds a tree from objects as a program that knows nothing better
// does. The IDs, which are 0, 1, 2, …, go into the memory of ids.
func insert(objects []soa.Object, workers int, ids []uint32) (*linear.Tree, error) {
	t, err := linear.New(linear.Config{Workers: workers})
	if err != nil {
		return nil, err
	}
	_, err = t.InsertBatch(ids[:0], objects)
	return t, err
}

// plant builds a frozen tree. Progress, unless nil, gets the share that is
// done.
func plant(objects []soa.Object, workers int, progress func(share float64)) (*linear.Tree, error) {
	t, err := insert(objects, workers, make([]uint32, 0, len(objects)))
	if err != nil {
		return nil, err
	}
	opt := linear.RebuildOptions{Frozen: true}
	if progress != nil {
		opt.Progress = func(p linear.Phase, share float64) { progress((float64(p) + share) / (float64(linear.PhaseFill) + 1)) }
	}
	return t, t.Rebuild(context.Background(), opt)
}
