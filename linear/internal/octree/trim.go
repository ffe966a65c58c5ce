package octree

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

// wasteShare is the room of columns, in objects for each object present, from which they waste memory.
const wasteShare = 4

// Trim releases unused memory: see linear.Tree.Trim.
func (t *Tree) Trim() {
	t.dropBuffers()
	t.Tidy, t.voxels = false, nil
	if len(t.Thinned) == 0 {
		t.Thinned = nil
	}
	if wastes(t.IDs.Len(), len(t.Store.Packets.Bounds)) {
		// The columns hold fewer packets than before, so there is room.
		if err := t.Rebuild(nil, BuildParams{Frozen: t.Frozen}); err != nil {
			panic(err)
		}
		t.dropBuffers()
	}
	p := &t.Store.Packets
	if t.IDs.Len() == 0 || wastes(t.IDs.Len(), cap(p.Bounds)) || !p.Masked() && cap(p.Masks) > 0 {
		// The amount of allocated memory is not part of the state: a clone may have less, and stays equal.
		old := t.Store
		t.Store = old.Clone()
		t.Store.Log = old.Log
		old.Version++
	}
	t.InvalidateViews() // in any case: scenes must renew their state of the tree
	t.IDs.Trim()
	t.Store.Log.Trim(t.IDs.Cap())
	t.Lists.trim()
	if t.IDs.Len() <= soa.Lanes {
		t.Removed = nil
	}
}

// wastes reports whether columns with room for so many packets are mostly empty.
func wastes(objects, room int) bool {
	return room > 2*soa.Fan && wasteShare*objects < soa.Lanes*room
}

// dropBuffers drops the buffers that a build can make again. A tree of more than a few objects keeps the empty
// lists, so that it need not allocate when objects are removed.
func (t *Tree) dropBuffers() {
	t.scratch, t.Spare = nil, nil
	if t.Unpacked() == 0 { // a build may have failed
		t.records = nil
	}
	if t.IDs.Len() > soa.Lanes {
		t.scratch = new(Scratch)
	}
}

// BufferBytes returns the memory of the buffers that dropBuffers drops, in bytes.
func (t *Tree) BufferBytes() (bytes int) {
	if t.Spare != nil {
		bytes = t.Spare.Bytes()
	}
	bytes += mem.Bytes(t.Removed) + t.recordsBytes() + t.VoxelBytes() + mem.Bytes(t.Thinned)
	sc := t.scratch
	if sc == nil {
		return bytes
	}
	return bytes + sc.sort.Bytes() + mem.Bytes(sc.keys) + mem.Bytes(sc.locations) + mem.Bytes(sc.list) + mem.Bytes(sc.at) + mem.Bytes(sc.index) + mem.Bytes(sc.indexRows) + mem.Bytes(sc.rows) + mem.Bytes(sc.order) + mem.Bytes(sc.away) + sc.strays.bytes() +
		mem.Bytes(sc.boxes) + mem.Bytes(sc.Balls) + mem.Bytes(sc.Spheres) + mem.Bytes(sc.Check.Tracked) + mem.Bytes(sc.Dirty.IDs) + mem.Bytes(sc.Dirty.Boxes) + mem.Bytes(sc.Check.Latest) + mem.Bytes(sc.Check.Regions) + sc.search.bytes() +
		mem.Bytes(sc.sample[0]) + mem.Bytes(sc.sample[1]) + mem.Bytes(sc.sample[2]) +
		mem.Bytes(sc.topo.starts) + mem.Bytes(sc.topo.owner) + cutterBytes(sc.cutters) +
		sc.many.bytes() + mem.Bytes(sc.receivers) + mem.Bytes(sc.rest) + mem.Bytes(sc.positions) + sc.thinned.bytes() + sc.queue.bytes()
}

// bytes returns the memory of columns and buffers, in bytes.
func (t *Tree) bytes() int { return t.Store.Bytes() + t.BufferBytes() }

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
	keys      []uint64       // of a build, or of the queue
	locations []soa.Location // of each key, when packets are the source
	topo      topology
	cutters   []cellCutter        // one per worker
	list      []uint32            // nodes, children first
	at        []soa.Location      // locations of the objects of a batch
	index     []uint32            // 1 + index in a batch by ID; 0: none
	indexRows [][soa.Lanes]uint32 // the same by location, of some packets
	order     []uint32            // IDs in memory order
	rows      [][soa.Lanes]uint32 // of an index, less a number
	away      []uint64            // one bit per slot that objects may have left
	queue     queue
	strays    strays      // of a batch
	leaf      *leaf       // nil until a packet overflows; of a fixed size, and not counted
	many      *leaf       // nil until a cell receives many objects
	receivers []receiver  // of a flush
	rest      []uint64    // items of a flush that share their cells with few
	landings  *[3]landing // nil until an object is placed
	stride    *moveStride // nil until an object moves
	positions []uint32    // of records, while some take the places of removed objects

	cuts, oldCuts cutNodes     // of the current stride and the one before it
	sample        [3][]float32 // coordinates of centres

	boxes   []soa.AABB   // of a stride of a batch of spheres
	Balls   []soa.Object // of a batch of balls or points
	Spheres [][4]float32 // spheres of balls

	Dirty DirtyList // of a batch that was passed as bits

	Check   CheckBuffers
	thinned thinning // the last batch that was thinned
	search  *search  // nil until objects are removed by region
}

// CheckBuffers are the buffers of the validation of a batch.
type CheckBuffers struct {
	Tracked []Tracked // objects of the batch
	Latest  []uint32  // 1 + index of the entry of Tracked by ID; 0: none. All zero between two checks
	Regions []Region  // removals by region
}

// Tracked is the state of an object at a point of a batch under check.
type Tracked struct {
	ID     uint32
	Object soa.Object
	Passed int // the removals by region of the batch, from the first on, that keep the object
}

// DirtyList lists objects and their boxes.
type DirtyList struct {
	IDs   []uint32
	Boxes []soa.AABB
}
