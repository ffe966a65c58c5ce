package linear

import (
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// wasteShare is the room of columns, in objects for each object present, from which they waste memory.
const wasteShare = 4

// Trim releases unused memory: the buffers that builds keep for the next one, IDs that can never be used again, and
// memory that the log does not need. The next build allocates its buffers again. Columns with room for at least
// four times as many objects as there are, are replaced by new ones. If the packets in them could hold that many,
// the tree is rebuilt, regardless of [Config.Policy]. Trim invalidates all views: an iteration in progress panics.
// Handles of removed objects stay stale.
//
// Afterwards, an empty tree takes some kilobytes. So do the versions of a published tree from the next
// [Publisher.Publish] on, except versions that readers hold.
//
// Trim takes time proportional to the largest ID ever assigned, and that of a rebuild.
func (t *Tree) Trim() {
	t.applyDeferred()
	t.dropBuffers()
	t.tidy = false
	if wastes(t.Len(), len(t.store.Packets.Bounds)) {
		// The columns hold fewer packets than before, so there is room.
		if err := t.Rebuild(nil, RebuildOptions{Frozen: t.frozen}); err != nil {
			panic(err)
		}
		t.dropBuffers()
	}
	if t.Len() == 0 || wastes(t.Len(), cap(t.store.Packets.Bounds)) {
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
	t.deferred.free(t.Len())
	for _, set := range [...]*bitset.Set{&t.dirty, &t.underfull, &t.degraded, &t.leaving} {
		set.Trim()
	}
	t.refitByHeight = slices.Clone(t.refitByHeight)
	for h := range t.refitByHeight {
		t.refitByHeight[h].Trim()
	}
	if t.shared != nil {
		t.shared.dropFree()
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
	if t.Len() > soa.Lanes {
		t.scratch = new(scratch)
	}
}

// bufferBytes returns the memory of the buffers that dropBuffers drops, in bytes.
func (t *Tree) bufferBytes() (bytes int) {
	if t.spare != nil {
		bytes = t.spare.Bytes()
	}
	bytes += t.deferred.bytes()
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
