package octree

import (
	"sync/atomic"

	"github.com/zoctree/zoctree/soa"
)

var sources atomic.Uint64

// NextSource returns a number that no other stamp source and no published version has.
func NextSource() uint64 { return sources.Add(1) }

// NewStore returns the store of a new tree.
func NewStore() *soa.Store { return &soa.Store{Tree: NextSource()} }
