package octree

import "github.com/zoctree/zoctree/soa"

// Clear removes all objects: see linear.Tree.Clear.
func (t *Tree) Clear() {
	t.IDs.Clear()
	t.Store.Log.Clear()
	t.vacate()
}

// vacate removes all nodes and packets.
func (t *Tree) vacate() {
	t.BeginChange()
	t.Arrangement++
	t.clearStore()
	t.Centres, t.FastBounds = soa.Empty(), none
	t.Code.Outlier = false
	t.Frozen = false
	t.forget()
	t.Dead = 0
}

// forget resets the state of pending flushes, refits and ticks.
func (t *Tree) forget() {
	t.Pending, t.Arrived, t.Base, t.Peak = 0, 0, t.IDs.Len(), t.IDs.Len()
	t.Displaced = t.Displaced[:0]
	t.Dirty.Clear()
	for h := range t.RefitByHeight {
		t.RefitByHeight[h].Clear()
	}
	t.Underfull.Clear()
	t.Degraded.Clear()
	t.RecutCursor, t.PlacedThisTick = 0, 0
	t.EmptyNodes = t.EmptyNodes[:0]
	t.Outside, t.SingleMoves = 0, 0
	t.BulkMotion = false
}
