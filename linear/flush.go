package linear

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// rebuildShare is the share of objects, one in so many, from which a rebuild
// costs less than finding homes one by one.
const rebuildShare = 8

// Flush gives pending objects and strays their homes: one by one in the order
// of their keys, or by a rebuild when they are many, as [Config.Changes] says.
// Before that it doubles the world towards objects that have left it. It changes
// no set of answers.
//
// The error is [soa.ErrFull], when the tree holds more packets or nodes than
// can be numbered; it is then as before. If there was something to do, Flush
// ends the life of all views: an iteration that goes on panics.
func (t *Tree) Flush() error {
	defer phase.Enter(phase.Flush).Leave()
	if err := t.growWorld(); err != nil {
		return err
	}
	m := t.pending + len(t.strays)
	if m == 0 {
		return nil
	}
	if t.wantsRebuild(m) {
		return t.Rebuild(nil, RebuildOptions{})
	}
	t.change()
	t.settle()
	return nil
}

// wantsRebuild chooses between the ways of change for m objects without home.
func (t *Tree) wantsRebuild(m int) bool {
	s := t.store
	switch {
	case len(s.Nodes.Hot) == 0, t.cfg.Changes == ChangesRebuild:
		return true
	case t.cfg.Changes == ChangesAuto && m > t.Len()/rebuildShare:
		return true
	}
	// An insertion splits fewer nodes than this, each with a block.
	splits := m * (2*asm.Fan + int(s.Nodes.Height[0]))
	return !s.Nodes.Room(splits) || !s.Packets.Room(splits)
}

// homeless is an object in search of a home.
type homeless struct {
	id  uint32
	obj soa.Object
	key uint64

	sphere [4]float32 // radius below 0: none
}

// settle takes strays and pending objects out of their packets and inserts
// them where their keys belong.
func (t *Tree) settle() {
	s, sc := t.store, &t.scratch
	queue := sc.queue[:0]
	for _, id := range t.strays {
		if !t.ids.Alive(id) || t.ids.Where[id] == homelessPlace {
			continue // gone, or listed twice
		}
		slot, lane := t.where(id)
		if s.Packets.Owner[slot] == soa.None {
			continue
		}
		o := s.Packets.Object(slot, lane)
		if t.home(s.Packets.Keys[slot], &o.Box) {
			continue // came back
		}
		key := uint64(t.world.KeyOfBox(o.Box.Min, o.Box.Max))
		sphere := sphereOf(&s.Packets, slot, lane)
		t.takeOut(slot, lane)
		t.ids.Where[id] = homelessPlace
		queue = append(queue, homeless{id, o, key, sphere})
	}
	t.strays = t.strays[:0]
	for _, slot := range s.Loose {
		for l := range int(s.Packets.Counts[slot]) {
			o := s.Packets.Object(slot, l)
			key := uint64(t.world.KeyOfBox(o.Box.Min, o.Box.Max))
			queue = append(queue, homeless{s.Packets.IDs[slot][l], o, key, sphereOf(&s.Packets, slot, l)})
		}
		s.Packets.Clear(slot)
	}
	t.dropLoose()

	sc.keys = soa.Fresh(sc.keys, len(queue))
	for i := range queue {
		sc.keys[i] = queue[i].key
	}
	items, _ := sc.sort.Order(sc.keys, radix.Options{})
	for _, item := range items {
		q := &queue[radix.Index(item)]
		t.insert(q.id, &q.obj, q.key)
		if q.sphere[3] >= 0 {
			slot, lane := t.where(q.id)
			s.Packets.SetSphere(slot, lane, q.sphere)
		}
	}
	sc.queue = queue
}

// sphereOf returns the sphere of a lane, with a radius below 0 if it has none.
func sphereOf(p *soa.PacketColumns, slot uint32, lane int) [4]float32 {
	if s, ok := p.Sphere(slot, lane); ok {
		return s
	}
	return [4]float32{3: -1}
}

// homelessPlace is the place of an object between homes.
const homelessPlace = ^uint32(0)

// insert puts an object into the packet of its key, splitting what is full.
func (t *Tree) insert(id uint32, o *soa.Object, key uint64) {
	s := t.store
	for {
		slot := lastHome(s, key)
		p := &s.Packets
		if lane := int(p.Counts[slot]); lane < t.cfg.SplitAbove {
			p.Put(slot, lane, id, o)
			p.Counts[slot]++
			t.ids.Where[id] = slot<<4 | uint32(lane)
			t.dirty.add(slot)
			flag := uint32(asm.RefMoving)
			if o.Static {
				flag = asm.RefStatic
			}
			t.grow(p.Owner[slot], &o.Box)
			t.raise(slot, o.Mask, flag)
			t.work.Homed++
			if node := p.Owner[slot] >> 3; s.Nodes.Dies[node] != 0 {
				s.Nodes.Dies[node] = 0
				s.Nodes.Life[node] = uint8(min(2*t.lifespan(node), lifeMax))
				t.work.Reused++
			}
			return
		}
		t.makeRoom(slot)
	}
}

// dropLoose frees the blocks of the pending list, whose slots are empty.
func (t *Tree) dropLoose() {
	s := t.store
	for i, slot := range s.Loose {
		if i%soa.BlockSlots == 0 {
			s.Packets.FreeBlock(slot)
		}
	}
	s.Loose = s.Loose[:0]
	t.pending = 0
}
