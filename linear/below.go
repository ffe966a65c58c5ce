package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Nodes count the objects below them, so that a query that only counts need not go
// down. Where objects come or go the count is unknown until the next refit, all the
// way up to the root: below a node that knows its count, all nodes know theirs.

// uncount makes the counts of a node and of those above it unknown.
func (t *Tree) uncount(node uint32) {
	n := &t.store.Nodes
	for n.Below[node] != soa.None {
		n.Below[node] = soa.None
		t.touchNode(node)
		up := n.Up[node]
		if up == soa.None {
			return
		}
		node = up >> 3
	}
}

// counted reports whether all nodes know their counts.
func (t *Tree) counted() bool {
	n := &t.store.Nodes
	return len(n.Below) == 0 || n.Below[0] != soa.None
}

// recount returns the number of objects below a node, and makes it known.
func (t *Tree) recount(node uint32) (k uint32) {
	s := t.store
	if k = s.Nodes.Below[node]; k != soa.None {
		return k
	}
	k = 0
	for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Lanes[node]] {
		if at := ref & asm.RefIndex; ref&asm.RefPacket != 0 {
			k += uint32(s.Packets.Counts[at])
		} else {
			k += t.recount(at)
		}
	}
	s.Nodes.Below[node] = k
	t.touchNode(node)
	return k
}
