package octree

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Region selects objects for removal: those whose boxes intersect a closed box or ball, or with Outside all others, and
// which a filter keeps. The kernels of the queries test the boxes, so that a removal and a query select the same
// objects on every CPU.
type Region struct {
	Box     cull.Box
	Sphere  cull.Sphere
	Ball    bool // the volume is Sphere, not Box
	Outside bool
	Mask    uint32
	Flags   soa.Ref
}

// search finds the objects of a region. It is reused from call to call.
type search struct {
	region Region
	volume cull.Volume
	lists  asm.VolumeWalk
	hits   []asm.Range
	boxes  [4]soa.Packet // of objects in no packet

	whole   []soa.Ref   // disjoint subtrees whose objects are all selected: nodes and packets
	some    []asm.Range // selected lanes of other packets, each with RangeHit
	pending []asm.Range // selected lanes of pending packets, in the order of the pending list
	records []uint32    // indices of selected records
	below   []uint32    // stack of a descent
	parents []uint32    // nodes that have lost a lane
	gone    bitset.Set  // selected objects
}

// bytes returns the memory of the lists in bytes.
func (x *search) bytes() int {
	if x == nil {
		return 0
	}
	return mem.Bytes(x.lists.Queue) + mem.Bytes(x.lists.Packets) + mem.Bytes(x.lists.Inside) + mem.Bytes(x.hits) + mem.Bytes(x.whole) +
		mem.Bytes(x.some) + mem.Bytes(x.pending) + mem.Bytes(x.records) + mem.Bytes(x.below) + mem.Bytes(x.parents) + mem.Bytes(x.gone.Words())
}

// set prepares the volume of a region for the kernels.
func (x *search) set(r *Region) {
	x.region = *r
	x.volume.Shape, x.volume.Box = cull.ShapeBox, r.Box
	if r.Ball {
		x.volume.Shape, x.volume.Sphere = cull.ShapeSphere, r.Sphere
	}
}

// nodeFilter and laneFilter return the filter in the forms of the kernels.
func (x *search) nodeFilter() asm.NodeFilter {
	return asm.NodeFilter{Mask: x.region.Mask, Flags: x.region.Flags}
}

func (x *search) laneFilter() cull.LaneFilter {
	return cull.LaneFilter{Mask: x.region.Mask, Flags: x.region.Flags}
}

// Selects reports whether a region selects an object.
func (t *Tree) Selects(r *Region, o *soa.Object) bool {
	x := t.regionSearch()
	x.set(r)
	objects := [1]soa.Object{*o}
	x.records = x.records[:0]
	x.test(0, objects[:])
	return len(x.records) > 0
}

// test adds the indices of the selected ones of up to 64 records, given the index of the first, to the list.
func (x *search) test(first int, objects []soa.Object) {
	packets := (len(objects) + soa.Lanes - 1) / soa.Lanes
	x.boxes[packets-1] = soa.EmptyNode.Bounds
	for i := range objects {
		k, l, box := i/soa.Lanes, i%soa.Lanes, &objects[i].Box
		for a := range 3 {
			x.boxes[k][2*a][l], x.boxes[k][2*a+1][l] = box.Min[a], box.Max[a]
		}
	}
	x.hits = x.volume.Scan(x.hits[:0], x.boxes[:], 0, packets)
	selected := uint64(0)
	for _, r := range x.hits {
		selected |= uint64(r.N&^asm.RangeHit) << (soa.Lanes * r.First)
	}
	if x.region.Outside {
		selected = ^selected
	}
	selected &= 1<<len(objects) - 1
	for ; selected != 0; selected &= selected - 1 {
		i := bits.TrailingZeros64(selected)
		if x.keeps(&objects[i]) {
			x.records = append(x.records, uint32(first+i))
		}
	}
}

// keeps reports whether the filter keeps an object.
func (x *search) keeps(o *soa.Object) bool {
	flag := soa.RefMoving
	if o.Static {
		flag = soa.RefStatic
	}
	return (x.region.Mask == 0 || o.Mask&x.region.Mask != 0) && x.region.Flags&flag != 0
}

// findRecords lists the selected records, and adds their IDs to the set.
func (x *search) findRecords(objects []soa.Object, ids []uint32) {
	const most = len(x.boxes) * soa.Lanes
	for i := 0; i < len(objects); i += most {
		if some := objects[i:min(i+most, len(objects))]; !x.selectsNone(some) {
			x.test(i, some)
		}
	}
	for _, i := range x.records {
		x.gone.Add(ids[i])
	}
}

// selectsNone reports whether a region of a box selects none of some objects because of the union of their boxes.
func (x *search) selectsNone(objects []soa.Object) bool {
	if x.region.Ball {
		return false
	}
	_, union, _ := build.Survey(soa.Words(objects), 8, len(objects))
	inside := true
	for a := 0; a < len(union); a += 2 {
		least, most := x.region.Box[a], x.region.Box[a+1]
		if union[a+1] < least || union[a] > most {
			return !x.region.Outside // none intersects the box
		}
		inside = inside && union[a] >= least && union[a+1] <= most
	}
	return inside && x.region.Outside
}

// regionSearch returns the search of the tree.
func (t *Tree) regionSearch() *search {
	sc := t.Buffers()
	if sc.search == nil {
		sc.search = new(search)
	}
	return sc.search
}

