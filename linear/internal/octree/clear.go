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

// forget resets the lists and numbers of pending flushes, refits and ticks.
func (t *Tree) forget() {
	t.Pending, t.Arrived, t.Base, t.Peak = 0, 0, t.IDs.Len(), t.IDs.Len()
	t.Lists.forget()
	t.RecutCursor, t.PlacedThisTick = 0, 0
	t.Outside, t.SingleMoves = 0, 0
	t.BulkMotion = false
}
