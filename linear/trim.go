package linear

import (
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// wasteShare is the room of columns, in objects for each object present, from which they waste memory.
const wasteShare = 4

// trim releases unused memory: see [Tree.Trim].
func (t *Tree) trim() {
	t.dropBuffers()
	t.tidy = false
	if wastes(t.ids.Len(), len(t.store.Packets.Bounds)) {
		// The columns hold fewer packets than before, so there is room.
		if err := t.rebuild(nil, buildParams{Frozen: t.frozen}); err != nil {
			panic(err)
		}
		t.dropBuffers()
	}
	if t.ids.Len() == 0 || wastes(t.ids.Len(), cap(t.store.Packets.Bounds)) {
		// The amount of allocated memory is not part of the state: a clone may have less, and stays equal.
		old := t.store
		t.store = old.Clone()
		t.store.Log = old.Log
		old.Version++
	}
	t.invalidateViews() // in any case: scenes must renew their state of the tree
	t.ids.Trim()
	t.store.Log.Trim(t.ids.Cap())
	t.displaced, t.emptyNodes = slices.Clone(t.displaced), slices.Clone(t.emptyNodes)
	t.removedOutside = slices.Clone(t.removedOutside)
	if t.ids.Len() <= soa.Lanes {
		t.removed = nil
	}
	for _, set := range [...]*bitset.Set{&t.dirty, &t.underfull, &t.degraded, &t.leaving} {
		set.Trim()
	}
	t.refitByHeight = slices.Clone(t.refitByHeight)
	for h := range t.refitByHeight {
		t.refitByHeight[h].Trim()
	}
}

// wastes reports whether columns with room for so many packets are mostly empty.
func wastes(objects, room int) bool {
	return room > 2*soa.BlockSlots && wasteShare*objects < soa.Lanes*room
}

// dropBuffers drops the buffers that a build can make again. A tree of more than a few objects keeps the empty
// lists, so that it need not allocate when objects are removed.
func (t *Tree) dropBuffers() {
	t.scratch, t.spare = nil, nil
	if t.ids.Len() > soa.Lanes {
		t.scratch = new(scratch)
	}
}

// bufferBytes returns the memory of the buffers that dropBuffers drops, in bytes.
func (t *Tree) bufferBytes() (bytes int) {
	if t.spare != nil {
		bytes = t.spare.Bytes()
	}
	bytes += mem.Bytes(t.removed)
	sc := t.scratch
	if sc == nil {
		return bytes
	}
	return bytes + sc.sort.Bytes() + mem.Bytes(sc.keys) + mem.Bytes(sc.locations) + mem.Bytes(sc.list) + mem.Bytes(sc.at) + mem.Bytes(sc.which) + mem.Bytes(sc.order) + mem.Bytes(sc.away) + mem.Bytes(sc.unplaced) +
		mem.Bytes(sc.boxes) + mem.Bytes(sc.balls) + mem.Bytes(sc.spheres) + mem.Bytes(sc.oriented) + mem.Bytes(sc.tracked) + mem.Bytes(sc.dirty) + mem.Bytes(sc.moved) + mem.Bytes(sc.latest) +
		mem.Bytes(sc.sample[0]) + mem.Bytes(sc.sample[1]) + mem.Bytes(sc.sample[2]) +
		mem.Bytes(sc.topo.starts) + mem.Bytes(sc.topo.owner) + cutterBytes(sc.cutters)
}

// bytes returns the memory of columns and buffers, in bytes.
func (t *Tree) bytes() int { return t.store.Bytes() + t.bufferBytes() }
