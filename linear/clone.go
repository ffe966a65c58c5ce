package linear

import (
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
)

// copyTo writes a copy of a tree without deferred removals to a zero tree.
func (t *Tree) copyTo(c *Tree) {
	*c = Tree{
		cfg: t.cfg, world: t.world, code: t.code,
		store: t.store.Clone(), ids: t.ids.Clone(),
		centres: t.centres, fastBounds: t.fastBounds, frozen: t.frozen, pending: t.pending, arrived: t.arrived, base: t.base, peak: t.peak, dead: t.dead,
		dirty: t.dirty.Clone(), refitByHeight: make([]bitset.Set, len(t.refitByHeight)), underfull: t.underfull.Clone(), degraded: t.degraded.Clone(), recutCursor: t.recutCursor, placedThisTick: t.placedThisTick,
		emptyNodes: append([]emptyNode(nil), t.emptyNodes...), tick: t.tick, ticked: t.ticked, built: t.built, moves: t.moves, work: t.work, done: t.done,
		outside: t.outside, bulkMotion: t.bulkMotion, area: t.area, arrangement: t.arrangement, displaced: append([]uint32(nil), t.displaced...),
		leaving: t.leaving.Clone(), removedOutside: slices.Clone(t.removedOutside), singles: t.singles,
	}
	for h := range t.refitByHeight {
		c.refitByHeight[h] = t.refitByHeight[h].Clone()
	}
	c.store.Tree = nextSource()
	c.index.ids = &c.ids
}
