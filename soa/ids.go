package soa

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
)

// Handle is a generational handle: an object ID with the generation of its object. It stays valid
// until that object is removed. From then on it is stale, until the ID has been reused 2^30 times
// and generations repeat.
type Handle struct {
	ID, Gen uint32
}

// ErrStale is returned for a handle whose object has been removed.
var ErrStale = errors.New("soa: stale handle: its object has been removed")

// ErrFull is returned when no ID is left. Package linear also returns it when no packet or node is
// left: the error text says which.
var ErrFull = errors.New("soa: full")

// IDs allocates dense object IDs and maps each to the location of its object.
//
//	live    Where = the location        Gen odd
//	free    Where = next free ID        Gen even; None ends the list
//
// IDs are reused last in, first out. Both an allocation and a release increment the generation, so
// a handle is stale as soon as its object is removed.
//
// Gen has no rows until the first release. Until then every ID is live, in its first generation.
type IDs struct {
	Where  []Location
	Gen    Generations
	first  bool   // Gen is left out
	tried  bool   // Gen has been made by Claim, while no ID has been freed
	free   uint32 // 1 + first free ID, 0: none; so that the zero value is ready
	live   int
	barred uint32 // MaxIDs - the largest number of IDs
	floor  uint32 // even; the first generation of a new ID is floor + 1
}

// MaxIDs is the largest number of IDs; one value of an ID and of a location is reserved for none. A
// tree of package linear holds at most 2^31 - 1 objects, the most that its sort supports.
const MaxIDs = 1<<32 - 1

// oldGen is the generation from which on Trim keeps a free ID, because its generations may have
// wrapped around.
const oldGen = 1 << 31

// Len returns the number of live IDs.
func (d *IDs) Len() int { return d.live }

// Cap returns the number of IDs, live and free, that have been allocated and not trimmed.
func (d *IDs) Cap() int { return len(d.Where) }

// SetLimit sets the largest number of IDs, for tests of exhaustion. 0 means [MaxIDs].
func (d *IDs) SetLimit(n uint32) { d.barred = uint32(MaxIDs-uint64(n)) % MaxIDs }

// Fits returns an error unless n more IDs can be allocated.
func (d *IDs) Fits(n int) error {
	if uint64(d.live)+uint64(n) > MaxIDs-uint64(d.barred) {
		return d.full(n)
	}
	return nil
}

// full returns the error of Fits, which is inlined.
func (d *IDs) full(n int) error {
	return fmt.Errorf("%w: no object ID is left: %d live, %d more wanted, at most %d", ErrFull, d.live, n, MaxIDs-d.barred)
}

// New allocates an ID for an object at a location. The caller has checked [IDs.Fits].
func (d *IDs) New(where Location) uint32 {
	d.live++
	if d.free != 0 {
		id := d.free - 1
		d.free = 0
		if next := uint32(d.Where[id]); next != None {
			d.free = next + 1
		}
		d.Where[id] = where
		d.Gen.Low[id]++ // even, so without a carry
		return id
	}
	id := uint32(len(d.Where))
	if id == 0 {
		d.first = true
	}
	if len(d.Where) == cap(d.Where) || !d.first && d.Gen.Len() == cap(d.Gen.Low) {
		d.grow()
	}
	d.Where = append(d.Where, where)
	if !d.first {
		d.Gen.add(d.floor + 1)
	}
	return id
}

// useGenerations makes the column of generations, unless it is in use.
func (d *IDs) useGenerations() {
	if !d.first {
		return
	}
	d.first = false
	d.Gen.fill(len(d.Where), cap(d.Where)-len(d.Where), d.floor+1)
}

// SetGenerations replaces Gen by a copy of a list. Without rows all IDs are live, in their first generation.
func (d *IDs) SetGenerations(gens []uint32) {
	d.Gen = Generations{}
	d.Gen.SetAll(gens)
	d.first = len(gens) == 0 && len(d.Where) > 0
}

// Generation returns the generation of an allocated ID, live or free.
func (d *IDs) Generation(id uint32) uint32 {
	if d.first {
		return d.floor + 1
	}
	return d.Gen.At(id)
}

