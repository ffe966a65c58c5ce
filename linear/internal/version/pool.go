package version

import (
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Pool holds the versions of a tree: the published one, older ones that readers hold, and free ones.
type Pool struct {
	tree *octree.Tree
	Now  atomic.Pointer[Buffer] // the version that readers acquire

	// The remaining fields belong to the writer.
	own   *Buffer        // buffer that the tree works in, claimed
	list  []*Buffer      // the other buffers, the published one included
	news  octree.Touched // rows that the tree has changed since the last publication
	turns uint64         // number of publications

	patched int // nodes and packets that the last publication copied
}

// Begin publishes the first version of a tree.
func (s *Pool) Begin(t *octree.Tree) {
	s.tree, s.own = t, newBuffer()
	t.Touched = &s.news
	s.Publish()
}

// IsCurrent reports whether the published version is that of the tree.
func (s *Pool) IsCurrent() bool { return s.Now.Load().Store.Version == s.tree.Store.Version }

// Buffer is the memory of a version.
//
//	holds    n > 0   n hold it: readers, and the Publisher while it is published
//	         0       free: the writer may claim it
//	         n < 0   claimed by the writer; a late reader counts itself, sees
//	                 that the buffer is not published, and retries
type Buffer struct {
	Holds atomic.Int64
	_     [7]uint64 // padding: the counter is written often, the rest is read

	Store *soa.Store
	World morton.World
	lacks octree.Touched // rows that differ from the version published last
	turn  uint64         // number of its publication
	Index octree.Index
}

// Claimed is the base of the hold count of a buffer that the writer has claimed.
const Claimed = -1 << 62

// IdleTurns is the number of publications after which a free buffer is dropped.
const IdleTurns = 64

func newBuffer() *Buffer {
	i := &Buffer{Store: octree.NewStore(), lacks: octree.Touched{All: true, AllIDs: true}}
	i.Holds.Store(Claimed)
	return i
}

// Publish publishes the tree, and gives it a buffer to work in.
func (s *Pool) Publish() {
	s.swapIn()
	s.AcquireBuffer()
}

// SwapInChanged publishes the buffer that the tree works in, if the tree has changed.
func (s *Pool) SwapInChanged() {
	if s.own != nil && !s.IsCurrent() {
		s.swapIn()
	}
}

// swapIn publishes the buffer that the tree works in.
func (s *Pool) swapIn() {
	t := s.tree
	t.InvalidateViews() // invalidate views: the tree leaves this buffer
	s.turns++
	own := s.own
	own.Store, own.World, own.turn = t.Store, t.World, s.turns // a rebuild changes stores
	for _, i := range s.list {
		i.lacks.Join(&s.news)
	}
	own.Index.Lag(&s.news, len(own.Store.Packets.Counts))
	own.lacks.Join(&s.news)
	own.Index.CopyGenerations(&own.lacks, t.IDs.Gen)
	s.news.Clear()
	own.lacks.Clear()
	s.list = append(s.list, own)

	// The publisher itself holds the published buffer until the next publication.
	own.Holds.Add(1 - Claimed) // keeps the counts of late readers
	if last := s.Now.Swap(own); last != nil {
		last.Holds.Add(-1)
	}
	s.own = nil
}

// AcquireBuffer gives the tree a buffer to work in, unless it has one.
func (s *Pool) AcquireBuffer() {
	if s.own != nil {
		return
	}
	t := s.tree
	s.own = s.claim()
	s.own.Index.CopyGenerations(&s.own.lacks, t.IDs.Gen)
	s.patched = s.own.patch(t.Store)
	t.Store = s.own.Store
	s.trim()
}

// patch patches the store of a claimed buffer to a later version, and returns the number of nodes
// and packets that it copied.
func (i *Buffer) patch(version *soa.Store) (rows int) {
	i.Index.Lag(&i.lacks, min(len(i.Store.Packets.Counts), len(version.Packets.Counts)))
	if i.lacks.All {
		if i.Store.Bytes() > 2*version.Bytes() { // the tree has been trimmed
			i.Store = octree.NewStore()
			i.Index.Drop()
		}
		i.Store.CopyFrom(version)
		rows = len(version.Nodes.Hot) + len(version.Packets.Bounds)
	} else {
		i.Store.Patch(version, i.lacks.Nodes.Words(), i.lacks.Packets.Words(), i.lacks.Boxes.Words())
		rows = i.lacks.Nodes.Len() + i.lacks.Boxes.Len()
	}
	i.lacks.Clear()
	return rows
}

// claim takes a free buffer out of the pool: the latest one, which has the fewest rows to patch,
// or a new one.
func (s *Pool) claim() *Buffer {
	for {
		best := -1
		for k, i := range s.list {
			if i.Holds.Load() == 0 && (best < 0 || i.turn > s.list[best].turn) {
				best = k
			}
		}
		if best < 0 {
			return newBuffer()
		}
		if i := s.list[best]; i.Holds.CompareAndSwap(0, Claimed) {
			s.list = slices.Delete(s.list, best, best+1)
			return i
		}
	}
}

// trim drops buffers that have been free for long. They stay claimed, so that no late reader can
// hold one.
func (s *Pool) trim() {
	s.list = slices.DeleteFunc(s.list, func(i *Buffer) bool {
		return i.turn+IdleTurns <= s.turns && i.Holds.CompareAndSwap(0, Claimed)
	})
}

// DropFree drops the free buffers.
func (s *Pool) DropFree() {
	s.own.Store = s.tree.Store
	s.own.Index.Drop()
	s.own.Index.TrimGenerations(s.tree.IDs.Cap())
	s.list = slices.DeleteFunc(s.list, func(i *Buffer) bool { return i.Holds.CompareAndSwap(0, Claimed) })
	s.tree.Touched.Trim()
	s.own.lacks.Trim()
	for _, i := range s.list {
		i.lacks.Trim()
	}
}

// Counts are the figures of the versions of a tree.
type Counts struct {
	Patched                int // nodes and packets that the last publication copied
	Versions, VersionBytes int // free ones included
	Held, HeldBytes        int // versions that readers hold
}

// Count returns the figures of the versions. Readers may acquire and release meanwhile.
func (s *Pool) Count() (c Counts) {
	c.Patched = s.patched
	now := s.Now.Load()
	for _, i := range s.list {
		bytes := i.Store.Bytes() + int(i.Index.Bytes.Load()) + mem.Bytes(i.Index.Gens)
		c.Versions++
		c.VersionBytes += bytes
		readers := i.Holds.Load()
		if i == now {
			readers-- // the publisher itself
		}
		if readers > 0 {
			c.Held++
			c.HeldBytes += bytes
		}
	}
	return c
}

// Acquire holds the published version for a reader.
func (s *Pool) Acquire() *Buffer {
	for {
		if i := s.Now.Load(); s.Hold(i) {
			return i
		}
	}
}

// Share holds the published version for the writer, who need not retry.
func (s *Pool) Share() *Buffer {
	i := s.Now.Load()
	i.Holds.Add(1) // the pool holds it, too
	return i
}

// Hold adds a holder to a version, and reports whether it is still the published one.
func (s *Pool) Hold(i *Buffer) bool { return Hold(&s.Now, i, &i.Holds) }
