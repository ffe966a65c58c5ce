package octree

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Index maps IDs to locations and to generations for a view. A tree uses its own IDs. The index of a published version
// stays with the buffer that holds the store. The writer keeps its generations. The first reader of a version that
// needs its locations updates them from the slots that have changed since the last update; without such a reader they
// cost nothing. The writer records the changed slots while it owns the buffer exclusively.
type Index struct {
	IDs  *soa.IDs        // IDs of a tree; nil for a version
	Gens soa.Generations // of a version: the generation of a live ID; undefined for others

	fresh atomic.Bool  // where is up to date
	Read  uint32       // number of leading slots that where includes, as of the last update, except Lacks
	Bytes atomic.Int64 // memory in bytes

	renewing sync.Mutex
	where    []soa.Location // by ID; undefined for IDs without an object
	Lacks    bitset.Set     // slots
}

// Locations returns the locations by ID of a view, whose store is s.
func (x *Index) Locations(s *soa.Store) []soa.Location {
	if x.IDs != nil {
		return x.IDs.Where
	}
	if !x.fresh.Load() {
		x.renew(&s.Packets)
	}
	return x.where
}

// HasHandle reports whether a view may have the object of a handle: only if its ID has that generation. The generations
// of IDs that are not live are undefined.
func (x *Index) HasHandle(h soa.Handle) bool {
	if x.IDs != nil {
		return x.IDs.Alive(h.ID) && x.IDs.Generation(h.ID) == h.Gen
	}
	return uint64(h.ID) < uint64(x.Gens.Len()) && x.Gens.At(h.ID) == h.Gen
}

// Handle returns the handle of an object of a view. ok is false in a file without generations.
func (x *Index) Handle(id uint32) (h soa.Handle, ok bool) {
	if x.IDs != nil {
		return x.IDs.Handle(id)
	}
	return soa.Handle{ID: id, Gen: x.Gens.At(id)}, true
}

// CopyGenerations updates the generations of a version from the generations of the tree. The caller must own the
// instance exclusively.
func (x *Index) CopyGenerations(rows *Touched, ids *soa.IDs) {
	n := ids.Cap()
	if cap(x.Gens.Low) > 2*n { // the tree has been trimmed
		x.Gens.Trim(n)
	}
	switch {
	case rows.AllIDs && ids.Gen.Len() < n: // all IDs have the same
		x.Gens.Fill(n, ids.Generation(0))
		return
	case rows.AllIDs:
		x.Gens.CopyFrom(&ids.Gen)
		return
	}
	x.Gens.Resize(n)
	for id, ok := rows.ids.Next(0); ok && int64(id) < int64(n); id, ok = rows.ids.Next(id + 1) {
		x.Gens.Set(id, ids.Generation(id))
	}
}

func (x *Index) renew(p *soa.PacketColumns) {
	x.renewing.Lock()
	defer x.renewing.Unlock()
	if x.fresh.Load() {
		return // another reader has done it
	}
	slots := uint32(len(p.Counts))
	for slot, ok := x.Lacks.Next(0); ok && slot < slots; slot, ok = x.Lacks.Next(slot + 1) {
		x.where = AppendLocations(x.where, p, slot)
	}
	for slot := x.Read; slot < slots; slot++ {
		x.where = AppendLocations(x.where, p, slot)
	}
	x.Read = slots
	x.Lacks.Clear()
	x.Bytes.Store(int64(mem.Bytes(x.where) + mem.Bytes(x.Lacks.Words())))
	x.fresh.Store(true)
}

// Lag records rows that have changed. slots is the smaller of the numbers of slots before and after the change. The
// caller must own the instance exclusively.
func (x *Index) Lag(rows *Touched, slots int) {
	x.fresh.Store(false)
	if x.Read == 0 {
		return
	}
	if rows.All {
		slots = 0
	}
	if x.Read = min(x.Read, uint32(slots)); x.Read == 0 {
		x.Lacks.Clear()
		return
	}
	x.Lacks.Join(&rows.Packets)
}

// Drop releases the memory. The caller must own the instance exclusively.
func (x *Index) Drop() {
	x.fresh.Store(false)
	x.Bytes.Store(0)
	x.where, x.Read, x.Lacks = nil, 0, bitset.Set{}
}

// AppendLocations writes the locations of the objects of a slot to where, by ID.
func AppendLocations(where []soa.Location, p *soa.PacketColumns, slot uint32) []soa.Location {
	for l, id := range p.IDs[slot][:p.Counts[slot]] {
		if uint64(id) >= uint64(len(where)) {
			where = mem.Resize(where, int(id)+1)
		}
		where[id] = soa.MakeLocation(slot, l)
	}
	return where
}

// ErrUnknown is the error for an ID that is not live.
var ErrUnknown = errors.New("linear: no live object has this ID")

// Locate returns the location of an object. where must be right for each ID that is in the packets.
func Locate(where []soa.Location, p *soa.PacketColumns, id uint32) (slot uint32, lane int, ok bool) {
	if uint64(id) >= uint64(len(where)) {
		return 0, 0, false
	}
	w := where[id]
	slot, lane = w.Slot(), w.Lane()
	// The location of a free ID is stale: its lane holds another object, if any.
	ok = uint64(slot) < uint64(len(p.Counts)) && lane < int(p.Counts[slot]) && p.IDs[slot][lane] == id
	return slot, lane, ok
}
