package testkit

import (
	"context"
	"sync/atomic"
)

// Expiring is a context that is canceled after a number of calls of Err.
type Expiring struct {
	context.Context
	left atomic.Int64
}

// ExpireAfter returns a context whose first n calls of Err return nil.
func ExpireAfter(n int) *Expiring {
	e := &Expiring{Context: context.Background()}
	e.left.Store(int64(n))
	return e
}

// Err returns nil for the first n calls, then context.Canceled.
func (e *Expiring) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
