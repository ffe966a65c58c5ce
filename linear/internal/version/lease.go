package version

import (
	"fmt"
	"sync"
)

// Lease is a version that a reader holds, and the validity of the views taken from it.
type Lease[T any] struct {
	_        noCopy
	of       *T      // nil: released
	Validity *uint64 // number of releases of the leases that used this counter
	At       uint64
}

// LeaseOf returns the lease of a version that has been acquired.
func LeaseOf[T any](of *T) Lease[T] {
	validity := validities.Get().(*uint64)
	return Lease[T]{of: of, Validity: validity, At: *validity}
}

// Get returns the version, for the named method. It panics if the lease, or a copy of it, has ended.
func (l *Lease[T]) Get(what string) *T {
	if l.of == nil || *l.Validity != l.At {
		NotHeld(what)
	}
	return l.of
}

// End invalidates the views, and returns the version, which the caller releases.
func (l *Lease[T]) End(what string) *T {
	of := l.Get(what)
	l.of = nil
	*l.Validity++
	validities.Put(l.Validity)
	return of
}

// NotHeld panics for the named method of a version that is not held.
func NotHeld(what string) {
	panic(fmt.Sprintf("linear: %s of a version that has been released, or was never acquired", what))
}

// validities is a pool of validity counters. A counter is reused after its holder has released: it has
// been incremented, so that former views are stale for good.
var validities = sync.Pool{New: func() any { return new(uint64) }}

// noCopy implements sync.Locker, so that go vet reports copies.
type noCopy struct{}

func (*noCopy) Lock() {}

func (*noCopy) Unlock() {}
