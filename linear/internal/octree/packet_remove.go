package octree

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
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
	gone := t.Removed
	if t.canReuseRecords() {
		t.reuseRecords()
		t.freeTail()
		return
	}
	for k, id := range r.ids[:r.n] {
		where[id] = soa.Location(k) // for now
	}
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

// reuseMin is the number of removals from which reuseRecords takes less time than reuseLanes alone.
const reuseMin = soa.Lanes

// canReuseRecords reports whether reuseRecords may be called: there are many removals, all pending objects are records,
// all objects are near, none has bounds, and the tree is not published.
func (t *Tree) canReuseRecords() bool {
	return len(t.Removed) >= reuseMin && t.Pending > 0 && t.Pending == t.Unpacked() && t.Touched == nil &&
		!t.Store.Packets.Bounded() && !t.strictPlacement()
}

// reuseRecords is reuseLanes if canReuseRecords. It calls little for each object, and has few unpredictable branches.
//
// A record that fills a gap is copied only at the end. Until then positions has the record at each position of the
// list, and after these the position of each record.
func (t *Tree) reuseRecords() {
	p, where, r, gone := &t.Store.Packets, t.IDs.Where, t.records, t.Removed
	sc, n := t.Buffers(), r.n
	objects, ids := r.list()
	sc.positions = mem.Fresh(sc.positions, 2*n)
	record, position := sc.positions[:n], sc.positions[n:]
	for k := range record {
		record[k], position[k] = uint32(k), uint32(k)
	}
	var found [BatchStride]uint32
	left, last := len(gone), gone[len(gone)-1]
	guess := newGuess(ids, p.IDs[last.Slot()][last.Lane()])
	for end := len(gone); end > 0; end -= BatchStride {
		part := gone[max(end-BatchStride, 0):end]
		next := gone[max(end-2*BatchStride, 0):max(end-BatchStride, 0)]
		fetchPackets(t, next, 4)
		fetchLabels(t, next, 4)
		for j := len(part) - 1; j >= 0; j-- {
			id := p.IDs[part[j].Slot()][part[j].Lane()]
			if guess.at < uint32(n) && ids[guess.at] == id {
				found[j&(BatchStride-1)] = guess.at
				guess.at += guess.step
			} else {
				found[j&(BatchStride-1)] = t.findRecord(&guess, ids, id)
			}
		}
		t.fetchReused(part, ids, &found)
		for j := len(part) - 1; j >= 0; j-- {
			at, k := part[j], found[j&(BatchStride-1)]
			slot, lane := at.Slot(), at.Lane()
			if k >= uint32(n) || !holds(&p.PlacementBoxes[slot], &objects[k].Box) {
				left--
				gone[left] = at
				continue
			}
			o := &objects[k]
			p.SetBox(slot, lane, &o.Box)
			if p.Masked() {
				p.Masks[slot][lane] = o.Mask
			}
			moving := p.Moving[slot] &^ (1 << lane)
			if !o.Static {
				moving |= 1 << lane
			}
			p.Moving[slot] = moving
			where[ids[k]] = at
			t.Dirty.AddIf(slot, 1)
			t.growLane(p.Parents[slot], o)
			r.n--
			hole, last := position[k], record[r.n]
			record[hole], position[last] = last, hole
		}
	}
	t.Removed = gone[:copy(gone, gone[left:])]
	t.Pending = r.n
	t.Arrangement += uint64(n - r.n)
	t.Work.Placed += n - r.n
	for i, k := range record[:r.n] {
		if int(k) != i { // then k >= r.n
			objects[i], ids[i] = objects[k], ids[k]
		}
		where[ids[i]] = unplacedLocation
	}
}

// fetchReused prefetches the lanes above a stride of removed objects, and the locations of their records.
func (t *Tree) fetchReused(part []soa.Location, ids []uint32, found *[BatchStride]uint32) {
	if t.IDs.Cap() <= smallTree {
		return
	}
	var up [BatchStride]soa.Up
	var id [BatchStride]uint32
	n := 0
	for j, at := range part {
		up[j] = t.Store.Packets.Parents[at.Slot()]
		if k := found[j]; k != soa.None {
			id[n] = ids[k]
			n++
		}
	}
	fetch(t, t.IDs.Where, id[:n], 0)
	fetch(t, t.Store.Nodes.Hot, up[:len(part)], 4)
}

// recordGuess guesses the record of each removed object, from the last one on: programs remove and insert objects in
// the same order, or in opposite orders.
type recordGuess struct {
	at, step uint32
	table    bool // the locations of records are their numbers, because a guess was wrong
}

// newGuess returns the guess for the last removed object.
func newGuess(ids []uint32, last uint32) recordGuess {
	if ids[0] == last {
		return recordGuess{at: 0, step: 1}
	}
	return recordGuess{at: uint32(len(ids) - 1), step: ^uint32(0)}
}

// findRecord returns the number of the record of an ID, or soa.None, after a wrong guess. From then on nothing is
// guessed.
func (t *Tree) findRecord(g *recordGuess, ids []uint32, id uint32) uint32 {
	where := t.IDs.Where
	if !g.table {
		for k, id := range ids {
			if where[id] == unplacedLocation {
				where[id] = soa.Location(k)
			}
		}
		*g = recordGuess{at: soa.None, table: true}
	}
	if k := uint32(where[id]); k < uint32(len(ids)) && ids[k] == id {
		return k
	}
	return soa.None
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
		for _, slot := range slices.Backward(s.Pending[end:min(used, len(s.Pending))]) {
			r.slots = append(r.slots, slot)
		}
	}
	s.Pending = s.Pending[:end]
}
