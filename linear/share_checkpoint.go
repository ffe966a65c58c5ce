package linear

import (
	"context"
	"io"
	"sync"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/version"
	"github.com/zoctree/zoctree/soa"
)

// Checkpoint is a consistent state of a published tree that can be saved while the writer
// continues. With a log of the later calls ([Batch.AppendBinary]) it is a complete backup: a tree
// that is loaded from it ([Snapshot.Load]) and replays these calls becomes the current tree, bit by
// bit. Take it with [Publisher.Checkpoint].
//
// A version has the columns of a tree. The other state that decides how a tree changes, generations
// by ID and lists, is copied when the checkpoint is taken. The locations of objects and the log are
// derived from the version by the first call that saves it.
type Checkpoint struct {
	of    *Publisher
	from  *version.Buffer // nil: released
	lists *file.Lists
	chain []uint32 // free IDs in the order of their list, unless lists.where has been copied
	full  sync.Once

	former file.Lists // memory for the copies, while they are made
}

// Checkpoint publishes the tree, unless its state is published already, and returns that state for
// saving. Only the writer may call it, between two changes, as with [Publisher.Publish]; any
// goroutine may use the checkpoint. It has no effect on later results.
//
// Beyond the cost of Publish, it copies 4 bytes for each ID up to the largest, 8 if many of them
// are free, and the lists of pending work. The first call allocates memory for them, which later
// ones reuse. Until its release the checkpoint costs as much as a version that a reader holds.
func (s *Publisher) Checkpoint() *Checkpoint {
	s.made()
	s.Publish()
	i := s.versions.Share()
	l := s.lists.Swap(nil)
	if l == nil {
		l = new(file.Lists)
	}
	c := &Checkpoint{of: s, from: i, lists: l}
	c.copyOf(s.tree)
	return c
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

// Save atomically writes a snapshot of the checkpoint to a file: see [Tree.Save] and
// [Checkpoint.WriteSnapshot].
func (c *Checkpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	of := c.held("Save")
	return file.Save(path, func(w io.Writer) error {
		_, err := file.WriteTree(ctx, w, of, opt.save())
		return err
	})
}

// LayoutDigest returns the digest that [Tree.LayoutDigest] would have returned at that time. It
// panics after the release.
func (c *Checkpoint) LayoutDigest() uint64 {
	of := c.held("LayoutDigest")
	return of.Digest()
}

// image returns the saved form of a tree that is a part of a scene.
func (c *Checkpoint) image() (file.Image, error) { return c.held("image"), nil }

// held returns the saved form of the tree.
func (c *Checkpoint) held(what string) file.Image {
	if c.from == nil {
		notHeld(what + " of a checkpoint")
	}
	c.full.Do(c.complete)
	return file.Image{Store: c.from.Store, Lists: c.lists}
}

// complete derives the log and the locations from the version.
func (c *Checkpoint) complete() {
	l, s := c.lists, c.from.Store
	l.Log(s.Log)
	if len(l.Where) == len(l.Gen) {
		return
	}
	if cap(l.Where) < len(l.Gen) {
		l.Where = mem.Fresh[soa.Location](nil, len(l.Gen))
	}
	l.Where = l.Where[:len(l.Gen)]
	for slot, n := range s.Packets.Counts {
		for lane, id := range s.Packets.IDs[slot][:n] {
			l.Where[id] = soa.MakeLocation(uint32(slot), lane)
		}
	}
	next := soa.NoLocation
	for k := range c.chain {
		id := c.chain[len(c.chain)-1-k]
		l.Where[id] = next
		next = soa.Location(id)
	}
}

// Release frees the version, and the memory of the copies for the next checkpoint. The checkpoint
// must not be saved meanwhile or later; a second release panics.
func (c *Checkpoint) Release() {
	if c.from == nil {
		notHeld("Release of a checkpoint")
	}
	i := c.from
	c.lists.Born = nil // belongs to the version
	c.of.lists.Store(c.lists)
	c.from, c.lists = nil, nil
	version.Release(&i.Holds)
}

// fewFree is the minimum ratio of IDs to free IDs at which the free list is walked, one cache line
// per free ID, instead of copying all locations.
const fewFree = 256

// copyOf copies the lists of a tree into the checkpoint's own memory.
func (c *Checkpoint) copyOf(t *Tree) {
	l := c.lists
	own := &c.former
	*own = *l
	l.Of(&t.octree)
	l.Changes = own.Changes[:0]
	if free := t.octree.IDs.Cap() - t.octree.IDs.Len(); free <= t.octree.IDs.Cap()/fewFree {
		l.Where, c.chain = own.Where[:0], t.octree.IDs.AppendFree(make([]uint32, 0, free))
	} else {
		l.Where = file.Copy(own.Where, l.Where)
	}
	l.CopyTo(own)
	*own = file.Lists{}
}
