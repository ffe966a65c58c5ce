package query

import (
	"github.com/zoctree/zoctree/linear"
)

// Heat counts how often queries visit each node and each packet of a tree: a
// picture of where their work is. Make one with [NewHeat] and hand it to Explain
// of the queries, as often as wanted.
//
// The sums of both columns are those of the fields Nodes and Packets of what
// Explain returns. The indices are those of [linear.View.Store]. A Heat belongs to
// one goroutine at a time.
type Heat struct {
	Nodes []uint32 // visits by node
	Slots []uint32 // visits by packet slot
}

// NewHeat returns counts of zero for the tree of a view. They fit its other
// views until the tree changes.
func NewHeat(v linear.View) *Heat {
	s := v.Store()
	return &Heat{make([]uint32, len(s.Nodes.Hot)), make([]uint32, len(s.Packets.Counts))}
}