// IDs that a batch frees in ascending order are allocated in descending order. The free list is followed in strides,
// and after each the locations so far below its IDs are prefetched, where later ones of the list are.
const followStride, followAhead = 16, 1024

// NewBatch allocates len(ids) IDs, as so many calls of [IDs.New] would, for objects at one location. The caller has
// checked [IDs.Fits]. The free list is followed before anything is written, so that the processor reads ahead.
func (d *IDs) NewBatch(ids []uint32, where Location) {
	var ahead [followStride]uint32
	n := 0
	for n < len(ids) && d.free != 0 {
		part := ids[n:min(n+followStride, len(ids))]
		k := 0
		for k < len(part) && d.free != 0 {
			id := d.free - 1
			d.free = uint32(d.Where[id]) + 1 // None ends the list
			part[k], ahead[k] = id, max(id, followAhead)-followAhead
			k++
		}
		mem.Prefetch(d.Where, ahead[:k], 0)
		n += k
	}
	for _, id := range ids[:n] {
		d.Where[id] = where
		d.Gen.Low[id]++ // even, so without a carry
	}
	d.live += n
	for i := range ids[n:] {
		ids[n+i] = d.New(where)
	}
}

// grow doubles the room of all columns. Short ones grow by a factor of 4.
func (d *IDs) grow() {
	n := len(d.Where)
	room := max(2*n, min(4*n, 1024), 8)
	d.Where = mem.Resize(d.Where, room)[:n]
	if !d.first {
		d.Gen.reserve(room)
	}
}

// NewRun allocates the IDs 0 to n-1 while no object is live. Their locations are unspecified until
// they are set.
func (d *IDs) NewRun(n int) {
	if d.live != 0 {
		panic(fmt.Sprintf("soa: NewRun(%d) over %d live objects", n, d.live))
	}
	old := len(d.Where)
	total := max(old, n)
	d.Where = mem.Fresh(d.Where, total)
	if old == 0 {
		d.Gen.Resize(0)
		d.first, d.live, d.free = n > 0, n, 0
		return
	}
	d.Gen.Resize(total)
	for i := range min(old, n) {
		d.Gen.Low[i]++ // even, as all are free, to odd
	}
	for i := old; i < total; i++ {
		d.Gen.Set(uint32(i), d.floor+1)
	}
	d.live = n
	// The other IDs, if any, are free, lowest first.
	d.free = 0
	if total > n {
		d.free = uint32(n) + 1
		for i := n; i < total; i++ {
			d.Where[i] = Location(i + 1)
		}
		d.Where[total-1] = NoLocation
	}
}

// Clear frees all live IDs and keeps the memory. The next IDs are 0, 1, 2, ….
func (d *IDs) Clear() {
	if d.live > 0 {
		d.useGenerations()
	}
	for id, low := range d.Gen.Low {
		if low&1 != 0 {
			d.Gen.release(uint32(id))
		}
	}
	d.live = 0
	d.NewRun(0)
}

// Trim drops the free IDs behind the last live one and releases their memory. They are later
// allocated as new IDs, but with higher generations, so that handles of their objects stay stale.
// The other free IDs keep their order. The time is proportional to the number of IDs.
func (d *IDs) Trim() {
	n := len(d.Where)
	for n > 0 && !d.first && d.Gen.Low[n-1]&1 == 0 && d.Gen.At(uint32(n-1)) < oldGen {
		n--
		d.floor = max(d.floor, d.Gen.At(uint32(n)))
	}
	next, last := d.free, None
	d.free = 0
	for next != 0 {
		id := next - 1
		next = uint32(d.Where[id]) + 1 // None ends the list
		switch {
		case uint64(id) >= uint64(n):
			continue
		case last == None:
			d.free = id + 1
		default:
			d.Where[last] = Location(id)
		}
		last = id
	}
	if last != None {
		d.Where[last] = NoLocation
	}
	d.Where = slices.Clone(d.Where[:n:n])
	d.Gen.Trim(n)
}

