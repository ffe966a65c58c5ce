package linear

// Nodes count the objects below them, so that a query that only counts need not go
// down. Those of packets do at once; a refit goes on from them up to the root, by
// the marks that it follows anyway.

// count adds an object to a node of packets, or takes it away.
func (t *Tree) count(node, by uint32) {
	t.store.Nodes.Below[node] += by
	t.store.Counted = false
	t.touchNode(node)
}

// recount makes the number of objects below a node the sum of its lanes.
func (t *Tree) recount(node uint32) {
	s := t.store
	k := uint32(0)
	for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
		if at := ref.Index(); ref.IsPacket() {
			k += uint32(s.Packets.Counts[at])
		} else {
			k += s.Nodes.Below[at]
		}
	}
	s.Nodes.Below[node] = k
	t.touchNode(node)
}

// regroup recounts a node whose lanes are others now, and leaves those above it to
// the refit.
func (t *Tree) regroup(node uint32) {
	t.recount(node)
	t.refitLater(node)
}
