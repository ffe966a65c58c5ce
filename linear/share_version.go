package linear

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/morton"
)

// Version is a published version of a tree that a reader holds, from [Publisher.Acquire]. It
// belongs to one goroutine, which may pass its View to others until it releases the version. It
// must not be copied, which go vet checks.
type Version struct {
	_    noCopy
	from *buffer
	lease
}

// lease is the validity of a holder and of the views taken from it.
type lease struct {
	validity *uint64 // number of releases of the holders that used this counter
	at       uint64
}

func newLease() lease {
	life := validities.Get().(*uint64)
	return lease{life, *life}
}

// over reports whether the holder, or a copy of it, has released.
func (l *lease) over() bool { return *l.validity != l.at }

// end invalidates the views.
func (l *lease) end() {
	*l.validity++
	validities.Put(l.validity)
}

// validities is a pool of validity counters. A counter is reused after its holder has released: it has
// been incremented, so that former views are stale for good.
var validities = sync.Pool{New: func() any { return new(uint64) }}

// noCopy implements sync.Locker, so that go vet reports copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Acquire returns the last published version. Any goroutine may call it. It takes a few atomic
// operations on one counter, never blocks and, in steady state, allocates nothing. The version does
// not change until [Version.Release], however often the writer publishes; until then it costs an
// buffer of the tree, which [Tree.Stats] counts.
func (s *Publisher) Acquire() Version {
	s.made()
	for {
		if i := s.now.Load(); s.hold(i) {
			return Version{from: i, lease: newLease()}
		}
	}
}

func (s *Publisher) hold(i *buffer) bool { return hold(&s.now, i, &i.holds) }

// hold adds a holder to a version that was just loaded, and reports whether it is still the
// published one. If so, it is complete, and the publisher holds it too, so the writer cannot claim
// it before the release.
func hold[T any](now *atomic.Pointer[T], v *T, holds *atomic.Int64) bool {
	holds.Add(1)
	if now.Load() == v {
		return true
	}
	holds.Add(-1)
	return false
}

// release removes a holder.
func release(holds *atomic.Int64) {
	if n := holds.Add(-1); n < 0 {
		panic(fmt.Sprintf("linear: a version was released more often than acquired: its count is %d", n))
	}
}

// View returns the view of the held version, for queries. It is valid until the release, and for
// any number of goroutines. It panics after the release.
func (h *Version) View() View {
	i := h.held("View")
	return View{i.store, h.validity, h.at, &i.index}
}

// World returns the cube of the keys of the version, as [View.CellOf] needs it. It panics after the
// release.
func (h *Version) World() morton.World { return h.held("World").world }

// Release returns the version to the publisher. Its views are invalidated: using them later panics.
// A query that is still running may read memory that the writer writes. A second release panics.
func (h *Version) Release() {
	i := h.held("Release")
	h.from = nil
	h.end()
	release(&i.holds)
}

func (h *Version) held(what string) *buffer {
	if h.from == nil || h.over() { // a copy may have released it
		notHeld(what)
	}
	return h.from
}

func notHeld(what string) {
	panic(fmt.Sprintf("linear: %s of a version that has been released, or was never acquired", what))
}