// Clone returns an independent copy.
func (d *IDs) Clone() IDs {
	c := *d
	c.Where, c.Gen = slices.Clone(d.Where), d.Gen.Clone()
	return c
}

// Free releases a live ID.
func (d *IDs) Free(id uint32) {
	next := None
	if d.free != 0 {
		next = d.free - 1
	}
	if d.first {
		d.useGenerations()
	}
	d.tried = false
	d.Where[id] = Location(next)
	d.Gen.release(id)
	d.free = id + 1
	d.live--
}

// FreeBatch releases live IDs, as so many calls of [IDs.Free] would.
func (d *IDs) FreeBatch(ids []uint32) {
	if len(ids) == 0 {
		return
	}
	if d.first {
		d.useGenerations()
	}
	d.tried = false
	next := d.free - 1 // None if there is no free ID
	for _, id := range ids {
		d.Where[id] = Location(next)
		d.Gen.release(id)
		next = id
	}
	d.free = next + 1
	d.live -= len(ids)
}

// Claim marks a live ID as free without changing the free list, so that a batch detects duplicate
// IDs. Unclaim reverts it.
func (d *IDs) Claim(id uint32) {
	if d.first {
		d.useGenerations()
		d.tried = true
	}
	d.Gen.Low[id]--
}

// Unclaim undoes [IDs.Claim] of so many IDs. All claims must be undone before an ID is allocated or released.
func (d *IDs) Unclaim(ids ...uint32) {
	if d.tried {
		d.Gen.Resize(0)
		d.first, d.tried = true, false
	}
	if d.first {
		return
	}
	for _, id := range ids {
		d.Gen.Low[id]++
	}
}

// Alive reports whether the ID belongs to a live object.
func (d *IDs) Alive(id uint32) bool {
	if uint64(id) < uint64(len(d.Gen.Low)) {
		return d.Gen.Low[id]&1 == 1
	}
	return d.first && uint64(id) < uint64(len(d.Where))
}

// Handle returns the handle of a live ID.
func (d *IDs) Handle(id uint32) (Handle, bool) {
	if !d.Alive(id) {
		return Handle{}, false
	}
	return Handle{id, d.Generation(id)}, true
}

// Resolve returns the ID of a handle, or ErrStale.
func (d *IDs) Resolve(h Handle) (uint32, error) {
	if !d.Alive(h.ID) || d.Generation(h.ID) != h.Gen {
		return None, ErrStale
	}
	return h.ID, nil
}

// Bytes returns the size of the memory of the columns.
func (d *IDs) Bytes() int { return mem.Bytes(d.Where) + d.Gen.Bytes() }

// Check walks the free list and returns an error unless every ID is either live or in the list
// exactly once.
func (d *IDs) Check() error {
	if n := d.Gen.Len(); n != len(d.Where) && !(d.first && n == 0) {
		return fmt.Errorf("soa: %d locations and %d generations, want equal numbers", len(d.Where), n)
	}
	if n := len(d.Gen.High); n != 0 && n != d.Gen.Len() {
		return fmt.Errorf("soa: %d low halves of generations and %d high ones, want equal numbers, or no high ones", d.Gen.Len(), n)
	}
	if d.floor&1 != 0 || d.floor > oldGen {
		return fmt.Errorf("soa: new IDs follow the generation %d, which must be even and at most %d", d.floor, uint32(oldGen))
	}
	free := 0
	for next := d.free; next != 0; free++ {
		id := next - 1
		if uint64(id) >= uint64(len(d.Where)) || d.Alive(id) || free > len(d.Where) {
			return fmt.Errorf("soa: ID %d is in the free list of %d IDs, alive %v, after %d others",
				id, len(d.Where), d.Alive(id), free)
		}
		next = 0
		if w := uint32(d.Where[id]); w != None {
			next = w + 1
		}
	}
	if free+d.live != len(d.Where) {
		return fmt.Errorf("soa: %d free and %d live IDs are not all %d", free, d.live, len(d.Where))
	}
	return nil
}
