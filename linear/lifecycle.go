package linear

import (
	"iter"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/soa"
)

// Has reports whether an object has this ID now.
func (t *Tree) Has(id uint32) bool { return t.ids.Alive(id) }

// All returns an iterator over the live objects in the order of their IDs. It takes time proportional to the
// largest ID ever assigned and allocates nothing. Changing the tree during the iteration makes it panic: record the
// changes in a [Batch]. [View.All] iterates in the order of memory, which is faster in a large tree.
func (t *Tree) All() iter.Seq2[uint32, Object] {
	v := t.View()
	return func(yield func(uint32, soa.Object) bool) {
		s := v.Store()
		for id := range uint32(t.ids.Cap()) {
			if !t.ids.Alive(id) {
				continue
			}
			slot, lane := t.locate(id)
			if !yield(id, s.Packets.Object(slot, lane)) {
				return
			}
			v.Store() // panics if the tree has changed
		}
	}
}

// Clear removes all objects, as [Batch.RemoveAll] does. Their handles become stale; the next IDs are 0, 1, 2, …
// again. The tree keeps its memory, its world and its work counters: to fill it again allocates nothing. Clear
// takes time proportional to the largest ID ever assigned, and invalidates all views: an iteration in progress
// panics.
func (t *Tree) Clear() {
	t.applyDeferred()
	t.ids.Clear()
	t.store.Log.Clear()
	t.vacate()
}

// vacate removes all nodes and packets.
func (t *Tree) vacate() {
	t.beginChange()
	t.arrangement++
	t.clearStore()
	t.centres, t.fastBounds = soa.Empty(), none
	t.code.outlier = false
	t.frozen = false
	t.forget()
	t.dead = 0
}

// forget resets the state of pending flushes, refits and ticks.
func (t *Tree) forget() {
	t.pending, t.arrived, t.base, t.peak = 0, 0, t.Len(), t.Len()
	t.displaced = t.displaced[:0]
	t.dirty.Clear()
	for h := range t.refitByHeight {
		t.refitByHeight[h].Clear()
	}
	t.underfull.Clear()
	t.degraded.Clear()
	t.recutCursor, t.placedThisTick = 0, 0
	t.emptyNodes = t.emptyNodes[:0]
	t.outside, t.deferred.singles = 0, 0
	t.bulkMotion = false
}

// Clone returns an independent deep copy: the same objects with the same IDs and handles at the same locations.
// Queries and changes have the same results in both. It takes time and memory proportional to the tree; buffers and
// slack are not copied. It reads the tree like [Tree.View], so any number of goroutines may query or clone the tree
// at a time.
func (t *Tree) Clone() *Tree {
	c := new(Tree)
	t.cloneTo(c)
	return c
}

// cloneTo writes a copy to a zero tree.
func (t *Tree) cloneTo(c *Tree) {
	t.sync()
	*c = Tree{
		cfg: t.cfg, world: t.world, code: t.code,
		store: t.store.Clone(), ids: t.ids.Clone(),
		centres: t.centres, fastBounds: t.fastBounds, frozen: t.frozen, pending: t.pending, arrived: t.arrived, base: t.base, peak: t.peak, dead: t.dead,
		dirty: t.dirty.Clone(), refitByHeight: make([]bitset.Set, len(t.refitByHeight)), underfull: t.underfull.Clone(), degraded: t.degraded.Clone(), recutCursor: t.recutCursor, placedThisTick: t.placedThisTick,
		emptyNodes: append([]emptyNode(nil), t.emptyNodes...), tick: t.tick, ticked: t.ticked, built: t.built, moves: t.moves, work: t.work, done: t.done,
		outside: t.outside, bulkMotion: t.bulkMotion, area: t.area, arrangement: t.arrangement, displaced: append([]uint32(nil), t.displaced...),
		leaving: t.leaving.Clone(), removedOutside: slices.Clone(t.removedOutside),
	}
	for h := range t.refitByHeight {
		c.refitByHeight[h] = t.refitByHeight[h].Clone()
	}
	c.store.Tree = nextSource()
	c.deferred.singles = t.deferred.singles
	c.deferred.synced.Store(true)
	c.index.ids = &c.ids
}
