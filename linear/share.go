package linear

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/version"
	"github.com/zoctree/zoctree/morton"
)

// Publisher gives concurrent readers snapshot isolation (multi-version concurrency control): they query a tree while
// one goroutine, the writer, changes it. The writer publishes the tree at any time, such as the end of a frame; readers
// acquire the last published version and hold it as long as they need. Readers and the writer never block each other.
//
//	writer                          readers, any number
//	s := linear.NewPublisher(tree)
//	for each frame {                h := s.Acquire()
//		tree.MoveBatch(…)       ids = box.Append(ids[:0], h.View(), flt)
//		tree.Tick()             …
//		s.Publish()             h.Release()
//	}
//
// Kernels address flat columns, so each version has columns of its own, called a buffer. Publish hands the tree's own
// buffer to the readers; the tree continues in a free one, after the rows that differ are patched.
//
//	buffer 0   v1 ···· published ····| patched: v1+v2 to v3, v4 in work ····
//	buffer 1   v2 in work ···········| published ···························
//	                                   Publish
//
// Two buffers are enough when readers have released a version by the time the next one is
// published; each older version that is held takes one more.
//
// # Memory model
//
// Writes of the writer before Publish happen before the reads of a reader that acquires the version
// afterwards. Reads before Release happen before the writer reuses that memory.
type Publisher struct {
	tree     *Tree
	versions version.Pool
	lists    atomic.Pointer[file.Lists] // memory for the copies of a checkpoint; nil: none, or in use by one

	scenes   int  // number of published scenes that contain the tree
	retained bool // made for scenes only: NewPublisher has not been called for the tree
}

// NewPublisher enables concurrent readers for a tree, and publishes its current state, which copies it. From now on
// only one goroutine, the writer, may use the tree and its views; others query by [Version.View]. It panics if the tree
// has a publisher already; a publisher that a [ScenePublisher] made for it does not count.
func NewPublisher(t *Tree) *Publisher {
	if s := t.shared; s != nil {
		if !s.retained {
			panic("linear: the tree has a Publisher already: use the one that NewPublisher returned, for all readers")
		}
		s.retained = false
		s.Publish()
		return s
	}
	s := &Publisher{tree: t}
	t.sync()
	t.shared = s
	s.versions.Begin(&t.octree)
	return s
}

// made returns the versions. It panics if the publisher is the zero value.
func (s *Publisher) made() *version.Pool {
	if s.tree == nil {
		zeroUsed("Publisher", "make one with NewPublisher")
	}
	return &s.versions
}

// Tree returns the tree, for the writer.
func (s *Publisher) Tree() *Tree { return s.tree }

// Publish makes the current state of the tree the version that readers acquire. Versions that are held do not change;
// views of the tree itself are invalidated, as by a change. Only the writer may call it, at any time between two
// changes; after a [Tree.Tick], boxes are exact and queries fastest.
//
// It takes time proportional to the nodes and packets that have changed since the last publication,
// or, where readers still hold that version, since the one before. When the tree has been rebuilt,
// or readers hold all buffers and one more is needed, it copies the whole tree; when nothing has
// changed it does nothing. In steady state it allocates nothing.
func (s *Publisher) Publish() {
	p := s.made()
	s.tree.sync()
	if !p.IsCurrent() {
		p.Publish()
	}
}

// dropFree drops the free buffers.
func (s *Publisher) dropFree() {
	s.lists.Store(nil)
	s.versions.DropFree()
}

// count adds the versions to the statistics. Readers may acquire and release meanwhile.
func (s *Publisher) count(st *Stats) {
	if l := s.lists.Load(); l != nil {
		st.Scratch += l.Bytes()
	}
	c := s.versions.Count()
	st.Patched, st.Versions, st.VersionBytes, st.Held, st.HeldBytes = c.Patched, c.Versions, c.VersionBytes, c.Held, c.HeldBytes
}

// Version is a published version of a tree that a reader holds, from [Publisher.Acquire]. It belongs to one goroutine,
// which may pass its View to others until it releases the version. It must not be copied, which go vet checks.
type Version struct{ lease version.Lease[version.Buffer] }

