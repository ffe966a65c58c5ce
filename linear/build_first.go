package linear

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
)

// Build bulk-loads an empty tree. It is [Tree.InsertBatch] with a context, progress reports and the
// options of [Tree.Rebuild], for millions of objects. The IDs are 0, 1, 2, … in the order of
// objects. With opt.Frozen equal to [Config.Frozen] it makes the same tree as InsertBatch.
//
// If ctx is cancelled, Build returns the error of ctx. A nil ctx is never cancelled. Build checks
// ctx about every million objects while it computes keys, during the sort, and at the start and end
// of the other phases. Other errors are those of InsertBatch, a tree that holds objects, and an
// invalid opt.Cut; then nothing is inserted. After an error, or a panic of opt.Progress, the tree
// is unchanged and earlier views stay valid. Otherwise Build invalidates all views, unless there
// are no objects.
//
// It takes O(n) time and, in addition to the tree, some 18 bytes per object for keys, which are
// kept until [Tree.Trim]. In a tree that has had as many objects before, only Progress and starting
// [Config.Workers] goroutines allocate.
func (t *Tree) Build(ctx context.Context, objects []Object, opt RebuildOptions) error {
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
	t.applyDeferred()
	defer t.deferred.setApplying(t.deferred.applying)
	t.deferred.applying = true
	return t.build(ctx, objects, nil, centres, union, opt)
}
