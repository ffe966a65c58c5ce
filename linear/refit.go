package linear

import (
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/soa"
)

// Refit shrinks the tight boxes, masks and flags that changes have left too
// large, and counts the objects below nodes anew: it looks at the packets that changed, in the order of memory, and at
// the nodes above them, lowest first. Boxes are exact afterwards. It costs
// nothing when nothing changed; otherwise it ends the life of all views: an
// iteration that goes on panics.
func (t *Tree) Refit() {
	if t.exact() && t.counted() {
		return
	}
	defer phase.Enter(phase.Refit).Leave()
	t.change()
	s := t.store
	var some someMembers
	// Packets, and the nodes above them, a set for each height.
	for from := 0; t.dirty.n > 0; {
		// What has been freed or is pending by now has no lane to refit.
		list := t.dirty.take(&some, &from)
		list = slices.DeleteFunc(list, func(slot uint32) bool { return s.Packets.Owner[slot] == soa.None })
		asm.ReducePackets(t.columns(), list)
		for _, slot := range list {
			t.mark(s.Packets.Owner[slot] >> 3)
		}
		t.work.RefitPackets += len(list)
	}
	n := &s.Nodes
	for h := 0; h < len(t.tall); h++ {
		for from := 0; t.tall[h].n > 0; {
			// Not the root, nor what has been freed since it was marked.
			list := t.tall[h].take(&some, &from)
			list = slices.DeleteFunc(list, func(node uint32) bool {
				return n.Up[node] == soa.None || n.Lanes[node] == 0 || int(n.Height[node]) != h
			})
			asm.ReduceNodes(n.Hot, n.Up, list)
			for _, node := range list {
				t.mark(n.Up[node] >> 3)
			}
			t.work.RefitNodes += len(list)
		}
	}
	if !t.counted() {
		t.recount(0)
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
