package linear

import (
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Publisher gives concurrent readers snapshot isolation (multi-version concurrency control): they
// query a tree while one goroutine, the writer, changes it. The writer publishes the tree at any
// time, such as the end of a frame; readers acquire the last published version and hold it as long
// as they need. Readers and the writer never block each other.
//
//	writer                          readers, any number
//	s := linear.NewPublisher(tree)
//	for each frame {                h := s.Acquire()
//		tree.MoveBatch(…)       ids = box.Append(ids[:0], h.View(), flt)
//		tree.Tick()             …
//		s.Publish()             h.Release()
//	}
//
// Kernels address flat columns, so each version has columns of its own, called a buffer. Publish
// hands the tree's own buffer to the readers; the tree continues in a free one, after the rows
// that differ are patched.
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
	tree *Tree
	now  atomic.Pointer[buffer] // the version that Acquire returns

	// The remaining fields belong to the writer.
	own   *buffer        // buffer that the tree works in, claimed
	pool  []*buffer      // the other buffers, the published one included
	news  octree.Touched // rows that the tree has changed since the last publication
	turns uint64         // number of publications

	patched int // nodes and packets that the last publication copied

	lists atomic.Pointer[file.Lists] // memory for the copies of a checkpoint; nil: none, or in use by one

	scenes   int  // number of published scenes that contain the tree
	retained bool // made for scenes only: NewPublisher has not been called for the tree
}

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

// NewPublisher enables concurrent readers for a tree, and publishes its current state, which copies
// it. From now on only one goroutine, the writer, may use the tree and its views; others query by
// [Version.View]. It panics if the tree has a publisher already; a publisher that a
// [ScenePublisher] made for it does not count.
func NewPublisher(t *Tree) *Publisher {
	if s := t.shared; s != nil {
		if !s.retained {
			panic("linear: the tree is shared already")
		}
		s.retained = false
		s.Publish()
		return s
	}
	s := &Publisher{tree: t, own: newBuffer()}
	t.sync()
	t.shared, t.octree.Touched = s, &s.news
	s.publish()
	return s
}

// made panics if the publisher is the zero value.
func (s *Publisher) made() {
	if s.tree == nil {
		zeroUsed("Publisher", "make one with NewPublisher")
	}
}

func newBuffer() *buffer {
	i := &buffer{store: octree.NewStore(), lacks: octree.Touched{All: true, AllIDs: true}}
	i.holds.Store(claimed)
	return i
}

// Tree returns the tree, for the writer.
func (s *Publisher) Tree() *Tree { return s.tree }

// Publish makes the current state of the tree the version that readers acquire. Versions that are
// held do not change; views of the tree itself are invalidated, as by a change. Only the writer may
// call it, at any time between two changes; after a [Tree.Tick], boxes are exact and queries
// fastest.
//
// It takes time proportional to the nodes and packets that have changed since the last publication,
// or, where readers still hold that version, since the one before. When the tree has been rebuilt,
// or readers hold all buffers and one more is needed, it copies the whole tree; when nothing has
// changed it does nothing. In steady state it allocates nothing.
func (s *Publisher) Publish() {
	s.made()
	s.tree.sync()
	if s.now.Load().store.Version != s.tree.octree.Store.Version {
		s.publish()
	}
}

func (s *Publisher) publish() {
	s.swapIn()
	s.acquireBuffer()
}

// swapIn publishes the buffer that the tree works in.
func (s *Publisher) swapIn() {
	t := s.tree
	t.octree.InvalidateViews() // invalidate views: the tree leaves this buffer
	s.turns++
	own := s.own
	own.store, own.world, own.turn = t.octree.Store, t.octree.World, s.turns // a rebuild changes stores
	for _, i := range s.pool {
		i.lacks.Join(&s.news)
	}
	own.index.Lag(&s.news, len(own.store.Packets.Counts))
	own.lacks.Join(&s.news)
	own.index.CopyGenerations(&own.lacks, t.octree.IDs.Gen)
	s.news.Clear()
	own.lacks.Clear()
	s.pool = append(s.pool, own)

	// The publisher itself holds the published buffer until the next publication.
	own.holds.Add(1 - claimed) // keeps the counts of late readers
	if last := s.now.Swap(own); last != nil {
		last.holds.Add(-1)
	}
	s.own = nil
}

// acquireBuffer gives the tree a buffer to work in, unless it has one.
func (s *Publisher) acquireBuffer() {
	if s.own != nil {
		return
	}
	t := s.tree
	s.own = s.claim()
	s.own.index.CopyGenerations(&s.own.lacks, t.octree.IDs.Gen)
	s.patched = s.own.patch(t.octree.Store)
	t.octree.Store = s.own.store
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
func (s *Publisher) claim() *buffer {
	for {
		best := -1
		for k, i := range s.pool {
			if i.holds.Load() == 0 && (best < 0 || i.turn > s.pool[best].turn) {
				best = k
			}
		}
		if best < 0 {
			return newBuffer()
		}
		if i := s.pool[best]; i.holds.CompareAndSwap(0, claimed) {
			s.pool = slices.Delete(s.pool, best, best+1)
			return i
		}
	}
}

// trim drops buffers that have been free for long. They stay claimed, so that no late reader can
// hold one.
func (s *Publisher) trim() {
	s.pool = slices.DeleteFunc(s.pool, func(i *buffer) bool {
		return i.turn+idleTurns <= s.turns && i.holds.CompareAndSwap(0, claimed)
	})
}

// dropFree drops the free buffers.
func (s *Publisher) dropFree() {
	s.own.store = s.tree.octree.Store
	s.own.index.Drop()
	s.own.index.TrimGenerations(s.tree.octree.IDs.Cap())
	s.lists.Store(nil)
	s.pool = slices.DeleteFunc(s.pool, func(i *buffer) bool { return i.holds.CompareAndSwap(0, claimed) })
	s.tree.octree.Touched.Trim()
	s.own.lacks.Trim()
	for _, i := range s.pool {
		i.lacks.Trim()
	}
}

// count adds the versions to the statistics. Readers may acquire and release meanwhile.
func (s *Publisher) count(st *Stats) {
	st.Patched = s.patched
	if l := s.lists.Load(); l != nil {
		st.Scratch += l.Bytes()
	}
	now := s.now.Load()
	for _, i := range s.pool {
		bytes := i.store.Bytes() + int(i.index.Bytes.Load()) + mem.Bytes(i.index.Gens)
		st.Versions++
		st.VersionBytes += bytes
		readers := i.holds.Load()
		if i == now {
			readers-- // the publisher itself
		}
		if readers > 0 {
			st.Held++
			st.HeldBytes += bytes
		}
	}
}
