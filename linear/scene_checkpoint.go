package linear

import (
	"context"
	"io"
	"slices"

	"github.com/zoctree/zoctree/linear/internal/file"
)

// SceneCheckpoint is a consistent state of a published scene, with all its parts, that can be saved
// while the writer continues. It corresponds to the [Checkpoint] of a tree. Take it with
// [ScenePublisher.Checkpoint].
type SceneCheckpoint struct {
	parts []savedPart // nil: released
}

// Checkpoint publishes the scene, unless its state is published already, and returns that state for
// saving. Only the writer may call it, between two changes, as with [ScenePublisher.Publish]; any
// goroutine may use the checkpoint. It has no effect on later results.
//
// Beyond the cost of Publish, it takes the cost of [Publisher.Checkpoint] for each tree, and copies
// the instance data of scenes, 100 bytes each, into memory of its own. A part that is a [Snapshot]
// is read when the checkpoint is saved, and must be open until then.
func (p *ScenePublisher) Checkpoint() *SceneCheckpoint {
	p.made()
	p.Publish()
	c := &SceneCheckpoint{parts: p.scene.saved()}
	for k := range c.parts {
		part := &c.parts[k]
		if u, ok := part.tree.(*partNode); ok {
			part.tree = u.tree.shared.Checkpoint()
		}
		if l := part.lists; l != nil { // the rest is copied when it is listed
			l.unused, l.in, l.due = slices.Clone(l.unused), slices.Clone(l.in), slices.Clone(l.due)
		}
	}
	return c
}

// WriteTo writes a snapshot of the checkpoint: [SceneCheckpoint.WriteSnapshot] without options.
func (c *SceneCheckpoint) WriteTo(w io.Writer) (n int64, err error) {
	return c.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the checkpoint, the same bytes as [Scene.WriteSnapshot] would
// have written at that time. Any number of goroutines may call it, and it blocks neither readers
// nor the writer. It panics after the release.
func (c *SceneCheckpoint) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	return writeScene(ctx, w, c.held("WriteSnapshot"), opt)
}

// Save atomically writes a snapshot of the checkpoint to a file: see [Scene.Save] and
// [SceneCheckpoint.WriteSnapshot].
func (c *SceneCheckpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	parts := c.held("Save")
	return file.Save(path, func(w io.Writer) error {
		_, err := writeScene(ctx, w, parts, opt)
		return err
	})
}

// LayoutDigest returns the digest that [Scene.LayoutDigest] would have returned at that time. It
// panics after the release, and when a part that is a snapshot has been closed.
func (c *SceneCheckpoint) LayoutDigest() uint64 { return digestOf(c.held("LayoutDigest")) }

func (c *SceneCheckpoint) held(what string) []savedPart {
	if c.parts == nil {
		notHeld(what + " of a checkpoint")
	}
	return c.parts
}

// Release frees the versions of trees, and the memory of the copies for their next checkpoints. The
// checkpoint must not be saved meanwhile or later; a second release panics.
func (c *SceneCheckpoint) Release() {
	for _, part := range c.held("Release") {
		if of, ok := part.tree.(*Checkpoint); ok {
			of.Release()
		}
	}
	c.parts = nil
}
