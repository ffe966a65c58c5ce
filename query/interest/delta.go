package interest

import (
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// delta is what has changed since the last update: sets of IDs, and the objects among them as
// they are now, in a store that areas can be asked of.
type delta struct {
	ids   []uint32 // each once
	dirty []uint64 // their set
	ended []uint64 // those of them whose object of then is no more
	ends  int      // their number
	live  []uint32 // those of them that are of an object now

	read []uint64 // the IDs that a reading of the log has met

	store soa.Store
	boxes []soa.AABB
	keys  []uint64
	sort  radix.Scratch
	slots []uint32
	nodes []uint32
	up    []soa.Up
}

// reset forgets all, for IDs below n.
func (d *delta) reset(n int) {
	for _, id := range d.ids {
		d.dirty[id>>6], d.ended[id>>6] = 0, 0
	}
	d.ids, d.live, d.ends = d.ids[:0], d.live[:0], 0
	d.dirty, d.ended = words(d.dirty, n), words(d.ended, n)
}

// words returns a set of numbers below n, at least, to which none are added.
func words(set []uint64, n int) []uint64 {
	have, want := len(set), (n+63)/64
	if want <= have {
		return set
	}
	set = soa.Resize(set, want)
	clear(set[have:])
	return set
}

// add notes what take has found.
func (d *delta) add(id uint32, what took) {
	if what == same {
		return
	}
	d.ids, d.live = append(d.ids, id), append(d.live, id)
	d.dirty[id>>6] |= 1 << (id & 63)
	if what == ousts {
		d.ended[id>>6] |= 1 << (id & 63)
		d.ends++
	}
}

// end notes that an object is no more.
func (d *delta) end(id uint32) {
	d.ids = append(d.ids, id)
	d.dirty[id>>6] |= 1 << (id & 63)
	d.ended[id>>6] |= 1 << (id & 63)
	d.ends++
}

// readLog brings the past to the state of a view by the changes since.
func (d *delta) readLog(p *past, v linear.View, changes []soa.Change) {
	born := v.Store().Log.Born
	d.read = words(d.read, len(p.records))
	for i := len(changes) - 1; i >= 0; i-- { // the last of each object counts
		c := &changes[i]
		if int(c.ID) >= len(p.records) {
			continue // it came and went, and the tree has forgotten the ID
		}
		w, m := &d.read[c.ID>>6], uint64(1)<<(c.ID&63)
		if *w&m != 0 {
			continue
		}
		*w |= m
		if c.Gone {
			if p.drop(c.ID) {
				d.end(c.ID)
			}
			continue
		}
		s := state{id: c.ID, object: c.Object, born: born[c.ID], sphere: c.Sphere}
		if c.Oriented {
			s.turned, _ = v.Oriented(c.ID)
			s.flags = isTurned
		}
		if p.records[c.ID].flags&isLive == 0 { // as all are that have been seen
			p.records[c.ID].flags = p.mark
		}
		d.add(c.ID, p.take(&s))
	}
	for i := range changes {
		if id := changes[i].ID; int(id) < len(p.records) {
			d.read[id>>6] = 0
		}
	}
}

// readAll brings the past to the state of a view by all objects.
func (d *delta) readAll(p *past, v linear.View) {
	store := v.Store()
	born, packets := store.Log.Born, &store.Packets
	p.mark ^= isMarked
	plain := !packets.Bounded()
	for slot := range packets.Counts {
		for lane := range int(packets.Counts[slot]) {
			s := state{id: packets.IDs[slot][lane], object: packets.Object(uint32(slot), lane)}
			r := &p.records[s.id]
			r.flags = r.flags&^isMarked | p.mark
			if s.born = born[s.id]; plain && r.unchanged(&s.object, s.born) {
				continue
			}
			s.sphere[3] = -1
			if sphere, ok := packets.Sphere(uint32(slot), lane); ok {
				s.sphere = sphere
			}
			if turned, ok := packets.Oriented(uint32(slot), lane); ok {
				s.turned, s.flags = turned, isTurned
			}
			d.add(s.id, p.take(&s))
		}
	}
	if p.live == store.Count {
		return
	}
	for id := range p.records {
		if f := p.records[id].flags; f&isLive != 0 && f&isMarked != p.mark {
			p.drop(uint32(id))
			d.end(uint32(id))
		}
	}
}

// fill makes the store that of the objects that have changed, as they are now.
func (d *delta) fill(p *past, of *soa.Store) {
	s, n := &d.store, len(d.live)
	slots := (n + soa.Lanes - 1) / soa.Lanes
	s.Near, s.Extent, s.Count = of.Near, of.Extent, n
	s.Packets.Fresh(slots, 0)
	s.Packets.UseBoundsOf(&of.Packets)
	s.Nodes.Hot, s.Nodes.Slots = s.Nodes.Hot[:0], s.Nodes.Slots[:0]
	order := d.order(p)
	for slot := range slots {
		s.Packets.Clear(uint32(slot))
	}
	for k, item := range order {
		id := d.live[radix.Index(item)]
		d.put(p, uint32(k/soa.Lanes), k%soa.Lanes, id)
	}
	d.plant(slots)
}

// put writes an object into a lane.
func (d *delta) put(p *past, slot uint32, lane int, id uint32) {
	c, r := &d.store.Packets, &p.records[id]
	c.Put(slot, lane, id, &soa.Object{Box: r.box, Mask: r.mask, Static: r.flags&isStatic != 0})
	c.Counts[slot] = uint8(lane + 1)
	if r.flags&isRound != 0 {
		c.SetSphere(slot, lane, p.spheres[id])
	}
	if r.flags&isTurned != 0 {
		c.SetOriented(slot, lane, &p.turned[id])
	}
}

// order returns items that name the objects along the curve.
func (d *delta) order(p *past) []uint64 {
	n := len(d.live)
	if n == 0 {
		return nil
	}
	d.boxes, d.keys = slices.Grow(d.boxes[:0], n), slices.Grow(d.keys[:0], n)[:n]
	for _, id := range d.live {
		d.boxes = append(d.boxes, p.records[id].box)
	}
	flat := soa.BoxWords(d.boxes)
	b, _, _ := asm.Survey(flat, 6, n)
	world, _ := morton.Fit([3]float32{b[0], b[2], b[4]}, [3]float32{b[1], b[3], b[5]}) // finite: a tree holds them
	g := world.Grid()
	asm.EncodeBoxes(d.keys, &g, flat, 6)
	items, _ := d.sort.Order(d.keys, radix.Options{}) // fails only when it is cancelled
	return items
}

// plant makes nodes over the packets, level by level, each of 16 below.
func (d *delta) plant(slots int) {
	if slots == 0 {
		return
	}
	s := &d.store
	total := 0
	for level := slots; ; {
		level = (level + soa.Fan - 1) / soa.Fan
		total += level
		if level == 1 {
			break
		}
	}
	s.Nodes.Hot, s.Nodes.Slots = soa.Fresh(s.Nodes.Hot, total), soa.Fresh(s.Nodes.Slots, total)
	d.up = soa.Fresh(d.up, total)
	for i := range s.Nodes.Hot {
		s.Nodes.Hot[i] = soa.EmptyNode
	}
	d.slots, d.nodes = d.slots[:0], d.nodes[:0]
	// The root is node 0; the lowest level comes last.
	level, first, wide := (slots+soa.Fan-1)/soa.Fan, 0, soa.Fan
	first = total - level
	for slot := range slots {
		s.Packets.Owner[slot] = soa.MakeUp(uint32(first+slot/soa.Fan), slot%soa.Fan)
		d.slots = append(d.slots, uint32(slot))
	}
	for {
		above := (level + soa.Fan - 1) / soa.Fan
		for i := range level {
			node := first + i
			s.Nodes.Slots[node] = soa.Span{First: uint32(i * wide), End: uint32(min((i+1)*wide, slots))}
			if level > 1 {
				d.up[node] = soa.MakeUp(uint32(first-above+i/soa.Fan), i%soa.Fan)
				d.nodes = append(d.nodes, uint32(node))
			}
		}
		if level == 1 {
			break
		}
		level, first, wide = above, first-above, wide*soa.Fan
	}
	asm.ReducePackets(&s.Packets, s.Nodes.Hot, d.slots)
	asm.ReduceNodes(s.Nodes.Hot, d.up, d.nodes)
}