// Acquire returns the last published version. Any goroutine may call it. It takes a few atomic operations on one
// counter, never blocks and, in steady state, allocates nothing. The version does not change until [Version.Release],
// however often the writer publishes; until then it costs a buffer of the tree, which [Tree.Stats] counts.
func (s *Publisher) Acquire() Version {
	return Version{version.LeaseOf(s.made().Acquire())}
}

// View returns the view of the held version, for queries. It is valid until the release, and for
// any number of goroutines. It panics after the release.
func (h *Version) View() View {
	i := h.lease.Get("View")
	return View{i.Store, h.lease.Validity, h.lease.At, &i.Index}
}

// World returns the cube of the keys of the version, as [View.CellOf] needs it. It panics after the release.
func (h *Version) World() morton.World { return h.lease.Get("World").World }

// Release returns the version to the publisher. Its views are invalidated: using them later panics.
// A query that is still running may read memory that the writer writes. A second release panics.
func (h *Version) Release() { h.lease.End("Release").Release() }

// Checkpoint is a consistent state of a published tree that can be saved while the writer continues. With a log of the
// later calls ([Batch.AppendBinary]) it is a complete backup: a tree that is loaded from it ([Snapshot.Load]) and
// replays these calls becomes the current tree, bit by bit. Take it with [Publisher.Checkpoint].
//
// A version has the columns of a tree. The other state that decides how a tree changes, generations
// by ID and lists, is copied when the checkpoint is taken. The locations of objects and the log are
// derived from the version by the first call that saves it.
type Checkpoint struct {
	of   *Publisher
	from *version.Buffer // nil: released
	file *file.Checkpoint
}

// Checkpoint publishes the tree, unless its state is published already, and returns that state for
// saving. Only the writer may call it, between two changes, as with [Publisher.Publish]; any
// goroutine may use the checkpoint. It has no effect on later results.
//
// Beyond the cost of Publish, it copies 4 bytes for each ID up to the largest, 8 if many of them
// are free, and the lists of pending work. The first call allocates memory for them, which later
// ones reuse. Until its release the checkpoint costs as much as a version that a reader holds.
func (s *Publisher) Checkpoint() *Checkpoint {
	s.Publish()
	i := s.versions.Share()
	l := s.lists.Swap(nil)
	if l == nil {
		l = new(file.Lists)
	}
	return &Checkpoint{of: s, from: i, file: file.CheckpointOf(&s.tree.octree, i.Store, l)}
}

// WriteTo writes a snapshot of the checkpoint: [Checkpoint.WriteSnapshot] without options.
func (c *Checkpoint) WriteTo(w io.Writer) (n int64, err error) {
	return c.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the checkpoint, the same bytes as [Tree.WriteSnapshot] would
// have written at that time. Any number of goroutines may call it, and it blocks neither readers
// nor the writer. It panics after the release.
func (c *Checkpoint) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	return file.WriteTree(ctx, w, c.held("WriteSnapshot"), opt.save())
}

// Save atomically writes a snapshot of the checkpoint to a file: see [Tree.Save] and [Checkpoint.WriteSnapshot].
func (c *Checkpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	c.held("Save")
	return saveTo(ctx, path, opt, c.WriteSnapshot)
}

// LayoutDigest returns the digest that [Tree.LayoutDigest] would have returned at that time. It
// panics after the release.
func (c *Checkpoint) LayoutDigest() uint64 {
	of := c.held("LayoutDigest")
	return of.Digest()
}

// held returns the saved form of the tree.
func (c *Checkpoint) held(what string) file.Image {
	if c.from == nil {
		version.NotHeld(what + " of a checkpoint")
	}
	i, _ := c.file.Image()
	return i
}

// Release frees the version, and the memory of the copies for the next checkpoint. The checkpoint
// must not be saved meanwhile or later; a second release panics.
func (c *Checkpoint) Release() {
	if c.from == nil {
		version.NotHeld("Release of a checkpoint")
	}
	i := c.from
	c.of.lists.Store(c.file.Release())
	c.from, c.file = nil, nil
	i.Release()
}
