package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/soa"
)

// Changes of objects in the lanes of packets; shape_edit.go has the changes of nodes. Permanent changes of an
// object are also recorded in the log.

// unplacedLocation is the location of an object that is in no packet.
const unplacedLocation = soa.NoLocation

// NoSphere is the sphere of an object without a sphere.
var NoSphere = [4]float32{3: -1}

// sphereOf returns the sphere of a lane, with a radius below 0 if it has none.
func sphereOf(p *soa.PacketColumns, slot uint32, lane int) [4]float32 {
	if s, ok := p.Sphere(slot, lane); ok {
		return s
	}
	return NoSphere
}

// place inserts an object that is in no packet, with its sphere, into the next free lane of a packet.
func (t *Tree) place(slot, id uint32, o *soa.Object, sphere *[4]float32) {
	p := &t.Store.Packets
	lane := int(p.Counts[slot])
	p.Put(slot, lane, id, o)
	if sphere[3] >= 0 {
		p.UseSpheres()
		p.SetSphere(slot, lane, *sphere)
	}
	p.Counts[slot]++
	t.touch(slot)
	t.IDs.Where[id] = soa.MakeLocation(slot, lane)
	t.Arrangement++
	up := p.Parents[slot]
	if up == soa.NoParent {
		t.Pending++
		return
	}
	// The lane stays as exact as before: the refit only has to count again.
	t.count(up.Node(), 1)
	t.refitLater(up.Node())
	t.grow(up, &o.Box)
	t.raise(up, o.Mask, flagOf(o))
}

// flagOf returns the flag of an object in the lanes above it.
func flagOf(o *soa.Object) soa.Ref {
	if o.Static {
		return soa.RefStatic
	}
	return soa.RefMoving
}

// openPending returns the last pending packet, or a new one when that is full: only the last has free lanes.
func (t *Tree) openPending() (slot uint32) {
	s := t.Store
	if k := len(s.Pending); k > 0 {
		slot = s.Pending[k-1]
		if s.Packets.Counts[slot] < soa.Lanes {
			return slot
		}
	}
	return t.addPending()
}

// reservePending makes room for the packets of the records.
func (t *Tree) reservePending() {
	p := &t.Store.Packets
	if have, slots := len(p.Counts), t.recordPackets()-t.Free.Len(); slots > 1 {
		p.Resize(have + slots)
		p.Resize(have)
	}
}

// addPending appends an empty packet to the pending list, in its reserved slot, or the first free one
// after that of the last packet.
func (t *Tree) addPending() (slot uint32) {
	s := t.Store
	if k := len(s.Pending); k > 0 {
		slot = s.Pending[k-1] + 1
	}
	if r := t.records; r != nil && len(r.slots) > 0 {
		last := len(r.slots) - 1
		slot, r.slots = r.slots[last], r.slots[:last]
	} else {
		slot = t.allocSlot(slot)
	}
	s.Pending = append(s.Pending, slot)
	return slot
}

// Pack moves the records of the pending list to packets.
func (t *Tree) Pack() {
	if t.Unpacked() == 0 {
		return
	}
	p := &t.Store.Packets
	objects, ids := t.records.list()
	t.reservePending()
	for i := 0; i < len(objects); {
		slot := t.openPending()
		used := int(p.Counts[slot])
		n := min(soa.Lanes-used, len(objects)-i)
		b, at, moving := &p.Bounds[slot], &p.IDs[slot], p.Moving[slot]
		for j := range n {
			o, id, l := &objects[i+j], ids[i+j], (used+j)&(soa.Lanes-1)
			b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l] = o.Box.Min[0], o.Box.Min[1], o.Box.Min[2]
			b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l] = o.Box.Max[0], o.Box.Max[1], o.Box.Max[2]
			at[l] = id
			if p.Masked() {
				p.Masks[slot][l] = o.Mask
			}
			if !o.Static {
				moving |= 1 << l
			}
			t.IDs.Where[id] = soa.MakeLocation(slot, l)
		}
		p.Moving[slot], p.Counts[slot] = moving, uint8(used+n)
		t.touch(slot)
		i += n
	}
	t.clearRecords()
}

