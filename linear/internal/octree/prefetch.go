package octree

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// fetchPackets prefetches the columns of packets that a move reads and writes. at holds slots, or
// locations with a shift of 4.
func fetchPackets[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.Store.Packets
	mem.Prefetch(p.Parents, at, shift)
	mem.Prefetch(p.PlacementBoxes, at, shift)
	mem.Prefetch(p.Bounds, at, shift)
}

// fetchRemoved prefetches the columns of packets that a removal reads and writes.
func fetchRemoved(t *Tree, at []soa.Location) {
	mem.Prefetch(t.Store.Packets.Bounds, at, 4)
	fetchLabels(t, at, 4)
}

// fetchLast prefetches the ID columns of the last objects of packets, which fill the gaps that
// removals leave.
func fetchLast(t *Tree, at []soa.Location) {
	p := &t.Store.Packets
	var room [BatchStride]uint32
	fillers := room[:len(at)]
	for i, w := range at {
		slot := w.Slot()
		fillers[i] = p.IDs[slot][(p.Counts[slot]-1)&(soa.Lanes-1)]
	}
	mem.Prefetch(t.IDs.Gen, fillers, 0)
	mem.Prefetch(t.IDs.Where, fillers, 0)
}

// fetchLogged prefetches the columns that a move of objects at these locations also uses if there is
// a log, or if the objects get spheres.
func (t *Tree) fetchLogged(at []soa.Location, to *Bodies) {
	p := &t.Store.Packets
	if t.Store.Log != nil {
		mem.Prefetch(p.Masks, at, 4)
		mem.Prefetch(p.Moving, at, 4)
	}
	if to.Spheres != nil {
		mem.Prefetch(p.Spheres, at, 4)
	}
}

// fetchLabels prefetches the other columns that an insertion or a removal uses.
func fetchLabels[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.Store.Packets
	mem.Prefetch(p.Counts, at, shift)
	mem.Prefetch(p.Moving, at, shift)
	mem.Prefetch(p.IDs, at, shift)
	mem.Prefetch(p.Masks, at, shift)
}
