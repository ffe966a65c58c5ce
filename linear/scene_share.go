package linear

import (
	"context"
	"io"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/linear/internal/version"
)

// ScenePublisher gives concurrent readers snapshot isolation of a scene: they query it while one
// goroutine changes it and its parts. It corresponds to the [Publisher] of a tree, and has the same
// memory model.
//
//	writer                            readers, any number
//	p := linear.NewScenePublisher(s)
//	for each frame {                  h := p.Acquire()
//		s.MoveBatch(…)            frustum.Append(&answer, h.View(), flt)
//		s.Tick()                  …
//		p.Publish()               h.Release()
//	}
//
// A version of a scene holds a version of each tree in it and a copy of the transforms. A snapshot
// is the same in all versions, as long as it is open. A reader therefore sees one consistent state
// of the whole scene. Each tree has one Publisher, however many published scenes contain it, and
// the program's own if it has made one.
type ScenePublisher struct {
	scene *Scene
	now   atomic.Pointer[sceneVersion] // the version that Acquire returns

	// The remaining fields belong to the writer.
	parts []*instance.Part // parts at the last publication, in the order of the table
	trees []*Publisher     // publishers of all their trees
	shape uint64           // shape of the scene when these were listed
	epoch uint64           // epoch of the scene after the last publication

	pool  []*sceneVersion // versions that may be held, the published one included
	free  []*sceneVersion // versions that are claimed
	turns uint64          // number of publications
}

// sceneVersion is the memory of a version. Its hold count works as in a buffer.
type sceneVersion struct {
	holds atomic.Int64
	_     [7]uint64 // padding: the counter is written often, the rest is read

	turn  uint64 // number of its publication
	shape uint64 // shape of the scene
	parts []partVersion
	table instance.Table
}

// partVersion is a part in a version.
type partVersion struct {
	of    *instance.Part
	state instance.State
	wrote uint64             // last write to an instance of the scene that is in the state
	trees [2]*version.Buffer // held versions of trees: one for a tree, two for a scene, none for a snapshot
}

// NewScenePublisher enables concurrent readers for a scene, and publishes its current state, which
// copies the scene and all trees in it. From now on only one goroutine, the writer, may use the
// scene, its parts, and their views other than those of held versions. It panics if the scene has a
// publisher already; the publisher of a scene that contains it does not count.
func NewScenePublisher(s *Scene) *ScenePublisher {
	s.made()
	if s.shared != nil {
		panic("linear: the scene is shared already")
	}
	p := &ScenePublisher{scene: s}
	s.shared = p
	p.publish(s.scene.Part.Sync())
	return p
}

// made panics if the publisher is the zero value.
func (p *ScenePublisher) made() {
	if p.scene == nil {
		zeroUsed("ScenePublisher", "make one with NewScenePublisher")
	}
}

// Publish makes the current state of the scene, with all its parts, the version that readers
// acquire. Versions that are held do not change; other views of the scene and of its trees are
// invalidated. Only the writer may call it, at any time between two changes.
//
// It takes time proportional to the number of parts, to the instance IDs of their scenes (8 bytes
// each are read), to the transforms that have changed, and the time of [Publisher.Publish] for each
// tree that has changed. A part that is new in the scene is copied. When nothing has changed it
// does nothing. In steady state it allocates nothing.
func (p *ScenePublisher) Publish() {
	p.made()
	st := p.scene.scene.Part.Sync()
	if p.epoch != p.scene.scene.Epoch {
		p.publish(st)
	}
}

func (p *ScenePublisher) publish(st *instance.State) {
	s := p.scene
	p.turns++
	if p.shape != st.Shape {
		p.listParts()
		p.shape = st.Shape
	}
	p.recycle()
	v := p.claimVersion()
	for _, t := range p.trees {
		t.versions.SwapInChanged()
	}
	v.write(p)
	p.pool = append(p.pool, v)
	v.holds.Add(1 - version.Claimed) // the publisher's hold; keeps the counts of late readers
	if last := p.now.Swap(v); last != nil {
		last.holds.Add(-1)
		p.recycle() // frees buffers for the trees to continue in
	}
	for _, t := range p.trees {
		t.versions.AcquireBuffer()
	}
	s.scene.Part.Sync() // so that later changes notify the scene
	p.epoch = s.scene.Epoch
}

