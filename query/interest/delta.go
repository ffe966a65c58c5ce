package interest

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// objects are the objects of a tree as of the last update, and their changes in it.
type objects struct {
	previous previous
	delta    delta
	log      follow.Position
}

// read brings the objects to the state of a view, and lists the changes if they are at most most. Renewed objects are
// other ones than at the last update.
func (o *objects) read(v linear.View, renewed bool, most int) {
	if renewed {
		o.previous.reset()
	}
	log := v.Store().Log
	o.previous.cover(idsBelow(v))
	o.delta.reset(len(o.previous.records), most)
	if log == nil {
		o.delta.readAll(&o.previous, v, nil)
		return
	}
	if changes, ok := o.log.Changes(log); ok {
		o.delta.readLog(&o.previous, v, changes)
	} else {
		o.delta.readAll(&o.previous, v, log.Born)
	}
	o.log.Advance(log)
}

// idsBelow returns a number above all IDs of a view.
func idsBelow(v linear.View) (n int) {
	if log := v.Store().Log; log != nil {
		return len(log.Born)
	}
	for slot := range uint32(v.Slots()) {
		for _, id := range v.IDs(slot) {
			n = max(n, int(id)+1)
		}
	}
	return n
}

// delta is the set of changes since the last update: sets of IDs, and the objects before and after.
type delta struct {
	count int      // number of dirty objects
	most  int      // maximum length of ids; if more objects are dirty, only the sets are complete
	ids   []uint32 // dirty IDs, each once
	dirty []uint64 // set of dirty IDs
	ended []uint64 // set of dirty IDs whose object of the last update has been removed
	ends  int      // number of IDs in ended

	then, now batch
	builder   builder

	read follow.IDs // IDs seen so far while reading the log
}

// reset empties the delta, for IDs below n and lists of at most most objects.
func (d *delta) reset(n, most int) {
	if d.count > d.most {
		clear(d.dirty)
		clear(d.ended)
	}
	for _, id := range d.ids {
		d.dirty[id>>6], d.ended[id>>6] = 0, 0
	}
	d.ids, d.ends, d.count, d.most = d.ids[:0], 0, 0, most
	d.then.reset()
	d.now.reset()
	d.dirty, d.ended = follow.Cover(d.dirty, n), follow.Cover(d.ended, n)
}

// take sets the record of an ID to an object, and records the change.
func (d *delta) take(p *previous, s *state) {
	r := &p.records[s.id]
	flags, what := p.compare(s)
	if what == same {
		return
	}
	listed := d.note(s.id, what == ousts)
	if listed && what != comes {
		d.then.add(s.id, r, p)
	}
	p.write(s, flags)
	if listed {
		d.now.add(s.id, r, p)
	}
}

// replace sets the record of an ID to another state of the same object, which has no bounds, and records the change.
func (d *delta) replace(p *previous, id uint32, r *record, object *soa.Object) {
	listed := d.note(id, false)
	if listed {
		d.then.add(id, r, p)
	}
	r.box, r.mask = object.Box, object.Mask
	if listed {
		d.now.add(id, r, p)
	}
}

// drop ends the record of an ID, and records the removal if there was an object.
func (d *delta) drop(p *previous, id uint32) {
	r := &p.records[id]
	if r.flags&isLive == 0 {
		return
	}
	if d.note(id, true) {
		d.then.add(id, r, p)
	}
	r.flags &= isMarked
	p.live--
}

// note adds an ID to the sets, and reports whether it is listed.
func (d *delta) note(id uint32, ended bool) (listed bool) {
	d.count++
	if listed = d.count <= d.most; listed {
		d.ids = append(d.ids, id)
	}
	d.dirty[id>>6] |= 1 << (id & 63)
	if ended {
		d.ended[id>>6] |= 1 << (id & 63)
		d.ends++
	}
	return listed
}

// readLog updates the past to the state of a view from the changes since the last update.
func (d *delta) readLog(p *previous, v linear.View, changes []soa.Change) {
	born := v.Store().Log.Born
	d.read.Reset()
	for i := len(changes) - 1; i >= 0; i-- { // the last change of each object counts
		c := &changes[i]
		if int(c.ID) >= len(p.records) || !d.read.Add(c.ID) {
			continue // inserted and removed since, and the tree has dropped the ID; or read already
		}
		if c.Removed {
			d.drop(p, c.ID)
			continue
		}
		s := state{id: c.ID, object: c.Object, born: born[c.ID], sphere: c.Sphere}
		if c.Oriented {
			s.turned, _ = v.Oriented(c.ID)
			s.flags = isTurned
		}
		if p.records[c.ID].flags&isLive == 0 { // all records that have been read carry the mark
			p.records[c.ID].flags = p.mark
		}
		d.take(p, &s)
	}
}

// readAll updates the past to the state of a view by comparing all objects. born has the changes that inserted them, by
// ID; nil if there is no log.
func (d *delta) readAll(p *previous, v linear.View, born []uint64) {
	store := v.Store()
	packets := &store.Packets
	p.mark ^= isMarked
	plain := !packets.Bounded()
	for slot := range packets.Counts {
		for lane := range int(packets.Counts[slot]) {
			id, object, since := packets.IDs[slot][lane], packets.Object(uint32(slot), lane), uint64(0)
			r := &p.records[id]
			r.flags = r.flags&^isMarked | p.mark
			if born != nil {
				since = born[id]
			}
			if plain && r.isOf(&object, since) {
				if r.box != object.Box || r.mask != object.Mask {
					d.replace(p, id, r, &object)
				}
				continue
			}
			s := state{id: id, object: object, born: since}
			s.sphere[3] = -1
			if sphere, ok := packets.Sphere(uint32(slot), lane); ok {
				s.sphere = sphere
			}
			if turned, ok := packets.Oriented(uint32(slot), lane); ok {
				s.turned, s.flags = turned, isTurned
			}
			d.take(p, &s)
		}
	}
	if p.live == store.Count {
		return
	}
	for id := range p.records {
		if f := p.records[id].flags; f&isLive != 0 && f&isMarked != p.mark {
			d.drop(p, uint32(id))
		}
	}
}

// fill makes the stores of the objects before and after.
func (d *delta) fill(of *soa.Store) {
	d.builder.fill(&d.then, of)
	d.builder.fill(&d.now, of)
}
