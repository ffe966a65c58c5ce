package octree

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Removals from the lanes of packets.

// takeOut removes a live object from its lane. Afterwards it is in no packet.
func (t *Tree) takeOut(id, slot uint32, lane int) {
	t.lift(soa.MakeLocation(slot, lane), nil)
	t.IDs.Where[id] = unplacedLocation
}

// lift removes the object at a location: the last object of the packet moves there. gone are the locations of the
// removed objects that are being lifted, by the numbers in place of their IDs: lift updates them.
func (t *Tree) lift(at soa.Location, gone []soa.Location) {
	p := &t.Store.Packets
	slot, lane := at.Slot(), at.Lane()
	last := int(p.Counts[slot]) - 1
	if lane != last {
		p.Move(slot, lane, slot, last)
		id := p.IDs[slot][lane] // of no object at this location if it is a number of a removal
		if t.IDs.Alive(id) && t.IDs.Where[id] == soa.MakeLocation(slot, last) {
			t.IDs.Where[id] = at
		} else {
			gone[id] = at
		}
	}
	p.Drop(slot, last)
	t.touch(slot)
	t.Arrangement++
	if up := p.Parents[slot]; up != soa.NoParent {
		t.Dirty.Add(slot)
		t.Underfull.Add(up.Node())
		t.count(up.Node(), ^uint32(0))
		return
	}
	t.closeGap(slot)
}

// dropLanes removes the objects in some lanes of a packet of the tree, whose IDs have been freed. The last objects of
// the packet move to the gaps. Lanes beyond the last object are ignored.
func (t *Tree) dropLanes(slot, lanes uint32) {
	p := &t.Store.Packets
	count := int(p.Counts[slot])
	all := uint32(1)<<count - 1
	if lanes &= all; lanes == 0 {
		return
	}
	left := count - bits.OnesCount32(lanes)
	for end := count; left > 0 && lanes != 0; end-- {
		lane := bits.Len32(lanes) - 1 // all objects beyond it stay
		lanes &^= 1 << lane
		if lane != end-1 {
			p.Move(slot, lane, slot, end-1)
			t.IDs.Where[p.IDs[slot][lane]] = soa.MakeLocation(slot, lane)
		}
	}
	p.Drop(slot, left)
	t.touch(slot)
	t.Arrangement++
	node := p.Parents[slot].Node()
	t.Dirty.Add(slot)
	t.Underfull.Add(node)
	t.count(node, uint32(left-count))
}

// numberRemoved writes the numbers of deferred removals in place of the IDs of the removed objects, for lift.
func (t *Tree) numberRemoved() {
	for i, at := range t.Removed {
		if i%BatchStride == 0 {
			fetch(t, t.Store.Packets.IDs, t.Removed[min(i+BatchStride, len(t.Removed)):min(i+2*BatchStride, len(t.Removed))], 4)
		}
		t.Store.Packets.IDs[at.Slot()][at.Lane()] = uint32(i)
	}
}

// reuseShare is the largest number of pending objects for each removal among which reuseLanes looks.
const reuseShare = 16

// reuseLanes places pending objects in the lanes of removed ones: those that have got the ID of such an object, and
// whose boxes are inside the placement box of its packet. To move an object by a removal and an insertion then costs
// little more than a move. The last pending object fills each gap in the pending list. The result does not depend on
// how many of the objects are records: while it runs, these have the packets that Pack would fill.
func (t *Tree) reuseLanes() {
	if t.Pending == 0 || t.Pending > reuseShare*len(t.Removed) {
		return
	}
	t.addRecordPackets()
	p, where, r := &t.Store.Packets, t.IDs.Where, t.growRecords(0)
	for k, id := range r.ids[:r.n] {
		where[id] = soa.Location(k) // for now
	}
	gone := t.Removed
	left := len(gone)
	for i := len(gone) - 1; i >= 0; i-- { // from the end: the objects are often at the end of the pending list
		if (i+1)%BatchStride == 0 {
			next := gone[max(i+1-2*BatchStride, 0):max(i+1-BatchStride, 0)]
			fetchPackets(t, next, 4)
			fetchLabels(t, next, 4)
		}
		slot, lane := gone[i].Slot(), gone[i].Lane()
		id := p.IDs[slot][lane]
		now := where[id]
		if k := uint32(now); k < uint32(r.n) && r.ids[k] == id {
			if o := &r.objects[k]; t.isPlaced(slot, &o.Box) {
				p.Put(slot, lane, id, o)
				t.reused(slot, lane, id, o)
				r.n--
				if k < uint32(r.n) {
					r.objects[k], r.ids[k] = r.objects[r.n], r.ids[r.n]
					where[r.ids[k]] = now
				}
				t.Pending--
				continue
			}
		} else if t.IDs.Alive(id) && t.isPending(now) {
			if o := p.Object(now.Slot(), now.Lane()); t.isPlaced(slot, &o.Box) {
				p.Move(slot, lane, now.Slot(), now.Lane())
				t.fillGap(now)
				t.reused(slot, lane, id, &o)
				continue
			}
		}
		left--
		gone[left] = gone[i]
	}
	t.Removed = gone[:copy(gone, gone[left:])]
	for _, id := range r.ids[:r.n] {
		where[id] = unplacedLocation
	}
	t.freeTail()
}

// reused records a new object in the lane of a removed one.
func (t *Tree) reused(slot uint32, lane int, id uint32, o *soa.Object) {
	t.IDs.Where[id] = soa.MakeLocation(slot, lane)
	t.touch(slot)
	t.Dirty.Add(slot)
	up := t.Store.Packets.Parents[slot]
	t.grow(up, &o.Box)
	t.raise(up, o.Mask, flagOf(o))
	t.Arrangement++
	t.Work.Placed++
}

// fillGap fills a gap in a pending packet with the last pending object.
func (t *Tree) fillGap(at soa.Location) {
	p, r := &t.Store.Packets, t.records
	t.Pending--
	t.touch(at.Slot())
	if r.n > 0 {
		r.n--
		id := r.ids[r.n]
		p.Put(at.Slot(), at.Lane(), id, &r.objects[r.n])
		t.IDs.Where[id] = at
		return
	}
	t.freeTail()
	tail := t.Store.Pending[len(t.Store.Pending)-1]
	last := int(p.Counts[tail]) - 1
	if from := soa.MakeLocation(tail, last); at != from {
		p.Move(at.Slot(), at.Lane(), tail, last)
		t.IDs.Where[p.IDs[tail][last]] = at
	}
	p.Drop(tail, last)
	t.touch(tail)
}

// closeGap moves the last pending object into a packet that has lost one: the list is dense.
func (t *Tree) closeGap(slot uint32) {
	s, p := t.Store, &t.Store.Packets
	t.Pending--
	end := len(s.Pending) - 1
	tail := s.Pending[end]
	if slot != tail {
		last := int(p.Counts[tail]) - 1
		t.put(slot, tail, last)
		p.Drop(tail, last)
		t.touch(tail)
	}
	t.freeTail()
}

// freeTail frees the last pending packets while they are empty. It reserves the slots of those that Pack would fill.
func (t *Tree) freeTail() {
	s, used := t.Store, packetsFor(t.Pending)
	end := len(s.Pending)
	for ; end > 0 && s.Packets.Counts[s.Pending[end-1]] == 0; end-- {
		if end > used {
			t.Free.Add(s.Pending[end-1])
		}
	}
	if end < min(used, len(s.Pending)) {
		r := t.growRecords(0)
		r.slots = slices.Insert(r.slots, 0, s.Pending[end:min(used, len(s.Pending))]...)
	}
	s.Pending = s.Pending[:end]
}
