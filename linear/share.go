package linear

import (
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Publisher lets readers query a tree while one goroutine changes it. The writer
// publishes the tree when it likes, at the end of a frame; readers acquire what
// was published last and hold it for as long as they like. No reader waits for
// the writer, nor the writer for a reader.
//
//	writer                          readers, any number
//	s := linear.NewPublisher(tree)
//	for each frame {                h := s.Acquire()
//		tree.MoveBatch(…)       ids = box.Append(ids[:0], h.View(), flt)
//		tree.Tick()             …
//		s.Publish()             h.Release()
//	}
//
// Kernels address flat columns, so each version has columns of its own: an
// instance. To publish is to give the tree's own instance to the readers; the
// tree goes on in a free one, in which the rows that differ are patched.
//
//	instance 0   v1 ···· published ····| patched: v1+v2 to v3, v4 in work ····
//	instance 1   v2 in work ···········| published ···························
//	                                   Publish
//
// Two instances are enough when readers have released a version by the time the
// next one is published; each older version that is held takes one more.
//
// Memory model: what the writer did before Publish happens before what a reader
// does with a version that it acquired afterwards, and what a reader does before
// Release happens before the writer uses that memory again.
type Publisher struct {
	tree *Tree
	now  atomic.Pointer[instance] // what Acquire gives

	// The rest is the writer's.
	own   *instance   // the one that the tree works in, claimed
	pool  []*instance // the others, the published one included
	news  touched     // what the tree has changed since it was published
	turns uint64      // publications

	patched int // nodes and packets that the last publication copied

	lists atomic.Pointer[lists] // memory for the copies of a checkpoint; nil: there is none, or one uses it

	scenes int  // published scenes that the tree is in
	lent   bool // it is there for them alone
}

// instance is memory for a version.
//
//	holds    n > 0   n hold it: readers, and the Publisher while it is published
//	         0       free: the writer may claim it
//	         n < 0   claimed by the writer; a reader that comes late looks
//	                 in, which counts, finds it is not published, and goes
type instance struct {
	holds atomic.Int64
	_     [7]uint64 // the count changes all the time, the rest is read

	store *soa.Store
	world morton.World
	lacks touched // rows in which a version differs from the one published last
	turn  uint64  // when it was published
	index index
}

// claimed is what the holds of an instance that the writer has taken begin at.
const claimed = -1 << 62

// idleTurns is how many publications an instance stays free before its memory
// is given back.
const idleTurns = 64

// NewPublisher makes a tree one that readers can query while it changes, and publishes
// it as it is, which copies it. From now on only one goroutine, the writer, may
// use the tree and its views; others query by [Version.View]. It panics if the tree
// is shared already; that it is in a scene that is shared does not count.
func NewPublisher(t *Tree) *Publisher {
	if s := t.shared; s != nil {
		if !s.lent {
			panic("linear: the tree is shared already")
		}
		s.lent = false
		s.Publish()
		return s
	}
	s := &Publisher{tree: t, own: newInstance()}
	t.look()
	t.shared, t.touched = s, &s.news
	s.publish()
	return s
}

// made panics if the publisher is the zero one.
func (s *Publisher) made() {
	if s.tree == nil {
		zeroUsed("Publisher", "make one with NewPublisher")
	}
}

func newInstance() *instance {
	i := &instance{store: newStore(), lacks: touched{all: true}}
	i.holds.Store(claimed)
	return i
}

// Tree returns the tree, for the writer.
func (s *Publisher) Tree() *Tree { return s.tree }

// Publish makes the tree as it is now the version that readers acquire. Versions
// that are held stay as they are; views of the tree itself end, as with a change.
// Only the writer may call it, at any time between two changes; after a
// [Tree.Tick], boxes are exact and queries fastest.
//
// It takes time proportional to the nodes and packets that have changed since
// the last publication, or, where readers still hold that version, since the
// one before. When the tree has been rebuilt, or readers hold all instances and
// there must be one more, it copies the whole tree; when nothing has changed it
// does nothing. In steady state it allocates nothing.
func (s *Publisher) Publish() {
	s.made()
	s.tree.look()
	if s.now.Load().store.Version != s.tree.store.Version {
		s.publish()
	}
}

func (s *Publisher) publish() {
	s.offer()
	s.resume()
}

// offer gives what the tree works in to the readers.
func (s *Publisher) offer() {
	t := s.tree
	t.turn() // the tree moves out from under its views
	s.turns++
	own := s.own
	own.store, own.world, own.turn = t.store, t.world, s.turns // a rebuild changes stores
	for _, i := range s.pool {
		i.lacks.join(&s.news)
	}
	own.index.lag(&s.news, len(own.store.Packets.Counts))
	s.news.clear()
	own.lacks.clear()
	s.pool = append(s.pool, own)

	// The publisher holds what is published until the next one is.
	own.holds.Add(1 - claimed) // with those who look in
	if last := s.now.Swap(own); last != nil {
		last.holds.Add(-1)
	}
	s.own = nil
}

// resume gives the tree an instance to go on in, unless it has one.
func (s *Publisher) resume() {
	if s.own != nil {
		return
	}
	t := s.tree
	s.own = s.claim()
	s.patched = s.own.bring(t.store)
	t.store = s.own.store
	s.trim()
}

// bring patches the store of a claimed instance to a later version, and returns
// how many nodes and packets it copied.
func (i *instance) bring(version *soa.Store) (rows int) {
	i.index.lag(&i.lacks, min(len(i.store.Packets.Counts), len(version.Packets.Counts)))
	if i.lacks.all {
		if i.store.Bytes() > 2*version.Bytes() { // which has been trimmed
			i.store = newStore()
			i.index.drop()
		}
		i.store.CopyFrom(version)
		rows = len(version.Nodes.Hot) + len(version.Packets.Bounds)
	} else {
		i.store.Patch(version, i.lacks.nodes.Words(), i.lacks.packets.Words(), i.lacks.boxes.Words())
		rows = i.lacks.nodes.Len() + i.lacks.boxes.Len()
	}
	i.lacks.clear()
	return rows
}

// claim takes an instance that nobody can hold out of the pool: of the free ones
// the latest, which lacks least, or a new one.
func (s *Publisher) claim() *instance {
	for {
		best := -1
		for k, i := range s.pool {
			if i.holds.Load() == 0 && (best < 0 || i.turn > s.pool[best].turn) {
				best = k
			}
		}
		if best < 0 {
			return newInstance()
		}
		if i := s.pool[best]; i.holds.CompareAndSwap(0, claimed) {
			s.pool = slices.Delete(s.pool, best, best+1)
			return i
		}
	}
}

// trim drops instances that have been free for long. They stay claimed: no
// reader that comes late can hold one.
func (s *Publisher) trim() {
	s.pool = slices.DeleteFunc(s.pool, func(i *instance) bool {
		return i.turn+idleTurns <= s.turns && i.holds.CompareAndSwap(0, claimed)
	})
}

// giveBack drops the instances that nobody holds.
func (s *Publisher) giveBack() {
	s.own.store = s.tree.store
	s.own.index.drop()
	s.lists.Store(nil)
	s.pool = slices.DeleteFunc(s.pool, func(i *instance) bool { return i.holds.CompareAndSwap(0, claimed) })
}

// count adds the versions to the statistics. Readers come and go meanwhile.
func (s *Publisher) count(st *Stats) {
	st.Patched = s.patched
	if l := s.lists.Load(); l != nil {
		st.Scratch += l.bytes()
	}
	now := s.now.Load()
	for _, i := range s.pool {
		bytes := i.store.Bytes() + int(i.index.bytes.Load())
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
