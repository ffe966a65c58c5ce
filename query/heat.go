package query

import "github.com/zoctree/zoctree/linear"

// Heat is a heat map of a tree: counts of the visits of queries to each node and each packet. Make
// one with [NewHeat] and pass it to Explain of any number of queries.
//
// The sums of both columns are the fields Nodes and Packets of the results of Explain. The indices
// are as in [linear.View.Store]. A Heat may be used by one goroutine at a time.
type Heat struct {
	Nodes []uint32 // visits by node
	Slots []uint32 // visits by packet slot
}

// NewHeat returns counts of zero for the tree of a view. They fit other views of the tree until it
// changes. An Explain whose tree has more nodes or packets panics.
func NewHeat(v linear.View) *Heat {
	s := v.Store()
	return &Heat{make([]uint32, len(s.Nodes.Hot)), make([]uint32, len(s.Packets.Counts))}
}
