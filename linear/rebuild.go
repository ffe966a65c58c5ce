package linear

import (
	"context"
	"fmt"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Phase is a phase of the build of a tree. Phases run in the order of the constants.
type Phase uint8

// The phases of a build.
const (
	PhaseEncode   = Phase(phase.Encode)   // Morton codes of box centres
	PhaseSort     = Phase(phase.Sort)     // radix sort of the keys
	PhaseTopology = Phase(phase.Topology) // packets and nodes from the order of keys
	PhaseFill     = Phase(phase.Fill)     // columns of objects, then boxes bottom-up
)

// String returns the name of the phase, which is also its label in a profile.
func (p Phase) String() string {
	if p > PhaseFill {
		return fmt.Sprintf("unknown(%d)", uint8(p))
	}
	return phase.Phase(p).String()
}

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (p Phase) MarshalText() ([]byte, error) { return enum.Marshal("linear", p) }

// UnmarshalText parses the text of MarshalText. For another text it returns an error and leaves the
// value unchanged.
func (p *Phase) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", p, text) }

// RebuildOptions configure [Tree.Rebuild] and [Tree.Build]; the zero value leaves room for insertions and partitions
// cells as the [Config] says.
type RebuildOptions struct {
	// Frozen packs every packet full and leaves no room for insertions: the smallest and fastest
	// tree for static data. The tree can still be changed. If it is false, packets have room.
	Frozen bool

	// Cut, unless it is the zero value [CutAuto], overrides [Config.Cut] for this build.
	Cut Cut

	// Progress, unless nil, is called on the caller's goroutine at the start and end of each phase
	// and sometimes in between, with the completed share of the phase, from 0 to 1. It must not use
	// the tree, nor a scene that holds it: a view of the scene panics if the tree has changed since
	// the last one.
	Progress func(p Phase, share float64)
}

// Build bulk-loads an empty tree. It is [Tree.InsertBatch] with a context, progress reports and the
// options of [Tree.Rebuild], for millions of objects. The IDs are 0, 1, 2, … in the order of
// objects. With [Config.Thin] a point that is dropped takes none, and one that replaces an earlier
// point takes the ID of that. With opt.Frozen equal to [Config.Frozen] it makes the same tree as
// InsertBatch.
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
	if err := t.octree.Admits(len(objects)); err != nil {
		return err
	}
	centres, union, bad, err := t.checkObjects(objects, nil)
	if err != nil {
		return fault.Errorf("linear: object %d: %w", bad, err)
	}
	t.applyDeferred()
	defer t.deferred.setApplying(t.deferred.applying)
	t.deferred.applying = true
	if t.octree.Thins() {
		sc := t.octree.Buffers()
		var keep []soa.Object
		sc.Dirty.IDs, keep = t.thin(sc.Dirty.IDs[:0], objects, true)
		return t.buildThinned(ctx, keep, opt.build())
	}
	return t.octree.Build(ctx, objects, nil, centres, union, opt.build())
}

// Rebuild builds the tree again from its objects, pending ones included, with a linear radix-sorted
// build. It fits the world to the objects, fills new packets and empties the pending list. IDs and
// handles stay valid; views do not.
//
// It takes O(n) time and uses the memory of a second tree, which the tree keeps: a rebuild in
// steady state with one worker allocates nothing. If ctx is cancelled, Rebuild returns the error of
// ctx. A nil ctx is never cancelled. Other errors are an invalid opt.Cut and [ErrFull]: see
// [Tree.Flush]. After an error, or a panic of opt.Progress, the tree is unchanged and earlier views
// stay valid.
func (t *Tree) Rebuild(ctx context.Context, opt RebuildOptions) error {
	if opt.Cut > CutCurve {
		return fmt.Errorf("linear: RebuildOptions.Cut %d, want at most %d", opt.Cut, CutCurve)
	}
	t.applyDeferred()
	defer t.deferred.setApplying(t.deferred.applying)
	t.deferred.applying = true
	return t.octree.Rebuild(ctx, opt.build())
}

// build returns the options of the structure.
func (o RebuildOptions) build() octree.BuildParams {
	b := octree.BuildParams{Frozen: o.Frozen, Cut: octree.Cut(o.Cut)}
	if o.Progress != nil {
		b.Progress = progressOf(o.Progress)
	}
	return b
}

// progressOf is a separate function so that options do not escape to the heap.
func progressOf(f func(Phase, float64)) func(phase.Phase, float64) {
	return func(p phase.Phase, share float64) { f(Phase(p), share) }
}
