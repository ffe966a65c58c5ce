package linear

import (
	"context"
	"io"

	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/version"
)

// ScenePublisher gives concurrent readers snapshot isolation of a scene: they query it while one goroutine changes it
// and its parts. It corresponds to the [Publisher] of a tree, and has the same memory model.
//
//	writer                            readers, any number
//	p := linear.NewScenePublisher(s)
//	for each frame {                  h := p.Acquire()
//		s.MoveBatch(…)            scene.Append(&answer, frustum, h.View(), flt)
//		s.Tick()                  …
//		p.Publish()               h.Release()
//	}
//
// A version of a scene holds a version of each tree in it and a copy of the transforms. A snapshot is the same in all
// versions, as long as it is open. A reader therefore sees one consistent state of the whole scene. Each tree has one
// Publisher, however many published scenes contain it, and the program's own if it has made one.
type ScenePublisher struct {
	scene    *Scene
	versions version.ScenePool
}

// NewScenePublisher enables concurrent readers for a scene, and publishes its current state, which
// copies the scene and all trees in it. From now on only one goroutine, the writer, may use the
// scene, its parts, and their views other than those of held versions. It panics if the scene has a
// publisher already; the publisher of a scene that contains it does not count.
func NewScenePublisher(s *Scene) *ScenePublisher {
	s.made()
	if s.shared != nil {
		panic("linear: the scene has a ScenePublisher already: use the one that NewScenePublisher returned, for all readers")
	}
	p := &ScenePublisher{scene: s}
	s.shared = p
	p.versions.Begin(&s.scene, sharedTrees{})
	return p
}

// made returns the versions. It panics if the publisher is the zero value.
func (p *ScenePublisher) made() *version.ScenePool {
	if p.scene == nil {
		zeroUsed("ScenePublisher", "make one with NewScenePublisher")
	}
	return &p.versions
}

// Publish makes the current state of the scene, with all its parts, the version that readers
// acquire. Versions that are held do not change; other views of the scene and of its trees are
// invalidated. Only the writer may call it, at any time between two changes.
//
// It takes time proportional to the number of parts, to the instance IDs of their scenes (8 bytes each are read), to
// the transforms that have changed, and the time of [Publisher.Publish] for each tree that has changed. A part that is
// new in the scene is copied. When nothing has changed it does nothing. In steady state it allocates nothing.
func (p *ScenePublisher) Publish() { p.made().Publish() }

// sharedTrees shares the publishers of trees among scenes.
type sharedTrees struct{}

// Retain makes a publisher if there is none.
func (sharedTrees) Retain(u *instance.Part) *version.Pool {
	t := treeOf(u)
	if t.shared == nil {
		NewPublisher(t).retained = true
	}
	t.shared.scenes++
	return &t.shared.versions
}

// Pool returns the versions of a retained tree.
func (sharedTrees) Pool(u *instance.Part) *version.Pool { return &treeOf(u).shared.versions }

// Release removes a scene from the publisher of a tree.
func (sharedTrees) Release(u *instance.Part) {
	t := treeOf(u)
	s := t.shared
	s.scenes--
	if s.retained && s.scenes == 0 {
		t.shared, t.octree.Touched = nil, nil
	}
}

// count adds the versions to the statistics. Readers may acquire and release meanwhile.
func (p *ScenePublisher) count(st *SceneStats) {
	c := p.versions.Count()
	st.Versions, st.Held, st.VersionBytes = c.Versions, c.Held, c.VersionBytes
}

// SceneVersion is a published version of a scene that a reader holds, from
// [ScenePublisher.Acquire]. It belongs to one goroutine, which may pass its View to others until it
// releases the version. It must not be copied, which go vet checks.
type SceneVersion struct {
	lease version.Lease[version.Buffer]
}

// Acquire returns the last published version. Any goroutine may call it. It takes a few atomic
// operations on one counter, never blocks and, in steady state, allocates nothing. The version does
// not change until [SceneVersion.Release], however often the writer publishes; until then it costs
// a copy of all transforms and a buffer of each tree that has changed since.
func (p *ScenePublisher) Acquire() SceneVersion {
	return SceneVersion{version.LeaseOf(p.made().Acquire())}
}

// View returns the view of the held version. It is valid until the release, and for any number of
// goroutines. It panics after the release.
func (h *SceneVersion) View() SceneView {
	return SceneView{&h.lease.Get("View").Table.Levels[0], h.lease.Validity, h.lease.At}
}

// Release returns the version to the publisher. Its views are invalidated: using them later panics.
// A query that is still running may read memory that the writer writes. A second release panics.
func (h *SceneVersion) Release() { h.lease.End("Release").Release() }

// SceneCheckpoint is a consistent state of a published scene, with all its parts, that can be saved while the writer
// continues. It corresponds to the [Checkpoint] of a tree. Take it with [ScenePublisher.Checkpoint].
type SceneCheckpoint struct {
	parts []file.ScenePart // nil: released
	trees []*Checkpoint
}

// Checkpoint publishes the scene, unless its state is published already, and returns that state for
// saving. Only the writer may call it, between two changes, as with [ScenePublisher.Publish]; any
// goroutine may use the checkpoint. It has no effect on later results.
//
// Beyond the cost of Publish, it takes the cost of [Publisher.Checkpoint] for each tree, and copies
// the instance data of scenes, 100 bytes each, into memory of its own. A part that is a [Snapshot]
// is read when the checkpoint is saved, and must be open until then.
func (p *ScenePublisher) Checkpoint() *SceneCheckpoint {
	p.Publish()
	c := &SceneCheckpoint{parts: p.scene.saved()}
	for k := range c.parts {
		part := &c.parts[k]
		if part.IsTree() {
			of := treeOf(part.Part).shared.Checkpoint()
			part.Source, c.trees = of.file, append(c.trees, of)
		}
		part.Own()
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
	return file.WriteScene(ctx, w, c.held("WriteSnapshot"), opt.save())
}

// Save atomically writes a snapshot of the checkpoint to a file: see [Scene.Save] and [SceneCheckpoint.WriteSnapshot].
func (c *SceneCheckpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	c.held("Save")
	return saveTo(ctx, path, opt, c.WriteSnapshot)
}

// LayoutDigest returns the digest that [Scene.LayoutDigest] would have returned at that time. It
// panics after the release, and when a part that is a snapshot has been closed.
func (c *SceneCheckpoint) LayoutDigest() uint64 { return file.DigestScene(c.held("LayoutDigest")) }

func (c *SceneCheckpoint) held(what string) []file.ScenePart {
	if c.parts == nil {
		version.NotHeld(what + " of a checkpoint")
	}
	return c.parts
}

// Release frees the versions of trees, and the memory of the copies for their next checkpoints. The
// checkpoint must not be saved meanwhile or later; a second release panics.
func (c *SceneCheckpoint) Release() {
	c.held("Release")
	for _, of := range c.trees {
		of.Release()
	}
	c.parts, c.trees = nil, nil
}
