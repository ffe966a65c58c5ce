package linear

import (
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// wasteShare says how many objects there is room for, for each one, in columns
// that waste memory.
const wasteShare = 4

// Trim gives memory back: the buffers that builds keep for the next one, which it
// will allocate anew, IDs that have been free for good, and what the log does not
// need. Columns that have room for four times as many objects as there are, or
// more, are replaced by new ones; when the packets in them could hold that many, the tree
// is rebuilt, whatever [Config.Policy] says. It ends the life of all views: an iteration that
// goes on panics. Handles of
// removed objects stay stale. After it, an empty tree takes some kilobytes; of one
// that is shared, so do its versions from the next [Publisher.Publish] on, but for
// those that readers hold.
//
// It takes time proportional to the largest ID given out, and that of a rebuild.
func (t *Tree) Trim() {
	t.catchUp()
	t.dropBuffers()
	t.tidy = false
	if wastes(t.Len(), len(t.store.Packets.Bounds)) {
		// Columns hold fewer than before, so there is room.
		if err := t.Rebuild(nil, RebuildOptions{Frozen: t.frozen}); err != nil {
			panic(err)
		}
		t.dropBuffers()
	}
	if t.Len() == 0 || wastes(t.Len(), cap(t.store.Packets.Bounds)) {
		// How much there is allocated is no state: a clone may have less, and stays equal.
		old := t.store
		t.store = old.Clone()
		t.store.Log = old.Log
		old.Version++
	}
	t.turn() // in any case: scenes have to do with a tree that turns
	t.ids.Trim()
	t.store.Log.Trim(t.ids.Cap())
	t.strays, t.graves = slices.Clone(t.strays), slices.Clone(t.graves)
	t.waits.drop(t.Len())
	if t.leaving.Len() == 0 {
		t.leaving = bitset.Set{}
	}
	if t.shared != nil {
		t.shared.giveBack()
	}
}

// wastes reports whether most of the columns is empty that have room for so many packets.
func wastes(objects, room int) bool {
	return room > 2*soa.BlockSlots && wasteShare*objects < soa.Lanes*room
}

// dropBuffers drops what a build can make again. A tree of more than a few objects keeps the
// empty lists, so that it need not grow when objects leave.
func (t *Tree) dropBuffers() {
	t.scratch, t.spare = nil, nil
	if t.Len() > soa.Lanes {
		t.scratch = new(scratch)
	}
}

// bufferBytes returns the memory of what dropBuffers drops.
func (t *Tree) bufferBytes() (bytes int) {
	if t.spare != nil {
		bytes = t.spare.Bytes()
	}
	bytes += t.waits.bytes()
	sc := t.scratch
	if sc == nil {
		return bytes
	}
	return bytes + sc.sort.Bytes() + space(sc.keys) + space(sc.places) + space(sc.list) + space(sc.at) + space(sc.which) + space(sc.order) + space(sc.away) + space(sc.queue) +
		space(sc.boxes) + space(sc.balls) + space(sc.spheres) + space(sc.oriented) + space(sc.tracked) + space(sc.dirty) + space(sc.moved) + space(sc.latest) +
		space(sc.sample[0]) + space(sc.sample[1]) + space(sc.sample[2]) +
		space(sc.topo.starts) + space(sc.topo.owner) + cutterBytes(sc.cutters)
}

// bytes returns the memory of columns and buffers.
func (t *Tree) bytes() int { return t.store.Bytes() + t.bufferBytes() }
