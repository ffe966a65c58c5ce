package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// refit is [Tree.Refit] without deferred changes.
func (t *Tree) refit() {
	if t.exact() && (t.store.Counted || len(t.store.Nodes.Hot) == 0) {
		return
	}
	defer phase.Enter(phase.Refit).Leave()
	t.beginChange()
	s := t.store
	n := &s.Nodes
	var some bitset.Some
	// Packets first, then the nodes above them, a set for each height.
	for from := 0; t.dirty.Len() > 0; {
		list := t.dirty.Take(&some, &from)
		kept := list[:0]
		for _, slot := range list {
			// A slot that is free or pending by now has no lane to refit.
			if s.Packets.Parents[slot] != soa.NoParent {
				kept = append(kept, slot)
			}
		}
		asm.ReducePackets(&s.Packets, n.Hot, kept)
		for _, slot := range kept {
			t.refitLater(s.Packets.Parents[slot].Node())
		}
		t.work.RefitPackets += len(kept)
	}
	for h := 0; h < len(t.refitByHeight); h++ {
		for from := 0; t.refitByHeight[h].Len() > 0; {
			list := t.refitByHeight[h].Take(&some, &from)
			kept := list[:0]
			for _, node := range list {
				// Skip the root, and nodes that have been freed since they were marked.
				if n.Parents[node] != soa.NoParent && n.Used[node] != 0 && int(n.Height[node]) == h {
					kept = append(kept, node)
				}
			}
			asm.ReduceNodes(n.Hot, n.Parents, kept)
			for _, node := range kept {
				if h == 0 && !t.bulkMotion && !t.degraded.Has(node) && t.isDegraded(node) {
					t.degraded.Add(node)
				} else if h > 0 && !s.Counted {
					t.recount(node)
				}
				t.refitLater(n.Parents[node].Node())
			}
			t.work.RefitNodes += len(kept)
		}
	}
	if !s.Counted && len(n.Hot) > 0 {
		t.recount(0)
	}
	s.Counted = true
}

// exact reports whether all boxes, masks and flags are exact.
func (t *Tree) exact() bool {
	marks := t.dirty.Len()
	for i := range t.refitByHeight {
		marks += t.refitByHeight[i].Len()
	}
	return marks == 0
}

// refitLater adds a node, whose lanes change, to the set of its height.
func (t *Tree) refitLater(node uint32) {
	h := int(t.store.Nodes.Height[node])
	for h >= len(t.refitByHeight) {
		t.refitByHeight = append(t.refitByHeight, bitset.Set{})
	}
	t.refitByHeight[h].Add(node)
	t.touchNode(node)
}
