package linear

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/morton"
)

// Version is a published version of a tree that a reader holds, from
// [Publisher.Acquire]. It belongs to one goroutine, which may give its View to
// others until it releases it. It must not be copied, which go vet checks.
type Version struct {
	_    noCopy
	from *instance
	lease
}

// lease is what a holder and the views that it takes have in common.
type lease struct {
	life *uint64 // counts releases by those who had this counter, for views
	at   uint64
}

func newLease() lease {
	life := lives.Get().(*uint64)
	return lease{life, *life}
}

// over reports whether the holder has released, or a copy of it.
func (l *lease) over() bool { return *l.life != l.at }

// end ends the views.
func (l *lease) end() {
	*l.life++
	lives.Put(l.life)
}

// lives are the counters of those who hold versions. One is given on when its
// holder has released: it has gone up, so that former views are stale for good.
var lives = sync.Pool{New: func() any { return new(uint64) }}

// noCopy looks like a lock to go vet.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Acquire returns the version that was published last. It can be called by any
// goroutine, takes a few atomic operations on one counter, never waits and, in
// steady state, allocates nothing. The version stays as it is until [Version.Release], however
// often the writer publishes; until then it costs an instance of the tree, which
// [Tree.Stats] counts.
func (s *Publisher) Acquire() Version {
	s.made()
	for {
		if i := s.now.Load(); s.hold(i) {
			return Version{from: i, lease: newLease()}
		}
	}
}

func (s *Publisher) hold(i *instance) bool { return hold(&s.now, i, &i.holds) }

// hold counts a holder of what was published a moment ago; false if it no longer is. If it
// still is, it is complete, and the publisher holds it, too, so that nobody can claim it until
// the release.
func hold[T any](now *atomic.Pointer[T], v *T, holds *atomic.Int64) bool {
	holds.Add(1)
	if now.Load() == v {
		return true
	}
	holds.Add(-1)
	return false
}

// release counts a holder less.
func release(holds *atomic.Int64) {
	if n := holds.Add(-1); n < 0 {
		panic(fmt.Sprintf("linear: a version was released more often than acquired: %d hold it", n))
	}
}

// View returns the view of the version that is held, which every query takes. It
// is valid until the release, and for any number of goroutines. It panics after
// the release.
func (h *Version) View() View {
	i := h.held("View")
	return View{i.store, h.life, h.at, &i.index}
}

// World returns the cube that the keys of the version resolve: what gives
// [View.CellOf] its keys. It panics after the release.
func (h *Version) World() morton.World { return h.held("World").world }

// Release gives the version back. Its views end: using them later panics. A query
// that goes on meanwhile may see what the writer writes. A second release panics.
func (h *Version) Release() {
	i := h.held("Release")
	h.from = nil
	h.end()
	release(&i.holds)
}

func (h *Version) held(what string) *instance {
	if h.from == nil || h.over() { // a copy may have released it
		notHeld(what)
	}
	return h.from
}

func notHeld(what string) {
	panic(fmt.Sprintf("linear: %s of a version that is not held: it has been released, or never acquired", what))
}
