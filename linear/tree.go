package linear

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Tree is an octree over boxes. See the package comment for its structure.
//
// One goroutine may change a tree at a time, and none while others query it.
// Any number of goroutines may query it between changes.
type Tree struct {
	cfg   Config
	world morton.World
	code  coder // of the world

	store *soa.Store
	spare *soa.Store // what the next build writes; nil before the second
	ids   soa.IDs

	centres soa.AABB // holds the centres of all objects
	frozen  bool
	pending int // objects in pending packets
	arrived int // objects that found homes one by one since the last build
	peak    int // most objects at a removal since the last build
	dead    int // slots that a frozen build had and that nobody owns any more

	dirty  bitset.Set   // slots whose lanes may be larger than they need to be
	tall   []bitset.Set // nodes to refit, by height
	thin   bitset.Set   // nodes of packets that lost objects
	graves []grave
	tick   uint32
	work   Work // since the last tick
	done   Work // of the last tick

	drifting bool    // objects are not given homes: see drift.go
	area     float64 // of all boxes when the drift began

	outside int // placements outside the world since they were last counted

	cuts   uint32   // changes of which packet is the home of which keys
	strays []uint32 // objects whose key may be outside their packet's interval

	scratch scratch
	job     job // the build at hand

	shared  *Publisher // unless nil
	touched *touched   // what changed since the last publication; nil: not shared
}

// scratch are the buffers of a build, kept for the next one.
type scratch struct {
	sort   radix.Scratch
	keys   []uint64
	places []soa.Place // of each key, when packets are the source
	topo   topology
	list   []uint32    // nodes, children first
	at     []soa.Place // places of the objects of a batch
	which  []uint32    // index in a batch by ID
	queue  []homeless
	leaf   leaf
	sample [3][]float32 // coordinates of centres
}

// Len returns the number of objects.
func (t *Tree) Len() int { return t.ids.Len() }

// World returns the cube that keys resolve.
func (t *Tree) World() morton.World { return t.world }

// Handle returns a handle of a live object, which stays valid until the object
// is removed. ok is false when the ID is not live.
func (t *Tree) Handle(id uint32) (h soa.Handle, ok bool) { return t.ids.Handle(id) }

// Resolve returns the ID of a handle, or [soa.ErrStale] when its object has
// been removed.
func (t *Tree) Resolve(h soa.Handle) (id uint32, err error) { return t.ids.Resolve(h) }

// Object returns a live object. ok is false when the ID is not live.
func (t *Tree) Object(id uint32) (o soa.Object, ok bool) {
	if !t.ids.Alive(id) {
		return o, false
	}
	w := t.ids.Where[id]
	return t.store.Packets.Object(w.Slot(), w.Lane()), true
}

// InsertBatch adds the objects and appends their IDs to dst. Into an empty tree
// it builds at once and the IDs are 0, 1, 2, … in the order of the objects. Into
// a tree with objects the new ones are pending, which queries see at once, and
// a batch that makes the pending list too long ends with a [Tree.Flush].
//
// A box that is not finite or is inverted, or is refused because it is outside,
// is an error that names the first such index and the numbers; a lack of IDs is
// one too. Then nothing is inserted, and dst is returned as it was. It ends the
// life of all views: an iteration that goes on panics.
func (t *Tree) InsertBatch(dst []uint32, objects []soa.Object) ([]uint32, error) {
	if len(objects) == 0 {
		return dst, nil
	}
	m := phase.Enter(phase.Encode)
	defer m.Leave()
	if err := t.admits(len(objects)); err != nil {
		return dst, err
	}
	centres, union, bad := asm.Survey(soa.Words(objects), 8, len(objects))
	if bad >= 0 {
		return dst, fmt.Errorf("linear: object %d: %w", bad, objects[bad].Box.Check())
	}
	// The world of an empty tree is yet to be fitted, unless it is given.
	if (t.cfg.Fixed || t.Len() > 0) && !t.holdsAll(boxOf(centres)) {
		for i := range objects {
			if err := t.checkWorld(&objects[i].Box); err != nil {
				return dst, fmt.Errorf("linear: object %d: %w", i, err)
			}
		}
	}
	if t.Len() == 0 {
		t.centres = boxOf(centres)
		if err := t.build(objects, boxOf(union)); err != nil {
			return dst, err
		}
		for i := range objects {
			dst = append(dst, uint32(i))
		}
		return dst, nil
	}
	m.Next(phase.Flush)
	if err := t.admitsPending(len(objects)); err != nil {
		return dst, err
	}
	t.change()
	t.centres = t.centres.Union(boxOf(centres))
	if all := boxOf(union); t.code.near(&all) {
		t.bound(&all)
	} else {
		for i := range objects {
			t.bound(&objects[i].Box)
		}
	}
	for i := range objects {
		dst = append(dst, t.addPending(&objects[i]))
	}
	return dst, t.flushIfFull()
}

// addPending puts a new object into the pending list and returns its ID.
func (t *Tree) addPending(o *soa.Object) uint32 {
	s := t.store
	slot, lane := t.openLane()
	id := t.ids.New(soa.MakePlace(slot, lane))
	s.Packets.Put(slot, lane, id, o)
	s.Count++
	s.Log.Insert(id, *o, t.Len())
	return id
}

// openLane counts one more object in the last pending packet, or in a new one, and
// returns where the caller is to put it.
func (t *Tree) openLane() (slot uint32, lane int) {
	s := t.store
	p := &s.Packets
	// Only the last pending packet has free lanes.
	if k := len(s.Pending); k == 0 || p.Counts[s.Pending[k-1]] == soa.Lanes {
		slot := uint32(0)
		if k%soa.BlockSlots == 0 {
			slot = t.allocBlock()
		} else {
			slot = s.Pending[k-1] + 1
		}
		s.Pending = append(s.Pending, slot)
	}
	slot = s.Pending[len(s.Pending)-1]
	lane = int(p.Counts[slot])
	p.Counts[slot]++
	t.touch(slot)
	t.pending++
	return slot, lane
}

// boxOf turns minx maxx miny maxy minz maxz into a box.
func boxOf(b [6]float32) soa.AABB {
	return soa.AABB{Min: [3]float32{b[0], b[2], b[4]}, Max: [3]float32{b[1], b[3], b[5]}}
}

// widen returns the extent grown to hold a box.
func widen(e [3]float32, b soa.AABB) [3]float32 {
	for a := range 3 {
		e[a] = max(e[a], abs(b.Min[a]), abs(b.Max[a]))
	}
	return e
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// records views objects as the eight-word records of the fill kernel.
func records(objects []soa.Object) [][8]float32 {
	return unsafe.Slice((*[8]float32)(unsafe.Pointer(unsafe.SliceData(objects))), len(objects))
}
