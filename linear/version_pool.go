package linear

import (
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// pool holds the versions of a tree: the published one, older ones that readers hold, and free ones.
type pool struct {
	tree *octree.Tree
	now  atomic.Pointer[buffer] // the version that readers acquire

	// The remaining fields belong to the writer.
	own   *buffer        // buffer that the tree works in, claimed
	list  []*buffer      // the other buffers, the published one included
	news  octree.Touched // rows that the tree has changed since the last publication
	turns uint64         // number of publications

	patched int // nodes and packets that the last publication copied
}

// begin publishes the first version of a tree.
func (s *pool) begin(t *octree.Tree) {
	s.tree, s.own = t, newBuffer()
	t.Touched = &s.news
	s.publish()
}

// isCurrent reports whether the published version is that of the tree.
func (s *pool) isCurrent() bool { return s.now.Load().store.Version == s.tree.Store.Version }

// buffer is the memory of a version.
//
//	holds    n > 0   n hold it: readers, and the Publisher while it is published
//	         0       free: the writer may claim it
//	         n < 0   claimed by the writer; a late reader counts itself, sees
//	                 that the buffer is not published, and retries
type buffer struct {
	holds atomic.Int64
	_     [7]uint64 // padding: the counter is written often, the rest is read

	store *soa.Store
	world morton.World
	lacks octree.Touched // rows that differ from the version published last
	turn  uint64         // number of its publication
	index octree.Index
}

// claimed is the base of the hold count of a buffer that the writer has claimed.
const claimed = -1 << 62

// idleTurns is the number of publications after which a free buffer is dropped.
const idleTurns = 64

func newBuffer() *buffer {
	i := &buffer{store: octree.NewStore(), lacks: octree.Touched{All: true, AllIDs: true}}
	i.holds.Store(claimed)
	return i
}

// publish publishes the tree, and gives it a buffer to work in.
func (s *pool) publish() {
	s.swapIn()
	s.acquireBuffer()
}

// swapInChanged publishes the buffer that the tree works in, if the tree has changed.
func (s *pool) swapInChanged() {
	if s.own != nil && !s.isCurrent() {
		s.swapIn()
	}
}

// swapIn publishes the buffer that the tree works in.
func (s *pool) swapIn() {
	t := s.tree
	t.InvalidateViews() // invalidate views: the tree leaves this buffer
	s.turns++
	own := s.own
	own.store, own.world, own.turn = t.Store, t.World, s.turns // a rebuild changes stores
	for _, i := range s.list {
		i.lacks.Join(&s.news)
	}
	own.index.Lag(&s.news, len(own.store.Packets.Counts))
	own.lacks.Join(&s.news)
	own.index.CopyGenerations(&own.lacks, t.IDs.Gen)
	s.news.Clear()
	own.lacks.Clear()
	s.list = append(s.list, own)

	// The publisher itself holds the published buffer until the next publication.
	own.holds.Add(1 - claimed) // keeps the counts of late readers
	if last := s.now.Swap(own); last != nil {
		last.holds.Add(-1)
	}
	s.own = nil
}

// acquireBuffer gives the tree a buffer to work in, unless it has one.
func (s *pool) acquireBuffer() {
	if s.own != nil {
		return
	}
	t := s.tree
	s.own = s.claim()
	s.own.index.CopyGenerations(&s.own.lacks, t.IDs.Gen)
	s.patched = s.own.patch(t.Store)
	t.Store = s.own.store
	s.trim()
}

// patch patches the store of a claimed buffer to a later version, and returns the number of nodes
// and packets that it copied.
func (i *buffer) patch(version *soa.Store) (rows int) {
	i.index.Lag(&i.lacks, min(len(i.store.Packets.Counts), len(version.Packets.Counts)))
	if i.lacks.All {
		if i.store.Bytes() > 2*version.Bytes() { // the tree has been trimmed
			i.store = octree.NewStore()
			i.index.Drop()
		}
		i.store.CopyFrom(version)
		rows = len(version.Nodes.Hot) + len(version.Packets.Bounds)
	} else {
		i.store.Patch(version, i.lacks.Nodes.Words(), i.lacks.Packets.Words(), i.lacks.Boxes.Words())
		rows = i.lacks.Nodes.Len() + i.lacks.Boxes.Len()
	}
	i.lacks.Clear()
	return rows
}

// claim takes a free buffer out of the pool: the latest one, which has the fewest rows to patch,
// or a new one.
func (s *pool) claim() *buffer {
	for {
		best := -1
		for k, i := range s.list {
			if i.holds.Load() == 0 && (best < 0 || i.turn > s.list[best].turn) {
				best = k
			}
		}
		if best < 0 {
			return newBuffer()
		}
		if i := s.list[best]; i.holds.CompareAndSwap(0, claimed) {
			s.list = slices.Delete(s.list, best, best+1)
			return i
		}
	}
}

// trim drops buffers that have been free for long. They stay claimed, so that no late reader can
// hold one.
func (s *pool) trim() {
	s.list = slices.DeleteFunc(s.list, func(i *buffer) bool {
		return i.turn+idleTurns <= s.turns && i.holds.CompareAndSwap(0, claimed)
	})
}

// dropFree drops the free buffers.
func (s *pool) dropFree() {
	s.own.store = s.tree.Store
	s.own.index.Drop()
	s.own.index.TrimGenerations(s.tree.IDs.Cap())
	s.list = slices.DeleteFunc(s.list, func(i *buffer) bool { return i.holds.CompareAndSwap(0, claimed) })
	s.tree.Touched.Trim()
	s.own.lacks.Trim()
	for _, i := range s.list {
		i.lacks.Trim()
	}
}

// counts are the figures of the versions of a tree.
type counts struct {
	Patched                int // nodes and packets that the last publication copied
	Versions, VersionBytes int // free ones included
	Held, HeldBytes        int // versions that readers hold
}

// count returns the figures of the versions. Readers may acquire and release meanwhile.
func (s *pool) count() (c counts) {
	c.Patched = s.patched
	now := s.now.Load()
	for _, i := range s.list {
		bytes := i.store.Bytes() + int(i.index.Bytes.Load()) + mem.Bytes(i.index.Gens)
		c.Versions++
		c.VersionBytes += bytes
		readers := i.holds.Load()
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

// acquire holds the published version for a reader.
func (s *pool) acquire() *buffer {
	for {
		if i := s.now.Load(); s.hold(i) {
			return i
		}
	}
}

// share holds the published version for the writer, who need not retry.
func (s *pool) share() *buffer {
	i := s.now.Load()
	i.holds.Add(1) // the pool holds it, too
	return i
}

func (s *pool) hold(i *buffer) bool { return hold(&s.now, i, &i.holds) }
