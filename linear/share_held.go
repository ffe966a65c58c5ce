package linear

import (
	"fmt"
	"sync"

	"github.com/zoctree/zoctree/morton"
)

// Held is a published version of a tree that a reader holds, from
// [Publisher.Acquire]. It belongs to one goroutine, which may give its View to
// others until it releases it. It must not be copied, which go vet checks.
type Held struct {
	_    noCopy
	from *instance
	life *uint64 // counts releases by those who had this counter, for views
	at   uint64
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
// steady state, allocates nothing. The version stays as it is until [Held.Release], however
// often the writer publishes; until then it costs an instance of the tree, which
// [Tree.Stats] counts.
func (s *Publisher) Acquire() Held {
	for {
		if i := s.now.Load(); s.hold(i) {
			life := lives.Get().(*uint64)
			return Held{from: i, life: life, at: *life}
		}
	}
}

// hold holds an instance that was the published one a moment ago; false if it
// is no longer. If it still is, it is complete, and the publisher holds it, too, so that
// nobody can claim it until the release.
func (s *Publisher) hold(i *instance) bool {
	i.holds.Add(1)
	if s.now.Load() == i {
		return true
	}
	i.holds.Add(-1)
	return false
}

// View returns the view of the version that is held, which every query takes. It
// is valid until the release, and for any number of goroutines. It panics after
// the release.
func (h *Held) View() View {
	i := h.held("View")
	return View{i.store, h.life, h.at, &i.index}
}

// World returns the cube that the keys of the version resolve: what gives
// [View.HomeOf] its keys. It panics after the release.
func (h *Held) World() morton.World { return h.held("World").world }

// Release gives the version back. Its views end: using them later panics. A query
// that goes on meanwhile may see what the writer writes. A second release panics.
func (h *Held) Release() {
	i := h.held("Release")
	h.from = nil
	*h.life++
	lives.Put(h.life)
	if n := i.holds.Add(-1); n < 0 {
		panic(fmt.Sprintf("linear: a version was released more often than acquired: %d hold it", n))
	}
}

func (h *Held) held(what string) *instance {
	if h.from == nil || *h.life != h.at { // a copy may have released it
		panic(fmt.Sprintf("linear: %s of a version that is not held: it has been released, or never acquired", what))
	}
	return h.from
}
