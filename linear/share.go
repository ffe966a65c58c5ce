package linear

import (
	"sync/atomic"

	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/version"
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
	tree     *Tree
	versions version.Pool
	lists    atomic.Pointer[file.Lists] // memory for the copies of a checkpoint; nil: none, or in use by one

	scenes   int  // number of published scenes that contain the tree
	retained bool // made for scenes only: NewPublisher has not been called for the tree
}

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
	s := &Publisher{tree: t}
	t.sync()
	t.shared = s
	s.versions.Begin(&t.octree)
	return s
}

// made panics if the publisher is the zero value.
func (s *Publisher) made() {
	if s.tree == nil {
		zeroUsed("Publisher", "make one with NewPublisher")
	}
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
	if !s.versions.IsCurrent() {
		s.versions.Publish()
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
