package linear

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Build adds the objects to an empty tree: [Tree.InsertBatch] with a context, progress and
// the choices of [Tree.Rebuild], for millions. Their IDs are 0, 1, 2, … in this order. With
// opt.Frozen as [Config.Frozen] the tree is the one that InsertBatch makes.
//
// When ctx is cancelled the error is its error and the tree is as it was, also after a panic of
// opt.Progress: earlier views go on. A nil ctx is never cancelled. It is looked at about every million
// objects while keys are made, while they are sorted, and at the start and end of the other
// phases. The other errors are those of InsertBatch, a tree that holds objects, and a Cut that
// is none: then nothing is inserted. Unless there are no objects, it ends the life of all views.
//
// It takes O(n) time and, beside the tree, some 18 bytes an object for keys, which are kept until
// [Tree.Trim]. In a tree that has had as many objects it allocates nothing but what Progress and
// starting [Config.Workers] take.
func (t *Tree) Build(ctx context.Context, objects []soa.Object, opt RebuildOptions) error {
	if opt.Cut > CutCurve {
		return fmt.Errorf("linear: RebuildOptions.Cut %d, want at most %d", opt.Cut, CutCurve)
	}
	if n := t.Len(); n > 0 {
		return fmt.Errorf("linear: Build in a tree of %d objects, want an empty one", n)
	}
	if ctx != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if len(objects) == 0 {
		return nil
	}
	t.ready()
	defer phase.Enter(phase.Encode).Leave()
	if err := t.admits(len(objects)); err != nil {
		return err
	}
	centres, union, bad, err := t.checkObjects(objects, nil)
	if err != nil {
		return fault.Errorf("linear: object %d: %w", bad, err)
	}
	t.catchUp()
	defer t.waits.occupy(t.waits.busy)
	t.waits.busy = true
	return t.build(ctx, objects, nil, centres, union, opt)
}
