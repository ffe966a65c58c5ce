package version

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Lease is the validity of a holder and of the views taken from it.
type Lease struct {
	Validity *uint64 // number of releases of the holders that used this counter
	At       uint64
}

// NewLease returns the lease of a new holder.
func NewLease() Lease {
	life := validities.Get().(*uint64)
	return Lease{life, *life}
}

// Over reports whether the holder, or a copy of it, has released.
func (l *Lease) Over() bool { return *l.Validity != l.At }

// End invalidates the views.
func (l *Lease) End() {
	*l.Validity++
	validities.Put(l.Validity)
}

// validities is a pool of validity counters. A counter is reused after its holder has released: it has
// been incremented, so that former views are stale for good.
var validities = sync.Pool{New: func() any { return new(uint64) }}

// NoCopy implements sync.Locker, so that go vet reports copies.
type NoCopy struct{}

func (*NoCopy) Lock() {}

func (*NoCopy) Unlock() {}

// Hold adds a holder to a version that was just loaded, and reports whether it is still the
// published one. If so, it is complete, and the publisher holds it too, so the writer cannot claim
// it before the release.
func Hold[T any](now *atomic.Pointer[T], v *T, holds *atomic.Int64) bool {
	holds.Add(1)
	if now.Load() == v {
		return true
	}
	holds.Add(-1)
	return false
}

// Release removes a holder.
func Release(holds *atomic.Int64) {
	if n := holds.Add(-1); n < 0 {
		panic(fmt.Sprintf("linear: a version was released more often than acquired: its count is %d", n))
	}
}
