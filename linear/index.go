package linear

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// index maps IDs to locations and to generations for a view. A tree uses its own IDs. The index of a published version
// stays with the buffer that holds the store. The writer keeps its generations. The first reader of a version that
// needs its locations updates them from the slots that have changed since the last update; without such a reader they
// cost nothing. The writer records the changed slots while it owns the buffer exclusively.
type index struct {
	ids  *soa.IDs // IDs of a tree; nil for a version
	gens []uint32 // of a version, by ID: the generation of a live ID; undefined for others

	fresh atomic.Bool  // where is up to date
	bytes atomic.Int64 // memory in bytes

	renewing sync.Mutex
	where    []soa.Location // by ID; undefined for IDs without an object
	read     int            // number of leading slots that where includes, as of the last update,
	lacks    bitset.Set     // except these
}

// of returns the locations by ID of a view, whose store is s.
func (x *index) of(s *soa.Store) []soa.Location {
	if x.ids != nil {
		return x.ids.Where
	}
	if !x.fresh.Load() {
		x.renew(&s.Packets)
	}
	return x.where
}

// generations returns the generations by ID of a view. They are undefined for IDs that are not live.
func (x *index) generations() []uint32 {
	if x.ids != nil {
		return x.ids.Gen
	}
	return x.gens
}

// copyGenerations updates the generations of a version from the generations of the tree. The caller must own the
// instance exclusively.
func (x *index) copyGenerations(rows *touched, gens []uint32) {
	if cap(x.gens) > 2*len(gens) { // the tree has been trimmed
		x.trimGenerations(len(gens))
	}
	if rows.allIDs {
		x.gens = mem.Fresh(x.gens, len(gens))
		copy(x.gens, gens)
		return
	}
	x.gens = mem.Resize(x.gens, len(gens))
	for id, ok := rows.ids.Next(0); ok && int64(id) < int64(len(gens)); id, ok = rows.ids.Next(id + 1) {
		x.gens[id] = gens[id]
	}
}

// trimGenerations drops the generations from ID n on, and the memory that the others do not need.
func (x *index) trimGenerations(n int) { x.gens = slices.Clone(x.gens[:min(len(x.gens), n)]) }

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
	x.bytes.Store(int64(mem.Bytes(x.where) + mem.Bytes(x.lacks.Words())))
	x.fresh.Store(true)
}

// lag records rows that have changed. slots is the smaller of the numbers of slots before and after the change. The
// caller must own the instance exclusively.
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

// drop releases the memory. The caller must own the instance exclusively.
func (x *index) drop() {
	x.fresh.Store(false)
	x.bytes.Store(0)
	x.where, x.read, x.lacks = nil, 0, bitset.Set{}
}

// enter writes the locations of the objects of a slot to where, by ID.
func enter(where []soa.Location, p *soa.PacketColumns, slot uint32) []soa.Location {
	for l, id := range p.IDs[slot][:p.Counts[slot]] {
		if uint64(id) >= uint64(len(where)) {
			where = mem.Resize(where, int(id)+1)
		}
		where[id] = soa.MakeLocation(slot, l)
	}
	return where
}

// find returns the location of an object. where must be right for each ID that is in the packets.
func find(where []soa.Location, p *soa.PacketColumns, id uint32) (slot uint32, lane int, ok bool) {
	if uint64(id) >= uint64(len(where)) {
		return 0, 0, false
	}
	w := where[id]
	slot, lane = w.Slot(), w.Lane()
	// The location of a free ID is stale: its lane holds another object, if any.
	ok = uint64(slot) < uint64(len(p.Counts)) && lane < int(p.Counts[slot]) && p.IDs[slot][lane] == id
	return slot, lane, ok
}
