package version

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// pool holds the versions of a tree or of a scene: the published one, older ones that readers hold, and free ones.
type pool struct {
	Now atomic.Pointer[Buffer] // the version that readers acquire

	// The remaining fields belong to the writer.
	list  []*Buffer // all versions that have been published
	turns uint64    // number of publications
}

// Pool holds the versions of a tree.
type Pool struct {
	pool
	tree    *octree.Tree
	own     *Buffer        // buffer that the tree works in, claimed
	news    octree.Touched // rows that the tree has changed since the last publication
	patched int            // nodes and packets that the last publication copied
}

// Begin publishes the first version of a tree.
func (s *Pool) Begin(t *octree.Tree) {
	s.tree, s.own = t, newBuffer(octree.NewStore())
	t.Touched = &s.news
	s.Publish()
}

// IsCurrent reports whether the published version is that of the tree.
func (s *Pool) IsCurrent() bool { return s.Now.Load().Store.Version == s.tree.Store.Version }

// Buffer is the memory of a version of a tree, or of a scene, which holds a version of each tree in it.
//
//	holds    n > 0   n hold it: readers, and the pool while it is published
//	         0       free: the writer may claim it
//	         n < 0   claimed by the writer; a late reader counts itself, sees
//	                 that the buffer is not published, and retries
type Buffer struct {
	Holds atomic.Int64
	_     [7]uint64 // padding: the counter is written often, the rest is read

	turn uint64 // number of its publication

	Store *soa.Store // of a tree; nil for a scene
	World morton.World
	lacks octree.Touched // rows that differ from the version published last
	Index octree.Index

	Table  instance.Table // of a scene
	shape  uint64         // shape of the scene
	parts  []partVersion
	holder bool // the parts hold versions of trees
}

// claimed is the base of the hold count of a buffer that the writer has claimed.
const claimed = -1 << 62

// idleTurns is the number of publications after which a free buffer is dropped.
const idleTurns = 64

// newBuffer returns a claimed buffer, of a tree if it has a store.
func newBuffer(store *soa.Store) *Buffer {
	i := &Buffer{Store: store, lacks: octree.Touched{All: true, AllIDs: true}}
	i.Holds.Store(claimed)
	return i
}

// Publish publishes the tree, and gives it a buffer to work in.
func (s *Pool) Publish() {
	s.swapIn()
	s.acquireBuffer()
}

// swapInChanged publishes the buffer that the tree works in, if the tree has changed.
func (s *Pool) swapInChanged() {
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
	own.Store, own.World = t.Store, t.World // a rebuild changes stores
	for _, i := range s.list {
		i.lacks.Join(&s.news)
	}
	own.Index.Lag(&s.news, len(own.Store.Packets.Counts))
	own.lacks.Join(&s.news)
	own.Index.CopyGenerations(&own.lacks, &t.IDs)
	s.news.Clear()
	own.lacks.Clear()
	s.show(own)
	s.own = nil
}

// show makes a claimed buffer the published version.
func (s *pool) show(i *Buffer) {
	i.turn = s.turns
	s.list = append(s.list, i)

	// The pool itself holds the published buffer until the next publication.
	i.Holds.Add(1 - claimed) // keeps the counts of late readers
	if last := s.Now.Swap(i); last != nil {
		last.Holds.Add(-1)
	}
}

// acquireBuffer gives the tree a buffer to work in, unless it has one.
func (s *Pool) acquireBuffer() {
	if s.own != nil {
		return
	}
	t := s.tree
	if s.own = s.claim(); s.own == nil {
		s.own = newBuffer(octree.NewStore())
	}
	s.own.Index.CopyGenerations(&s.own.lacks, &t.IDs)
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
// or nil if none is free.
func (s *pool) claim() *Buffer {
	for {
		best := -1
		for k, i := range s.list {
			if i.Holds.Load() == 0 && !i.holder && (best < 0 || i.turn > s.list[best].turn) {
				best = k
			}
		}
		if best < 0 {
			return nil
		}
		if i := s.list[best]; i.take() {
			s.list = slices.Delete(s.list, best, best+1)
			return i
		}
	}
}

// take claims a free buffer. A version of a scene is free when it has released its trees.
func (i *Buffer) take() bool { return !i.holder && i.Holds.CompareAndSwap(0, claimed) }

// trim drops buffers that have been free for long. They stay claimed, so that no late reader can hold one.
func (s *pool) trim() {
	s.list = slices.DeleteFunc(s.list, func(i *Buffer) bool { return i.turn+idleTurns <= s.turns && i.take() })
}

// DropFree drops the free buffers.
func (s *pool) DropFree() { s.list = slices.DeleteFunc(s.list, (*Buffer).take) }

// DropFree drops the free buffers.
func (s *Pool) DropFree() {
	s.own.Store = s.tree.Store
	s.own.Index.Drop()
	s.own.Index.Gens.Trim(s.tree.IDs.Cap())
	s.pool.DropFree()
	s.tree.Touched.Trim()
	s.own.lacks.Trim()
	for _, i := range s.list {
		i.lacks.Trim()
	}
}

// Counts are the figures of versions.
type Counts struct {
	Patched                int // nodes and packets that the last publication of a tree copied
	Versions, VersionBytes int // free ones included
	Held, HeldBytes        int // versions that readers hold
}

// Count returns the figures of the versions of a tree.
func (s *Pool) Count() Counts {
	c := s.pool.Count()
	c.Patched = s.patched
	return c
}

// Count returns the figures of the versions. Readers may acquire and release meanwhile.
func (s *pool) Count() (c Counts) {
	now := s.Now.Load()
	for _, i := range s.list {
		bytes := i.bytes()
		c.Versions++
		c.VersionBytes += bytes
		readers := i.Holds.Load()
		if i == now {
			readers-- // the pool itself
		}
		if readers > 0 {
			c.Held++
			c.HeldBytes += bytes
		}
	}
	return c
}

// bytes returns the memory of the columns of a tree, or of the rows of a scene.
func (i *Buffer) bytes() (sum int) {
	if i.Store != nil {
		sum = i.Store.Bytes() + int(i.Index.Bytes.Load()) + i.Index.Gens.Bytes()
	}
	for k := range i.parts {
		sum += mem.Bytes(i.parts[k].state.In) + mem.Bytes(i.parts[k].state.Transforms)
	}
	return sum
}

// Acquire holds the published version for a reader.
func (s *pool) Acquire() *Buffer {
	for {
		if i := s.Now.Load(); s.Hold(i) {
			return i
		}
	}
}

// Share holds the published version for the writer, who need not retry.
func (s *pool) Share() *Buffer {
	i := s.Now.Load()
	i.Holds.Add(1) // the pool holds it, too
	return i
}

// Hold adds a holder to a version that was just loaded, and reports whether it is still the published one. If so, it is
// complete, and the publisher holds it too, so the writer cannot claim it before the release.
func (s *pool) Hold(i *Buffer) bool {
	i.Holds.Add(1)
	if s.Now.Load() == i {
		return true
	}
	i.Holds.Add(-1)
	return false
}

// Release removes a holder.
func (i *Buffer) Release() {
	if n := i.Holds.Add(-1); n < 0 {
		panic(fmt.Sprintf("linear: a version was released more often than acquired: its count is %d", n))
	}
}
