package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Refit is linear.Tree.Refit without deferred moves.
func (t *Tree) Refit() {
	if t.exact() && (t.Store.Counted || len(t.Store.Nodes.Hot) == 0) {
		return
	}
	defer phase.Enter(phase.Refit).Leave()
	t.BeginChange()
	s := t.Store
	n := &s.Nodes
	var some bitset.Some
	// Packets first, then the nodes above them, a set for each height.
	for from := 0; t.Dirty.Len() > 0; {
		list := t.Dirty.Take(&some, &from)
		kept := list[:0]
		for _, slot := range list {
			// A slot that is free or pending by now has no lane to refit.
			if up := s.Packets.Parents[slot]; up != soa.NoParent {
				kept = append(kept, slot)
				t.refitLaterIf(up.Node(), 1)
			}
		}
		build.ReducePackets(&s.Packets, n.Hot, kept)
		t.Work.RefitPackets += len(kept)
	}
	for h := 0; h < len(t.RefitByHeight); h++ {
		for from := 0; t.RefitByHeight[h].Len() > 0; {
			list := t.RefitByHeight[h].Take(&some, &from)
			kept := list[:0]
			for _, node := range list {
				// Skip the root, and nodes that have been freed since they were marked.
				if n.Parents[node] != soa.NoParent && n.Used[node] != 0 && int(n.Height[node]) == h {
					kept = append(kept, node)
				}
			}
			build.ReduceNodes(n.Hot, n.Parents, kept)
			for _, node := range kept {
				if h == 0 && !t.BulkMotion && !t.Degraded.Has(node) && t.isDegraded(node) {
					t.Degraded.Add(node)
				} else if h > 0 && !s.Counted {
					t.recount(node)
				}
				t.refitLater(n.Parents[node].Node())
			}
			t.Work.RefitNodes += len(kept)
		}
	}
	if !s.Counted && len(n.Hot) > 0 {
		t.recount(0)
	}
	s.Counted = true
}

// exact reports whether all boxes, masks and flags are exact.
func (t *Tree) exact() bool {
	marks := t.Dirty.Len()
	for i := range t.RefitByHeight {
		marks += t.RefitByHeight[i].Len()
	}
	return marks == 0
}

// refitLater adds a node, whose lanes change, to the set of its height.
func (t *Tree) refitLater(node uint32) {
	h := int(t.Store.Nodes.Height[node])
	for h >= len(t.RefitByHeight) {
		t.RefitByHeight = append(t.RefitByHeight, bitset.Set{})
	}
	t.RefitByHeight[h].Add(node)
	t.touchNode(node)
}

// refitLaterIf is refitLater for a node of packets whose lanes may only grow if bit is 0, and not if it is 1.
func (t *Tree) refitLaterIf(node, bit uint32) {
	if len(t.RefitByHeight) == 0 {
		t.RefitByHeight = append(t.RefitByHeight, bitset.Set{})
	}
	t.RefitByHeight[0].AddIf(node, bit)
	t.touchNode(node)
}
