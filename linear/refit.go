package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Refit shrinks the tight boxes, masks and flags that changes have left too
// large: it looks at the packets that changed, in the order of memory, and at
// the nodes above them, lowest first. Boxes are exact afterwards. It costs
// nothing when nothing changed; otherwise it ends the life of all views: an
// iteration that goes on panics.
func (t *Tree) Refit() {
	if t.exact() {
		return
	}
	defer phase.Enter(phase.Refit).Leave()
	t.change()
	s := t.store
	sc := &t.scratch
	sc.list = t.dirty.take(sc.list[:0])
	// What has been freed or is pending by now has no lane to refit.
	kept := sc.list[:0]
	for _, slot := range sc.list {
		if s.Packets.Owner[slot] != soa.None {
			kept = append(kept, slot)
		}
	}
	sc.list = kept
	asm.ReducePackets(t.columns(), sc.list)

	// Mark the nodes above, a set for each height.
	for _, slot := range sc.list {
		node := s.Packets.Owner[slot] >> 3
		t.mark(node)
	}
	t.work.RefitPackets += len(sc.list)
	for h := 0; h < len(t.tall); h++ {
		sc.list = t.tall[h].take(sc.list[:0])
		kept := sc.list[:0]
		for _, node := range sc.list {
			// Not the root, nor what has been freed since it was marked.
			if n := &s.Nodes; n.Up[node] != soa.None && n.Lanes[node] != 0 && int(n.Height[node]) == h {
				kept = append(kept, node)
			}
		}
		asm.ReduceNodes(s.Nodes.Hot, s.Nodes.Up, kept)
		for _, node := range kept {
			t.mark(s.Nodes.Up[node] >> 3)
		}
		t.work.RefitNodes += len(kept)
	}
}

// exact reports whether all boxes, masks and flags are exact.
func (t *Tree) exact() bool {
	marks := t.dirty.n
	for i := range t.tall {
		marks += t.tall[i].n
	}
	return marks == 0
}

// mark puts a node into the set of its height. Its lanes change.
func (t *Tree) mark(node uint32) {
	h := int(t.store.Nodes.Height[node])
	for h >= len(t.tall) {
		t.tall = append(t.tall, bitset{})
	}
	t.tall[h].add(node)
	t.touchNode(node)
}

// columns returns the columns as the fill kernels take them.
func (t *Tree) columns() *asm.Columns {
	p := &t.store.Packets
	t.out = asm.Columns{
		Packets: p.Bounds, IDs: p.IDs, Masks: p.Masks, Moving: p.Moving, Counts: p.Counts,
		Owner: p.Owner, Nodes: t.store.Nodes.Hot,
	}
	return &t.out
}
