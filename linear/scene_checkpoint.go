package linear

import (
	"context"
	"io"
	"slices"

	"github.com/zoctree/zoctree/internal/atomicfile"
)

// SceneCheckpoint is a published scene, with all parts in it, at one moment, to be saved while the
// writer goes on: it is to a scene what a [Checkpoint] is to a tree. Take it with
// [ScenePublisher.Checkpoint].
type SceneCheckpoint struct {
	parts []savedPart // nil: released
}

// Checkpoint publishes the scene, unless that has been done, and returns it as it is now. Only
// the writer may call it, between two changes, as [ScenePublisher.Publish]; the checkpoint is for
// any goroutine. It changes no later answer.
//
// Beyond what Publish takes, it takes what [Publisher.Checkpoint] does of each tree, and copies
// what scenes keep of their places, 100 bytes each, into memory of its own. A part that is a
// [Snapshot] is read when the checkpoint is saved, and must be open until then.
func (p *ScenePublisher) Checkpoint() *SceneCheckpoint {
	p.made()
	p.Publish()
	c := &SceneCheckpoint{parts: p.scene.saved()}
	for k := range c.parts {
		part := &c.parts[k]
		if u, ok := part.tree.(*uses); ok {
			part.tree = u.tree.shared.Checkpoint()
		}
		if l := part.lists; l != nil { // the rest is copied when it is listed
			l.unused, l.in, l.due = slices.Clone(l.unused), slices.Clone(l.in), slices.Clone(l.due)
		}
	}
	return c
}

// WriteTo writes a snapshot of the scene as it was: [SceneCheckpoint.WriteSnapshot] without
// options.
func (c *SceneCheckpoint) WriteTo(w io.Writer) (n int64, err error) {
	return c.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the scene as it was, the same bytes as
// [Scene.WriteSnapshot] would have written then. Any number of goroutines may call it, and it
// keeps nobody waiting. It panics after the release.
func (c *SceneCheckpoint) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	return writeScene(ctx, w, c.held("WriteSnapshot"), opt)
}

// Save writes a snapshot of the scene as it was to a file that is there as a whole or not at
// all: see [Scene.Save] and [SceneCheckpoint.WriteSnapshot].
func (c *SceneCheckpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	parts := c.held("Save")
	return atomicfile.Save(path, func(w io.Writer) error {
		_, err := writeScene(ctx, w, parts, opt)
		return err
	})
}

// LayoutDigest returns what [Scene.LayoutDigest] would have then. It panics after the release,
// and when a part, a snapshot, has been closed.
func (c *SceneCheckpoint) LayoutDigest() uint64 { return digestOf(c.held("LayoutDigest")) }

func (c *SceneCheckpoint) held(what string) []savedPart {
	if c.parts == nil {
		notHeld(what + " of a checkpoint")
	}
	return c.parts
}

// Release gives the versions of trees back, and the memory of the copies to their next checkpoints.
// Nobody may save it meanwhile or later; a second release panics.
func (c *SceneCheckpoint) Release() {
	for _, part := range c.held("Release") {
		if of, ok := part.tree.(*Checkpoint); ok {
			of.Release()
		}
	}
	c.parts = nil
}
