package octree

import (
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
)

// CopyTo writes a copy of a tree without deferred removals to a zero tree.
func (t *Tree) CopyTo(c *Tree) {
	*c = Tree{
		Config: t.Config, World: t.World, Code: t.Code,
		Store: t.Store.Clone(), IDs: t.IDs.Clone(),
		Centres: t.Centres, FastBounds: t.FastBounds, Frozen: t.Frozen, Pending: t.Pending, Arrived: t.Arrived, Base: t.Base, Peak: t.Peak, Dead: t.Dead,
		Dirty: t.Dirty.Clone(), RefitByHeight: make([]bitset.Set, len(t.RefitByHeight)), Underfull: t.Underfull.Clone(), Degraded: t.Degraded.Clone(), RecutCursor: t.RecutCursor, PlacedThisTick: t.PlacedThisTick,
		EmptyNodes: append([]EmptyNode(nil), t.EmptyNodes...), Tick: t.Tick, Ticked: t.Ticked, BuiltAtTick: t.BuiltAtTick, Moves: t.Moves, Work: t.Work, LastWork: t.LastWork,
		Outside: t.Outside, BulkMotion: t.BulkMotion, Area: t.Area, Arrangement: t.Arrangement, Displaced: append([]uint32(nil), t.Displaced...),
		Leaving: t.Leaving.Clone(), RemovedOutside: slices.Clone(t.RemovedOutside), SingleMoves: t.SingleMoves,
	}
	for h := range t.RefitByHeight {
		c.RefitByHeight[h] = t.RefitByHeight[h].Clone()
	}
	c.Store.Tree = NextSource()
	c.Index.IDs = &c.IDs
}
