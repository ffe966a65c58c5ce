package linear

import (
	"sync/atomic"

	"github.com/zoctree/zoctree/soa"
)

var sources atomic.Uint64

// nextSource returns a number that no other stamp source and no published version has.
func nextSource() uint64 { return sources.Add(1) }

// newStore returns the store of a new tree.
func newStore() *soa.Store { return &soa.Store{Tree: nextSource()} }
