package octree

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// referencePacket returns the packet into which a box with a key is inserted: packetFor in the plainest form. Down to
// a cell the key selects the last child that begins at or below it, or the first child. Below, the box selects the
// child that grows least, the smallest of several, and of these the first.
func referencePacket(s *soa.Store, key uint64, box *soa.AABB) (slot uint32) {
	ref, inCell := soa.Ref(0), false // the root
	for !ref.IsPacket() {
		node := ref.Index()
		n, best := &s.Nodes.Hot[node], 0
		inCell = inCell || IsCell(s, node)
		for l := 1; l < int(s.Nodes.Used[node]); l++ {
			a, b := LaneBox(n, best), LaneBox(n, l)
			if inCell && cmp.Or(cmp.Compare(growth(&b, box), growth(&a, box)), cmp.Compare(lengths(&b), lengths(&a))) < 0 ||
				!inCell && s.Nodes.Keys[node][l] <= key {
				best = l
			}
		}
		ref = n.Child[best]
	}
	return ref.Index()
}

// lengths returns the sum of the lengths of the sides of a box.
func lengths(b *soa.AABB) (sum float32) {
	for a := range 3 {
		sum += b.Max[a] - b.Min[a]
	}
	return sum
}

// referenceSplit splits objects at grid coordinates as cutter.halve does: the lower part are the first objects in the
// order on the axis of the largest span. It returns their indices, in both parts in the former order.
func referenceSplit(at [][3]uint32, lower int) (order []int) {
	var spans [3]uint32
	for a := range spans {
		on := func(p, q [3]uint32) int { return cmp.Compare(p[a], q[a]) }
		spans[a] = slices.MaxFunc(at, on)[a] - slices.MinFunc(at, on)[a]
	}
	axis := slices.Index(spans[:], max(spans[0], spans[1], spans[2]))
	for i := range at {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(at[i][axis], at[j][axis]) })
	slices.Sort(order[:lower])
	slices.Sort(order[lower:])
	return order
}

// referenceRefit returns the tight box of a node or packet, the union of the boxes below it, as [Tree.Refit] leaves it.
func referenceRefit(s *soa.Store, ref soa.Ref) soa.AABB {
	box, at := soa.Empty(), ref.Index()
	if ref.IsPacket() {
		for l := range int(s.Packets.Counts[at]) {
			box = box.Union(s.Packets.Box(at, l))
		}
		return box
	}
	for _, child := range s.Nodes.Hot[at].Child[:s.Nodes.Used[at]] {
		box = box.Union(referenceRefit(s, child))
	}
	return box
}
