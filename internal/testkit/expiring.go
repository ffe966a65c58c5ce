package testkit

import (
	"context"
	"sync/atomic"
)

// Expiring is a context that is cancelled once it has been looked at a number of
// times.
type Expiring struct {
	context.Context
	left atomic.Int64
}

// ExpireAfter returns a context that holds for n looks.
func ExpireAfter(n int) *Expiring {
	e := &Expiring{Context: context.Background()}
	e.left.Store(int64(n))
	return e
}

// Err is a look.
func (e *Expiring) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
