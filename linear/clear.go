package linear

import "github.com/zoctree/zoctree/soa"

// removeEverything removes all objects: see [Tree.Clear].
func (t *Tree) removeEverything() {
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
	t.pending, t.arrived, t.base, t.peak = 0, 0, t.ids.Len(), t.ids.Len()
	t.displaced = t.displaced[:0]
	t.dirty.Clear()
	for h := range t.refitByHeight {
		t.refitByHeight[h].Clear()
	}
	t.underfull.Clear()
	t.degraded.Clear()
	t.recutCursor, t.placedThisTick = 0, 0
	t.emptyNodes = t.emptyNodes[:0]
	t.outside, t.singles = 0, 0
	t.bulkMotion = false
}