// dropPending frees the pending packets, whose objects have been moved elsewhere.
func (t *Tree) dropPending() {
	s := t.Store
	for _, slot := range s.Pending {
		if s.Packets.Counts[slot] > 0 {
			t.clearSlot(slot)
		}
		t.Free.Add(slot)
	}
	s.Pending = s.Pending[:0]
	t.Pending = 0
}

// moveStride holds the moves of a stride.
type moveStride struct {
	moved [BatchStride]build.Moved
	up    [BatchStride]soa.Up // of the packets of those
}

// setBoxes overwrites the boxes of up to BatchStride objects at the first locations, in their order: those of
// bodies of one kind. The objects get the bounds of bodies, if any, and lose all others. The remaining locations are
// those of the next call, for prefetching. It returns the result of build.MoveBoxes, valid until the next call. The
// caller calls takeStrays: until then the tight boxes above objects that move far do not contain these.
func (t *Tree) setBoxes(ids []uint32, at []soa.Location, boxes []soa.AABB, to *Bodies) (moved []build.Moved) {
	p := &t.Store.Packets
	if t.Store.Log != nil {
		t.noteBoxes(ids, at, boxes, to)
	}
	sc := t.Buffers()
	if sc.stride == nil {
		sc.stride = new(moveStride) // to clear it takes longer than to move an object
	}
	moved = build.MoveBoxes(sc.stride.moved[:], p.Bounds, p.PlacementBoxes, at, boxes)
	at = at[:len(ids)]

	// A box that was not at a face of the tight box, and is not beyond one, does not change the tight box.
	up, flags := &sc.stride.up, uint32(0)
	for i := range moved {
		up[i] = p.Parents[at[moved[i].Index].Slot()]
		flags |= moved[i].Flags
	}
	fetch(t, t.Store.Nodes.Hot, up[:len(moved)], 4)
	var left uint64 // bits of the objects that move far
	if flags&build.MovedLeaves != 0 {
		for i := range moved {
			if m := &moved[i]; m.Flags&build.MovedLeaves != 0 && up[i] != soa.NoParent && t.isStray(at[m.Index].Slot(), &boxes[m.Index]) {
				sc.strays.ids, sc.strays.at = append(sc.strays.ids, ids[m.Index]), append(sc.strays.at, at[m.Index])
				sc.strays.slots.Add(at[m.Index].Slot())
				left |= 1 << m.Index
				m.Flags = 0
			}
		}
	}
	if left != 0 {
		for i, w := range at {
			if left>>i&1 == 0 && sc.strays.slots.Has(w.Slot()) {
				sc.strays.shared = append(sc.strays.shared, w.Slot())
			}
		}
	}
	for i := range moved {
		m := &moved[i]
		switch {
		case up[i] == soa.NoParent || m.Flags == 0: // it is or becomes pending
		case left != 0 && sc.strays.slots.Has(at[m.Index].Slot()): // the tight box contains a stray object
			t.grow(up[i], &boxes[m.Index])
			t.Dirty.Add(at[m.Index].Slot())
		default:
			t.setTight(up[i], m)
		}
	}
	if len(p.Spheres) > 0 {
		for i, w := range at {
			if len(to.Spheres) > 0 {
				p.SetSphere(w.Slot(), w.Lane(), to.Spheres[i])
			} else if p.Spheres[w.Slot()][3][w.Lane()] >= 0 {
				p.DropSphere(w.Slot(), w.Lane())
			}
		}
	}
	if len(p.OrientedBoxes) > 0 {
		for i, w := range at {
			if len(to.Oriented) > 0 {
				p.SetOriented(w.Slot(), w.Lane(), &to.Oriented[i])
			} else {
				p.DropOriented(w.Slot(), w.Lane())
			}
		}
	}
	if t.Touched != nil {
		for _, w := range at {
			t.touchBoxes(w.Slot())
		}
	}
	return moved
}

// SetMask overwrites the type mask of an object.
func (t *Tree) SetMask(id, mask uint32) {
	slot, lane := t.Locate(id)
	p := &t.Store.Packets
	if t.IDs.Len() == 1 && !p.Masked() {
		p.Mask = mask // of the only object
	}
	if t.admitMask(mask); p.Masked() {
		p.Masks[slot][lane] = mask
	}
	t.relabel(id, slot, mask, 0)
}