// listParts lists the parts, and gets a publisher for each tree.
func (p *ScenePublisher) listParts() {
	old := p.trees
	p.parts, p.trees = instance.PartsBelow(&p.scene.scene.Part), nil
	for _, u := range p.parts {
		switch {
		case u.Fixed:
		case u.Scene == nil:
			p.trees = append(p.trees, treeOf(u).retain())
		default:
			p.trees = append(p.trees, treeOf(u.Scene.Own()).retain(), treeOf(u.Scene.Boxes()).retain())
		}
	}
	for _, t := range old {
		t.release()
	}
}

// retain returns the publisher of a tree for one more scene, and makes one if there is none.
func (t *Tree) retain() *Publisher {
	if t.shared == nil {
		NewPublisher(t).retained = true
	}
	t.shared.scenes++
	return t.shared
}

// release removes a scene from the publisher of a tree.
func (s *Publisher) release() {
	s.scenes--
	if s.retained && s.scenes == 0 {
		s.tree.shared, s.tree.octree.Touched = nil, nil
	}
}

// recycle claims the versions that have no holder, and releases their trees. Versions that have been
// free for long are dropped.
func (p *ScenePublisher) recycle() {
	p.pool = slices.DeleteFunc(p.pool, func(v *sceneVersion) bool {
		if !v.holds.CompareAndSwap(0, version.Claimed) {
			return false
		}
		for k := range v.parts {
			for _, i := range v.parts[k].trees {
				if i != nil {
					version.Release(&i.Holds)
				}
			}
			v.parts[k].trees = [2]*version.Buffer{}
		}
		p.free = append(p.free, v)
		return true
	})
	p.free = slices.DeleteFunc(p.free, func(v *sceneVersion) bool { return v.turn+version.IdleTurns <= p.turns })
}

// claimVersion takes the latest free version, which has the fewest rows to copy, or a new one.
func (p *ScenePublisher) claimVersion() *sceneVersion {
	if len(p.free) == 0 {
		v := new(sceneVersion)
		v.holds.Store(version.Claimed)
		return v
	}
	best := 0
	for k, v := range p.free {
		if v.turn > p.free[best].turn {
			best = k
		}
	}
	v := p.free[best]
	p.free = slices.Delete(p.free, best, best+1)
	return v
}

// write copies the current state of the scene into the version.
func (v *sceneVersion) write(p *ScenePublisher) {
	v.turn = p.turns
	v.table.Source, v.table.Version = p.scene.tree.octree.Store.Tree, octree.NextSource()
	if v.shape != p.shape {
		v.arrange(p)
	}
	for k := range v.parts {
		part := &v.parts[k]
		u, st := part.of, &part.state
		now := &u.State
		st.Bounds, st.Radius, st.Total, st.Shape = now.Bounds, now.Radius, now.Total, now.Shape
		switch {
		case u.Fixed:
			st.Objects, st.Instances = now.Objects, instance.Empty
			continue
		case u.Scene == nil:
			st.Objects, st.Instances = part.sync(0, treeOf(u)), instance.Empty
			continue
		}
		s := u.Scene
		st.Objects, st.Instances = part.sync(0, treeOf(s.Own())), part.sync(1, treeOf(s.Boxes()))
		st.Outgrown = append(st.Outgrown[:0], now.Outgrown...)
		part.copyRows(s)
	}
}

// arrange sets the parts of the version to the current ones, and keeps the rows that it has of
// them.
func (v *sceneVersion) arrange(p *ScenePublisher) {
	old := make(map[*instance.Part]*partVersion, len(v.parts))
	for k := range v.parts {
		old[v.parts[k].of] = &v.parts[k]
	}
	v.shape = p.shape
	v.parts = make([]partVersion, len(p.parts))
	for k, u := range p.parts {
		v.parts[k].of = u
		if part := old[u]; part != nil {
			v.parts[k] = *part
		}
	}
	v.table.Fill(p.parts, func(k int) *instance.State { return &v.parts[k].state })
}

