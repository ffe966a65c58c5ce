package linear

import (
	"fmt"
	"sync"
	"sync/atomic"
)

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

func (*noCopy) Lock() {}

func (*noCopy) Unlock() {}

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