// admitMask makes the column of type masks before an object gets a mask that differs from the mask of all objects.
// The first object of all determines that mask.
func (t *Tree) admitMask(mask uint32) {
	p := &t.Store.Packets
	switch {
	case p.Masked() || mask == p.Mask:
	case t.IDs.Len() == 0:
		p.Mask = mask
	default:
		p.UseMasks()
	}
}

// admitMasks admits the masks of objects that are inserted together.
func (t *Tree) admitMasks(objects []soa.Object) {
	p := &t.Store.Packets
	for i := 0; i < len(objects) && !p.Masked(); i++ {
		if i == 0 {
			t.admitMask(objects[0].Mask)
		} else if objects[i].Mask != p.Mask {
			p.UseMasks()
		}
	}
}

// relabel records a new mask or flag of an object. The next refit removes the former one from the lanes above.
func (t *Tree) relabel(id, slot, mask uint32, flag soa.Ref) {
	t.note(id)
	t.touch(slot)
	if up := t.Store.Packets.Parents[slot]; up != soa.NoParent { // else it is pending
		t.Dirty.Add(slot)
		t.raise(up, mask, flag)
	}
}

// SetStatic makes an object static or moving.
func (t *Tree) SetStatic(id uint32, static bool) {
	slot, lane := t.Locate(id)
	p := &t.Store.Packets
	p.Moving[slot] &^= 1 << lane
	flag := soa.RefStatic
	if !static {
		p.Moving[slot] |= 1 << lane
		flag = soa.RefMoving
	}
	t.relabel(id, slot, 0, flag)
}

// useBoundsOf allocates the columns for the bounds of bodies.
func (t *Tree) useBoundsOf(to *Bodies) {
	if len(to.Spheres) > 0 {
		t.Store.Packets.UseSpheres()
	}
	if len(to.Oriented) > 0 {
		t.Store.Packets.UseOriented()
	}
}

// SetBounds sets the bounding spheres and oriented boxes of live objects.
func (t *Tree) SetBounds(ids []uint32, to *Bodies) {
	t.useBoundsOf(to)
	n := len(to.Spheres)
	for i, id := range ids {
		slot, lane := t.Locate(id)
		if i < n {
			t.Store.Packets.SetSphere(slot, lane, to.Spheres[i])
		} else {
			t.Store.Packets.SetOriented(slot, lane, &to.Oriented[i-n])
		}
		t.note(id)
		t.touchBoxes(slot)
	}
}

// keepOriented restores the oriented box of an object that has just been placed.
func (t *Tree) keepOriented(id uint32, b *soa.OrientedBox) {
	slot, lane := t.Locate(id)
	t.Store.Packets.SetOriented(slot, lane, b)
}

// put copies an object of another packet to the next lane of a packet and updates its location. The caller drops it
// from the other packet.
func (t *Tree) put(to, from uint32, fromLane int) {
	p := &t.Store.Packets
	lane := int(p.Counts[to])
	p.Move(to, lane, from, fromLane)
	p.Counts[to]++
	t.touch(to)
	t.IDs.Where[p.IDs[to][lane]] = soa.MakeLocation(to, lane)
	t.Arrangement++
	t.Work.Shifted++
}

// joinPackets moves the objects of lane l+1 of a node to the packet of lane l, and removes that lane. No object
// becomes displaced.
func (t *Tree) joinPackets(node uint32, l int) {
	p := &t.Store.Packets
	child := &t.Store.Nodes.Hot[node].Child
	a, b := child[l].Index(), child[l+1].Index()
	for k := range int(p.Counts[b]) {
		t.put(a, b, k)
	}
	t.growPlacementBox(a, p.PlacementBoxes[a].Union(p.PlacementBoxes[b]))
	t.removeLane(node, l+1)
	t.dropSlot(node, b)
	t.setPacketLane(a)
}

// Locate returns the slot and lane of a live object.
func (t *Tree) Locate(id uint32) (slot uint32, lane int) {
	w := t.IDs.Where[id]
	return w.Slot(), w.Lane()
}
