package octree

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// SlotsBelowNode returns the smallest span of the packets of a subtree.
func SlotsBelowNode(s *soa.Store, node uint32) soa.Span {
	span := s.Nodes.Slots[node]
	if span.End != 0 && s.Nodes.Height[node] > 0 {
		return span
	}
	span = soa.Span{First: soa.None}
	for _, ref := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
		below := soa.Span{First: ref.Index(), End: ref.Index() + 1}
		if !ref.IsPacket() {
			below = SlotsBelowNode(s, ref.Index())
		}
		span.First, span.End = min(span.First, below.First), max(span.End, below.End)
	}
	return span
}

// IsCell reports whether a node is a cell.
func IsCell(s *soa.Store, node uint32) bool { return s.Nodes.Cells[node] != soa.NoSpan }

// LastCell returns the last cell whose interval contains the key: of a run of equal keys the one that grows.
func LastCell(s *soa.Store, key uint64) (node uint32) {
	for !IsCell(s, node) {
		node = toward(s, node, key)
	}
	return node
}

// toward returns the child of a node above cells that leads to LastCell of a key.
func toward(s *soa.Store, node uint32, key uint64) uint32 {
	return s.Nodes.Hot[node].Child[laneOf(&s.Nodes.Keys[node], key)].Index()
}

// laneOf returns the last lane whose first key is not above a key, or lane 0. It is branch-free.
func laneOf(keys *[soa.Fan]uint64, key uint64) (lane int) {
	for step := soa.Fan / 2; step > 0; step /= 2 {
		if keys[(lane+step)&(soa.Fan-1)] <= key {
			lane += step
		}
	}
	return lane & (soa.Fan - 1)
}

// A trail is the path from the root to a cell. For a key that is not below the last one it ascends only as far as
// necessary. It is valid until a cell is split or merged.
type trail struct {
	nodes [8]uint32 // from the root on, without the last ones of a longer path
	ends  [8]uint64 // keys below a node are less
	last  int
}

// newTrail returns a trail at the root.
func newTrail() trail { return trail{ends: [8]uint64{soa.NoKey}} }

// cell returns LastCell of a key that is not below the last one. It is that of all keys from this one to end-1.
func (w *trail) cell(s *soa.Store, key uint64) (node uint32, end uint64) {
	for key >= w.ends[w.last] {
		w.last--
	}
	node, end = w.nodes[w.last], w.ends[w.last]
	for !IsCell(s, node) {
		keys := &s.Nodes.Keys[node]
		lane := laneOf(keys, key)
		if lane+1 < soa.Fan {
			end = min(end, keys[lane+1])
		}
		node = s.Nodes.Hot[node].Child[lane].Index()
		if w.last+1 < len(w.nodes) {
			w.last++
			w.nodes[w.last], w.ends[w.last] = node, end
		}
	}
	return node, end
}

// packetFor returns the packet in which a box with that key is inserted. In the cell of the key it descends from node
// to node to the lane that grows least ([build.ChooseSubtree]).
func packetFor(s *soa.Store, key uint64, box *soa.AABB) (slot uint32) {
	return packetBelow(s, LastCell(s, key), box)
}

// packetBelow is packetFor from a cell on.
func packetBelow(s *soa.Store, cell uint32, box *soa.AABB) (slot uint32) {
	ref := [1]soa.Ref{soa.Ref(cell)}
	for !ref[0].IsPacket() {
		build.ChooseSubtree(ref[:], s.Nodes.Hot, unsafe.Slice(box, 1))
	}
	return ref[0].Index()
}

// packetNear is packetFor with a hint: a slot that has been in that cell. If it still is, the search for the cell is
// skipped.
func packetNear(s *soa.Store, slot uint32, key uint64, box *soa.AABB) uint32 {
	if up := s.Packets.Parents[slot]; up != soa.NoParent {
		// Another cell may begin at the last key of a cell.
		if cell := s.Nodes.Cells[up.Node()]; cell.Low <= key && key < cell.High {
			return packetBelow(s, up.Node(), box)
		}
	}
	return packetFor(s, key, box)
}

// growth is the measure that [build.ChooseSubtree] compares, for one box.
func growth(b, box *soa.AABB) (sum float32) {
	for a := range 3 {
		sum += max(b.Min[a]-box.Min[a], 0) + max(box.Max[a]-b.Max[a], 0)
	}
	return sum
}

// descendToPackets advances references from nodes in cells to packets, one level of the tree at a time, and prefetches
// all nodes of a level together.
func descendToPackets(s *soa.Store, refs []soa.Ref, boxes []soa.AABB) {
	for {
		build.ChooseSubtree(refs, s.Nodes.Hot, boxes)
		var room [BatchStride]uint32
		nodes := room[:0]
		for _, ref := range refs {
			if !ref.IsPacket() {
				nodes = append(nodes, ref.Index())
			}
		}
		if len(nodes) == 0 {
			return
		}
		mem.Prefetch(s.Nodes.Hot, nodes, 0)
	}
}

// EachPacketBelow calls f with the lanes of the packets of a subtree, whose lanes are at a depth, until it returns
// false.
func EachPacketBelow(s *soa.Store, node uint32, depth int, f func(depth int, node *soa.Node, lane int) bool) bool {
	n := &s.Nodes.Hot[node]
	for l, ref := range n.Child[:s.Nodes.Used[node]] {
		if !ref.IsPacket() {
			if !EachPacketBelow(s, ref.Index(), depth+1, f) {
				return false
			}
		} else if !f(depth, n, l) {
			return false
		}
	}
	return true
}

// LaneBox returns the tight box of a lane.
func LaneBox(n *soa.Node, l int) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = n.Bounds[2*a][l], n.Bounds[2*a+1][l]
	}
	return b
}
