package linear

import (
	"context"
	"io"
	"sync"

	"github.com/zoctree/zoctree/internal/atomicfile"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Checkpoint is a shared tree at one moment, to be saved while the writer goes on. With the
// log of calls made since ([Batch.AppendBinary]) it is all that a program need keep: a tree
// that is loaded from it ([Snapshot.Load]) and gets these calls becomes the tree that there
// is, bit by bit. Take it with [Publisher.Checkpoint].
//
// A version has the columns of a tree. What else decides how it changes is copied when the
// checkpoint is taken, generations by ID and lists; where objects live, and the log, is told by
// the version, and worked out by who saves it first.
type Checkpoint struct {
	of    *Publisher
	from  *instance // nil: released
	lists *lists
	chain []uint32 // free IDs in the order of their list, unless the places are in the lists
	full  sync.Once
}

// Checkpoint publishes the tree, unless that has been done, and returns it as it is now. Only
// the writer may call it, between two changes, as [Publisher.Publish]; the checkpoint is for
// any goroutine. It changes no later answer.
//
// Beyond what Publish takes, it copies 4 bytes for each ID up to the largest, 8 if many of
// them are free, and the lists of what waits for a tick; the first time it allocates memory for
// them, which later ones use again. Until its release the checkpoint costs what a version does
// that a reader holds.
func (s *Publisher) Checkpoint() *Checkpoint {
	s.made()
	s.Publish()
	i := s.now.Load()
	i.holds.Add(1) // the publisher holds it, too
	l := s.lists.Swap(nil)
	if l == nil {
		l = new(lists)
	}
	c := &Checkpoint{of: s, from: i, lists: l}
	c.copyOf(s.tree)
	return c
}

// WriteTo writes a snapshot of the tree as it was: [Checkpoint.WriteSnapshot] without
// options.
func (c *Checkpoint) WriteTo(w io.Writer) (n int64, err error) {
	return c.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the tree as it was, the same bytes as [Tree.WriteSnapshot]
// would have written then. Any number of goroutines may call it, and it keeps nobody waiting.
// It panics after the release.
func (c *Checkpoint) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	return writeTree(ctx, w, c.held("WriteSnapshot"), opt)
}

// Save writes a snapshot of the tree as it was to a file that is there as a whole or not at
// all: see [Tree.Save] and [Checkpoint.WriteSnapshot].
func (c *Checkpoint) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	of := c.held("Save")
	return atomicfile.Save(path, func(w io.Writer) error {
		_, err := writeTree(ctx, w, of, opt)
		return err
	})
}

// LayoutDigest returns what [Tree.LayoutDigest] would have then. It panics after the release.
func (c *Checkpoint) LayoutDigest() uint64 {
	of := c.held("LayoutDigest")
	return of.digest()
}

// image is that of a part of a scene.
func (c *Checkpoint) image() (treeImage, error) { return c.held("image"), nil }

// held returns what is saved.
func (c *Checkpoint) held(what string) treeImage {
	if c.from == nil {
		notHeld(what + " of a checkpoint")
	}
	c.full.Do(c.complete)
	return treeImage{c.from.store, c.lists}
}

// complete adds to the lists what the version tells.
func (c *Checkpoint) complete() {
	l, s := c.lists, c.from.store
	l.log(s.Log)
	if len(l.where) == len(l.gen) {
		return
	}
	if cap(l.where) < len(l.gen) {
		l.where = mem.Fresh[soa.Location](nil, len(l.gen))
	}
	l.where = l.where[:len(l.gen)]
	for slot, n := range s.Packets.Counts {
		for lane, id := range s.Packets.IDs[slot][:n] {
			l.where[id] = soa.MakeLocation(uint32(slot), lane)
		}
	}
	next := soa.NoPlace
	for k := range c.chain {
		id := c.chain[len(c.chain)-1-k]
		l.where[id] = next
		next = soa.Location(id)
	}
}

// Release gives the version back, and the memory of the copies to the next checkpoint. Nobody
// may save it meanwhile or later; a second release panics.
func (c *Checkpoint) Release() {
	if c.from == nil {
		notHeld("Release of a checkpoint")
	}
	i := c.from
	c.lists.born = nil // of the version
	c.of.lists.Store(c.lists)
	c.from, c.lists = nil, nil
	release(&i.holds)
}

// fewFree is how many times as many IDs as free ones there are, at least, if their list is
// walked, which comes to one cache line for each, rather than all places copied.
const fewFree = 256

// copyOf makes the lists copies of those of a tree, in their own memory.
func (c *Checkpoint) copyOf(t *Tree) {
	l := c.lists
	own := *l
	l.of(t)
	l.changes = own.changes[:0]
	if free := t.ids.Cap() - t.ids.Len(); free <= t.ids.Cap()/fewFree {
		l.where, c.chain = own.where[:0], t.ids.AppendFree(make([]uint32, 0, free))
	} else {
		l.where = copyTo(own.where, l.where)
	}
	l.gen = copyTo(own.gen, l.gen)
	l.strays, l.graves, l.departed = copyTo(own.strays, l.strays), copyTo(own.graves, l.graves), copyTo(own.departed, l.departed)
	l.dirty, l.thin, l.worn, l.leaving = copyTo(own.dirty, l.dirty), copyTo(own.thin, l.thin), copyTo(own.worn, l.worn), copyTo(own.leaving, l.leaving)
}

// copyTo returns a copy of a list, in the memory of another one if it has room.
func copyTo[T any](to, from []T) []T {
	if cap(to) < len(from) {
		to = mem.Fresh[T](nil, len(from)+len(from)/8)
	}
	to = to[:len(from)]
	copy(to, from)
	return to
}

// bytes returns the memory of lists that are copies.
func (l *lists) bytes() int {
	return space(l.where) + space(l.gen) + space(l.strays) + space(l.graves) + space(l.departed) +
		space(l.dirty) + space(l.thin) + space(l.worn) + space(l.leaving) + space(l.tall) + space(l.tallEnds) + space(l.state) + space(l.names) + space(l.version) +
		space(l.changes)
}
