package octree

import (
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// Buffers returns the buffers of the tree. Workers may call it after their caller has.
func (t *Tree) Buffers() *Scratch {
	if t.scratch == nil {
		t.scratch = new(Scratch)
	}
	return t.scratch
}

// Scratch holds the reusable buffers of builds and of changes.
type Scratch struct {
	job       job // current build
	sort      radix.Scratch
	keys      []uint64
	locations []soa.Location // of each key, when packets are the source
	topo      topology
	cutters   []cellCutter        // one per worker
	list      []uint32            // nodes, children first
	at        []soa.Location      // locations of the objects of a batch
	which     [][soa.Lanes]uint32 // index in a batch by location
	order     []uint32            // IDs in memory order
	away      []uint64            // one bit per slot that objects may have left
	unplaced  []unplaced
	leaf      *leaf // nil until a packet overflows

	cuts, oldCuts cutNodes     // of the current stride and the one before it
	sample        [3][]float32 // coordinates of centres

	boxes   []soa.AABB   // of a stride of a batch of spheres
	Balls   []soa.Object // of a batch of balls or points
	Spheres [][4]float32 // spheres of balls

	oriented []soa.OrientedBox // of the queue

	Dirty []uint32   // IDs of a batch that was passed as bits
	Moved []soa.AABB // boxes of dirty

	Tracked []soa.AABB // boxes of the batch under check
	Latest  []uint32   // 1 + index of the last entry of tracked by ID; 0: none. All zero between two checks
}