// find lists the objects of a region in the packets of a tree without deferred removals and moves.
func (x *search) find(s *soa.Store) {
	x.whole, x.some, x.pending, x.records = x.whole[:0], x.some[:0], x.pending[:0], x.records[:0]
	p := &s.Packets
	if len(s.Nodes.Hot) > 0 {
		filter := x.nodeFilter()
		for x.lists.Reset(0); !x.lists.Done(); {
			x.volume.Nodes(&x.lists, s.Nodes.Hot, &filter)
		}
		if x.region.Outside {
			x.findOutside(s)
		} else {
			for _, ref := range x.lists.Inside {
				x.subtree(s, ref)
			}
		}
		x.some = x.packets(x.some, p, x.lists.Packets)
	}
	x.pending = x.packets(x.pending, p, s.Pending)
}

// findOutside lists the subtrees outside the volume: the children that the kernel has put into none of its three lists,
// which are in the order of the nodes visited, and then of their lanes.
func (x *search) findOutside(s *soa.Store) {
	nodes, packets, inside := x.lists.Queue[1:], x.lists.Packets, x.lists.Inside
	filter := x.nodeFilter()
	for _, node := range x.lists.Queue {
		n := &s.Nodes.Hot[node]
		for l, ref := range n.Child[:s.Nodes.Used[node]] {
			if ref&filter.Flags == 0 || filter.Mask != 0 && n.Mask[l]&filter.Mask == 0 {
				continue
			}
			switch at := ref & (soa.RefPacket | soa.RefIndex); {
			case len(inside) > 0 && inside[0]&(soa.RefPacket|soa.RefIndex) == at:
				inside = inside[1:]
			case ref.IsPacket() && len(packets) > 0 && packets[0] == ref.Index():
				packets = packets[1:]
			case !ref.IsPacket() && len(nodes) > 0 && nodes[0] == ref.Index():
				nodes = nodes[1:]
			default:
				x.subtree(s, at)
			}
		}
	}
}

// subtree lists the objects of a subtree that the filter keeps: the subtree as a whole if it keeps all.
func (x *search) subtree(s *soa.Store, ref soa.Ref) {
	if x.region.Mask == 0 && flagsAbove(s, ref)&^x.region.Flags == 0 {
		x.whole = append(x.whole, ref)
		return
	}
	f := x.laneFilter()
	x.eachPacket(s, ref, func(slot uint32) {
		if lanes := f.Kept(&s.Packets, slot, 1<<soa.Lanes-1); lanes != 0 {
			x.some = append(x.some, asm.Range{First: slot, N: asm.RangeHit | lanes})
		}
	})
}

// flagsAbove returns the flags of the lane that refers to a subtree.
func flagsAbove(s *soa.Store, ref soa.Ref) soa.Ref {
	up := s.Nodes.Parents
	if ref.IsPacket() {
		up = s.Packets.Parents
	}
	at := up[ref.Index()]
	return s.Nodes.Hot[at.Node()].Child[at.Lane()].Flags()
}

// eachPacket calls f with the packets of a subtree.
func (x *search) eachPacket(s *soa.Store, ref soa.Ref, f func(slot uint32)) {
	if ref.IsPacket() {
		f(ref.Index())
		return
	}
	x.below = append(x.below[:0], ref.Index())
	for len(x.below) > 0 {
		node := x.below[len(x.below)-1]
		x.below = x.below[:len(x.below)-1]
		for _, child := range s.Nodes.Hot[node].Child[:s.Nodes.Used[node]] {
			if child.IsPacket() {
				f(child.Index())
			} else {
				x.below = append(x.below, child.Index())
			}
		}
	}
}

// packets appends the selected lanes of the listed slots.
func (x *search) packets(out []asm.Range, p *soa.PacketColumns, slots []uint32) []asm.Range {
	x.hits = x.volume.Packets(x.hits[:0], p.Bounds, slots)
	f, hits := x.laneFilter(), x.hits
	for _, slot := range slots {
		lanes := uint32(0)
		if len(hits) > 0 && hits[0].First == slot {
			lanes, hits = hits[0].N&^asm.RangeHit, hits[1:]
		}
		if x.region.Outside {
			lanes ^= 1<<soa.Lanes - 1
		}
		if lanes = f.Kept(p, slot, lanes); lanes != 0 {
			out = append(out, asm.Range{First: slot, N: asm.RangeHit | lanes})
		}
	}
	return out
}

// collect adds the IDs of all listed objects to the set.
func (x *search) collect(s *soa.Store) {
	p := &s.Packets
	x.gone.Clear()
	for _, ref := range x.whole {
		x.eachPacket(s, ref, func(slot uint32) {
			for _, id := range p.IDs[slot][:p.Counts[slot]] {
				x.gone.Add(id)
			}
		})
	}
	for _, list := range [...][]asm.Range{x.some, x.pending} {
		for _, r := range list {
			ids := &p.IDs[r.First]
			for lanes := r.N &^ asm.RangeHit; lanes != 0; lanes &= lanes - 1 {
				x.gone.Add(ids[bits.TrailingZeros32(lanes)&(soa.Lanes-1)])
			}
		}
	}
}
