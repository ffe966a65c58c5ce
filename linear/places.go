package linear

import (
	"github.com/zoctree/zoctree/soa"
)

// Places finds objects by their IDs. Make one with [View.Places].
type Places struct {
	view  View
	where []soa.Place // of live IDs, anything for others
}

// Places returns where the objects of the view are, by ID. The view of a tree shares the
// tree's own index, which costs nothing; for a view without one it is written to buf,
// which grows to the largest ID, in time proportional to the objects. The answer is
// valid as long as the view; using it later panics. Any number of goroutines may read
// it.
func (v View) Places(buf *[]soa.Place) Places {
	p := &v.Store().Packets
	if v.index.ids != nil {
		return Places{v, v.index.ids.Where}
	}
	where := (*buf)[:0]
	for slot := range p.Counts {
		where = enter(where, p, uint32(slot))
	}
	*buf = where
	return Places{v, where}
}

// PlaceOf returns the slot and the lane of an object; ok is false when no object
// of the view has this ID.
func (p *Places) PlaceOf(id uint32) (slot uint32, lane int, ok bool) {
	return find(p.where, &p.view.Store().Packets, id)
}

// find looks an object up where its place is right if it is in the packets.
func find(where []soa.Place, p *soa.PacketColumns, id uint32) (slot uint32, lane int, ok bool) {
	if uint64(id) >= uint64(len(where)) {
		return 0, 0, false
	}
	w := where[id]
	slot, lane = w.Slot(), w.Lane()
	// A free ID has no place of its own: whatever it names holds another.
	ok = uint64(slot) < uint64(len(p.Counts)) && lane < int(p.Counts[slot]) && p.IDs[slot][lane] == id
	return slot, lane, ok
}
