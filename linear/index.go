package linear

import (
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// index knows where the objects of a view are, by ID: of a tree, what its IDs know. That
// of a published version stays with the instance and is renewed by the first reader of a
// version who asks, from the slots that have got other objects since it was renewed last;
// if nobody asks, it is nothing. The writer, who has the instance to himself then, says
// what it lacks.
type index struct {
	ids *soa.IDs // of a tree; nil of a version

	fresh atomic.Bool  // it is that of the version
	bytes atomic.Int64 // its memory

	renewing sync.Mutex
	where    []soa.Location // of the objects of the version, anything for other IDs
	read     int            // slots before this one are in it, as they were,
	lacks    bitset.Set     // but for these
}

// of returns the places of the objects of the view, whose store is s.
func (x *index) of(s *soa.Store) []soa.Location {
	if x.ids != nil {
		return x.ids.Where
	}
	if !x.fresh.Load() {
		x.renew(&s.Packets)
	}
	return x.where
}

func (x *index) renew(p *soa.PacketColumns) {
	x.renewing.Lock()
	defer x.renewing.Unlock()
	if x.fresh.Load() {
		return // another reader has done it
	}
	slots := uint32(len(p.Counts))
	for slot, ok := x.lacks.Next(0); ok && slot < slots; slot, ok = x.lacks.Next(slot + 1) {
		x.where = enter(x.where, p, slot)
	}
	for slot := uint32(x.read); slot < slots; slot++ {
		x.where = enter(x.where, p, slot)
	}
	x.read = len(p.Counts)
	x.lacks.Clear()
	x.bytes.Store(int64(space(x.where) + space(x.lacks.Words())))
	x.fresh.Store(true)
}

// lag says that rows have changed, of which there were so many slots before and are so
// many now, whichever is less. Nobody may hold the instance.
func (x *index) lag(rows *touched, slots int) {
	x.fresh.Store(false)
	if x.read == 0 {
		return
	}
	if rows.all {
		slots = 0
	}
	if x.read = min(x.read, slots); x.read == 0 {
		x.lacks.Clear()
		return
	}
	x.lacks.Join(&rows.packets)
}

// drop gives the memory back. Nobody may hold the instance.
func (x *index) drop() {
	x.fresh.Store(false)
	x.bytes.Store(0)
	x.where, x.read, x.lacks = nil, 0, bitset.Set{}
}

// enter writes where the objects of a slot are to places by ID.
func enter(where []soa.Location, p *soa.PacketColumns, slot uint32) []soa.Location {
	for l, id := range p.IDs[slot][:p.Counts[slot]] {
		if uint64(id) >= uint64(len(where)) {
			where = mem.Resize(where, int(id)+1)
		}
		where[id] = soa.MakeLocation(slot, l)
	}
	return where
}
