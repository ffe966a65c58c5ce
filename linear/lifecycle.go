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
// changes in a [Batch].
func (t *Tree) All() iter.Seq2[uint32, soa.Object] {
	v := t.View()
	return func(yield func(uint32, soa.Object) bool) {
		s := v.Store()
		for id := range uint32(t.ids.Cap()) {
			if !t.ids.Alive(id) {
				continue
			}
			slot, lane := t.where(id)
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
	t.catchUp()
	t.ids.Clear()
	t.store.Log.Clear()
	t.vacate()
}

// vacate removes all nodes and packets.
func (t *Tree) vacate() {
	t.change()
	t.arrangement++
	t.clearStore()
	t.centres, t.door = soa.Empty(), closed
	t.code.far = false
	t.frozen = false
	t.forget()
	t.dead = 0
}

// forget resets the state of pending flushes, refits and ticks.
func (t *Tree) forget() {
	t.pending, t.arrived, t.base, t.peak = 0, 0, t.Len(), t.Len()
	t.strays = t.strays[:0]
	t.dirty.Clear()
	for h := range t.tall {
		t.tall[h].Clear()
	}
	t.thin.Clear()
	t.worn.Clear()
	t.mended, t.settled = 0, 0
	t.graves = t.graves[:0]
	t.outside, t.waits.singles = 0, 0
	t.drifting = false
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
	t.look()
	*c = Tree{
		cfg: t.cfg, world: t.world, code: t.code,
		store: t.store.Clone(), ids: t.ids.Clone(),
		centres: t.centres, door: t.door, frozen: t.frozen, pending: t.pending, arrived: t.arrived, base: t.base, peak: t.peak, dead: t.dead,
		dirty: t.dirty.Clone(), tall: make([]bitset.Set, len(t.tall)), thin: t.thin.Clone(), worn: t.worn.Clone(), mended: t.mended, settled: t.settled,
		graves: append([]grave(nil), t.graves...), tick: t.tick, ticked: t.ticked, built: t.built, moves: t.moves, work: t.work, done: t.done,
		outside: t.outside, drifting: t.drifting, area: t.area, arrangement: t.arrangement, strays: append([]uint32(nil), t.strays...),
		leaving: t.leaving.Clone(), departed: slices.Clone(t.departed),
	}
	for h := range t.tall {
		c.tall[h] = t.tall[h].Clone()
	}
	c.store.Tree = nextSource()
	c.waits.singles = t.waits.singles
	c.waits.calm.Store(true)
	c.index.ids = &c.ids
}
