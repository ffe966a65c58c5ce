package linear

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// HomeOf returns the packet slot that is the home of a key: where an object with
// that key ([Tree.Key]) is, or would be put. When objects equal in all 63 bits fill several
// packets they form a run of consecutive homes, whose intervals share the key,
// and Find returns the first. Pending objects have no home yet. ok is false
// when the tree has no packets.
//
// It reads one line per level: the first keys of the lanes of a node.
func (v View) HomeOf(key morton.Key) (slot uint32, ok bool) {
	s := v.Store()
	if len(s.Nodes.Hot) == 0 {
		return soa.None, false
	}
	k := uint64(key & morton.MaxKey)
	slot = homeOf(s, k)
	return slot, true
}

// homeOf returns the first packet whose interval holds the key.
func homeOf(s *soa.Store, key uint64) uint32 {
	// The last packet that begins before the key, or the first of all.
	ref := soa.Ref(0)
	for !ref.IsPacket() {
		node := ref.Index()
		keys := &s.Nodes.Keys[node]
		lane := 0
		for lane+1 < soa.Fan && keys[lane+1] < key {
			lane++
		}
		ref = s.Nodes.Hot[node].Child[lane]
	}
	slot := ref.Index()
	if key <= s.Packets.Keys[slot].High {
		return slot
	}
	next, ok := after(s, slot)
	if !ok {
		panic(fmt.Sprintf("linear: key %d is beyond the last packet, slot %d", key, slot))
	}
	return next
}

// lastHome returns the last packet whose interval holds the key: of a run of
// equal keys the one that grows.
func lastHome(s *soa.Store, key uint64) uint32 {
	ref := soa.Ref(0)
	for !ref.IsPacket() {
		ref = toward(s, ref, key)
	}
	return ref.Index()
}

// toward returns the child of a node that leads to lastHome of a key.
func toward(s *soa.Store, ref soa.Ref, key uint64) soa.Ref {
	node := ref.Index()
	// Keys ascend, so the last that is not above key is the one after so many
	// others. A count has no branch to guess wrong.
	lane := 0
	for _, first := range s.Nodes.Keys[node][1:] {
		if first <= key {
			lane++
		}
	}
	return s.Nodes.Hot[node].Child[lane&(soa.Fan-1)]
}

// lastHomes writes lastHome of each key, a level of the tree at a time: all its
// nodes come from memory together.
func lastHomes(s *soa.Store, homes []uint32, keys []uint64) {
	clear(homes)
	var nodes [batchStride]uint32
	for {
		n := 0
		for _, home := range homes {
			if ref := soa.Ref(home); !ref.IsPacket() {
				nodes[n] = ref.Index()
				n++
			}
		}
		if n == 0 {
			break
		}
		mem.Prefetch(s.Nodes.Keys, nodes[:n], 0)
		mem.Prefetch(s.Nodes.Hot, nodes[:n], 0)
		for j, home := range homes {
			if ref := soa.Ref(home); !ref.IsPacket() {
				homes[j] = uint32(toward(s, ref, keys[j]))
			}
		}
	}
	for j := range homes {
		homes[j] = soa.Ref(homes[j]).Index()
	}
}

// after returns the packet that follows one in the order of keys.
func after(s *soa.Store, slot uint32) (next uint32, ok bool) {
	up := s.Packets.Owner[slot]
	for up.Lane()+1 == int(s.Nodes.Used[up.Node()]) {
		if up = s.Nodes.Up[up.Node()]; up == soa.NoUp {
			return soa.None, false
		}
	}
	ref := s.Nodes.Hot[up.Node()].Child[up.Lane()+1]
	for !ref.IsPacket() {
		ref = s.Nodes.Hot[ref.Index()].Child[0]
	}
	return ref.Index(), true
}

// Cell describes one packet as a cell of an octree.
type Cell struct {
	Slot   uint32
	Prefix morton.Cell // longest common prefix of the keys whose home it is
	Depth  int         // nodes above the packet
	Box    soa.AABB    // the cell in space
	Tight  soa.AABB    // the union of the boxes in the packet, which may stick out
	Count  int         // objects
}

// Cells returns an iterator over the packets of the tree in the order of their
// keys, each under the longest common prefix of its key interval. Cells may
// nest and several packets may share one; the counts add up to the number of
// objects that are not pending. This is the tree as one draws an octree. Changing
// the tree during the iteration makes it panic.
func (t *Tree) Cells() iter.Seq[Cell] {
	v := t.View()
	return func(yield func(Cell) bool) {
		if len(v.Store().Nodes.Hot) > 0 {
			t.cells(v, 0, 1, yield)
		}
	}
}

func (t *Tree) cells(v View, node uint32, depth int, yield func(Cell) bool) bool {
	s := v.Store()
	n := &s.Nodes.Hot[node]
	for l := range s.Nodes.Used[node] {
		ref := n.Child[l]
		if !ref.IsPacket() {
			if !t.cells(v, ref.Index(), depth+1, yield) {
				return false
			}
			continue
		}
		slot := ref.Index()
		keys := s.Packets.Keys[slot]
		c := Cell{
			Slot:   slot,
			Prefix: morton.Common(morton.Key(keys.Low), morton.Key(keys.High|t.code.drop)),
			Depth:  depth,
			Tight:  laneBox(n, int(l)),
			Count:  int(s.Packets.Counts[slot]),
		}
		c.Box.Min, c.Box.Max = t.world.CellBox(c.Prefix)
		if !yield(c) {
			return false
		}
		v.Store() // panics if the tree has changed
	}
	return true
}

// laneBox returns the tight box of a lane.
func laneBox(n *soa.Node, l int) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = n.Bounds[2*a][l], n.Bounds[2*a+1][l]
	}
	return b
}