// sync holds the published version of a tree, and returns a view that is valid as long as the view
// that [SceneView.Objects] is called on.
func (part *partVersion) sync(k int, t *Tree) instance.View {
	i := t.shared.versions.Share()
	part.trees[k] = i
	return instance.View{Store: i.Store, Index: &i.Index}
}

// copyRows copies the rows of instances that have been written since the last copy.
func (part *partVersion) copyRows(s *instance.Scene) {
	st := &part.state
	if cap(st.In) > 2*cap(s.In) { // the scene has been trimmed
		st.In, st.Transforms = nil, nil
	}
	have := min(len(st.In), len(s.In))
	st.In, st.Transforms = mem.Resize(st.In, len(s.In)), mem.Resize(st.Transforms, len(s.In))
	for i, wrote := range s.Wrote[:have] {
		if wrote > part.wrote {
			st.In[i], st.Transforms[i] = s.In[i], s.Transforms[i]
		}
	}
	copy(st.In[have:], s.In[have:])
	copy(st.Transforms[have:], s.Transforms[have:])
	part.wrote = s.Writes
}

// count adds the versions to the statistics. Readers may acquire and release meanwhile.
func (p *ScenePublisher) count(st *SceneStats) {
	now := p.now.Load()
	for _, list := range [...][]*sceneVersion{p.pool, p.free} {
		for _, v := range list {
			st.Versions++
			for k := range v.parts {
				st.VersionBytes += mem.Bytes(v.parts[k].state.In) + mem.Bytes(v.parts[k].state.Transforms)
			}
			readers := v.holds.Load()
			if v == now {
				readers-- // the publisher itself
			}
			if readers > 0 {
				st.Held++
			}
		}
	}
}

// SceneVersion is a published version of a scene that a reader holds, from
// [ScenePublisher.Acquire]. It belongs to one goroutine, which may pass its View to others until it
// releases the version. It must not be copied, which go vet checks.
type SceneVersion struct {
	_     version.NoCopy
	from  *sceneVersion
	lease version.Lease
}

// Acquire returns the last published version. Any goroutine may call it. It takes a few atomic
// operations on one counter, never blocks and, in steady state, allocates nothing. The version does
// not change until [SceneVersion.Release], however often the writer publishes; until then it costs
// a copy of all transforms and a buffer of each tree that has changed since.
func (p *ScenePublisher) Acquire() SceneVersion {
	p.made()
	for {
		if v := p.now.Load(); version.Hold(&p.now, v, &v.holds) {
			return SceneVersion{from: v, lease: version.NewLease()}
		}
	}
}

// View returns the view of the held version. It is valid until the release, and for any number of
// goroutines. It panics after the release.
func (h *SceneVersion) View() SceneView {
	if h.from == nil || h.lease.Over() {
		notHeld("View")
	}
	return SceneView{&h.from.table.Levels[0], h.lease.Validity, h.lease.At}
}

// Release returns the version to the publisher. Its views are invalidated: using them later panics.
// A query that is still running may read memory that the writer writes. A second release panics.
func (h *SceneVersion) Release() {
	if h.from == nil || h.lease.Over() {
		notHeld("Release")
	}
	v := h.from
	h.from = nil
	h.lease.End()
	version.Release(&v.holds)
}

// SceneCheckpoint is a consistent state of a published scene, with all its parts, that can be saved
// while the writer continues. It corresponds to the [Checkpoint] of a tree. Take it with
// [ScenePublisher.Checkpoint].
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
	p.made()
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

// Save atomically writes a snapshot of the checkpoint to a file: see [Scene.Save] and
// [SceneCheckpoint.WriteSnapshot].
func (c *SceneCheckpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	parts := c.held("Save")
	return file.Save(path, func(w io.Writer) error {
		_, err := file.WriteScene(ctx, w, parts, opt.save())
		return err
	})
}

// LayoutDigest returns the digest that [Scene.LayoutDigest] would have returned at that time. It
// panics after the release, and when a part that is a snapshot has been closed.
func (c *SceneCheckpoint) LayoutDigest() uint64 { return file.DigestScene(c.held("LayoutDigest")) }

func (c *SceneCheckpoint) held(what string) []file.ScenePart {
	if c.parts == nil {
		notHeld(what + " of a checkpoint")
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
