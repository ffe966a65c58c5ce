package octree

import (
	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Bodies holds the new bodies of the objects of a batch: first boxes, then spheres, then oriented
// boxes. With a sphere or an oriented box an object gets the smallest box that holds it.
type Bodies struct {
	Boxes    []soa.AABB
	Spheres  [][4]float32
	Oriented []soa.OrientedBox
}

// Len returns the number of bodies.
func (b *Bodies) Len() int { return len(b.Boxes) + len(b.Spheres) + len(b.Oriented) }

// Reset empties the lists, and keeps their memory.
func (b *Bodies) Reset() { b.Boxes, b.Spheres, b.Oriented = b.Boxes[:0], b.Spheres[:0], b.Oriented[:0] }

// Bytes returns the memory of the lists in bytes.
func (b *Bodies) Bytes() int {
	return mem.Bytes(b.Boxes) + mem.Bytes(b.Spheres) + mem.Bytes(b.Oriented)
}

// bounded reports whether there are spheres or oriented boxes.
func (b *Bodies) bounded() bool { return len(b.Spheres)+len(b.Oriented) > 0 }

// End returns the end of the run of bodies of one kind from body i on, of at most most bodies.
func (b *Bodies) End(i, most int) int {
	end := len(b.Boxes)
	if i >= end {
		if end += len(b.Spheres); i >= end {
			end += len(b.Oriented)
		}
	}
	return min(i+most, end)
}

// part returns bodies i to end-1, which are of one kind.
func (b *Bodies) part(i, end int) (p Bodies) {
	n := len(b.Boxes)
	switch m := n + len(b.Spheres); {
	case i < n:
		p.Boxes = b.Boxes[i:end]
	case i < m:
		p.Spheres = b.Spheres[i-n : end-n]
	default:
		p.Oriented = b.Oriented[i-m : end-m]
	}
	return p
}

// NextStride is the number of boxes of bounds that are computed at a time.
const NextStride = 1024

// NextBoxes returns the boxes of bodies i to end-1, which are of one kind. Boxes of bounds are
// computed, at most NextStride at a time, and valid until the next call.
func (t *Tree) NextBoxes(to *Bodies, i, end int) []soa.AABB {
	if i < len(to.Boxes) {
		return to.Boxes[i:end]
	}
	boxes := mem.Fresh(t.Buffers().boxes, end-i)
	t.Buffers().boxes = boxes
	if p := to.part(i, end); len(p.Spheres) > 0 {
		build.BallBoxes(boxes, p.Spheres)
	} else {
		for k := range boxes {
			boxes[k] = p.Oriented[k].Box()
		}
	}
	return boxes
}

// surveyStride is the number of boxes that are validated before they are copied from the cache.
const surveyStride = 1024

// SurveyBodies is build.Survey for the boxes of bodies: bad is the index of the first invalid body,
// negative if there is none.
func (t *Tree) SurveyBodies(to *Bodies) (centres, union [6]float32, bad int) {
	return t.surveyBodies(to, len(to.Boxes), func(int, int) {})
}

// surveyBodies is SurveyBodies, and calls f with the first and the last index, exclusive, of some valid bodies of one
// kind at a time, at most stride boxes.
func (t *Tree) surveyBodies(to *Bodies, stride int, f func(i, end int)) (centres, union [6]float32, bad int) {
	if to.Len() == 0 {
		return build.Survey(nil, 6, 0)
	}
	for i := 0; i < to.Len(); {
		most := NextStride
		if i < len(to.Boxes) {
			most = stride
		}
		end := to.End(i, most)
		boxes, part := t.NextBoxes(to, i, end), to.part(i, end)
		c, u, wrong := build.Survey(soa.BoxWords(boxes), 6, len(boxes))
		if k := part.badBound(wrong); k >= 0 {
			return centres, union, i + k
		}
		if i == 0 {
			centres, union = c, u
		}
		for k := 0; k < 6 && i > 0; k += 2 {
			centres[k], centres[k+1] = min(centres[k], c[k]), max(centres[k+1], c[k+1])
			union[k], union[k+1] = min(union[k], u[k]), max(union[k+1], u[k+1])
		}
		f(i, end)
		i = end
	}
	return centres, union, -1
}

// badBound returns the index of the first body with an invalid bound, or the index of the first with an invalid box if
// that is less. It is negative if there is none.
func (b *Bodies) badBound(box int) int {
	if box < 0 {
		box = b.Len()
	}
	for k := range b.Spheres {
		if k == box || !(b.Spheres[k][3] >= 0) {
			return k
		}
	}
	for k := range b.Oriented {
		if k == box || b.Oriented[k].Check() != nil {
			return k
		}
	}
	if box < b.Len() {
		return box
	}
	return -1
}

// BatchStride is the number of objects that a batch processes at a time. The objects of a batch are
// scattered in memory, and a change would spend most of its time in cache misses. So while one
// stride is changed, the cache lines of the next ones are prefetched.
//
//	places    ........ location of each object of the batch
//	fetch           [ stride ]              packets
//	change  [ stride ]                      boxes, then the tight boxes above
const BatchStride = 64

// BoxOf returns the box with the bounds minx maxx miny maxy minz maxz.
func BoxOf(b [6]float32) soa.AABB {
	return soa.AABB{Min: [3]float32{b[0], b[2], b[4]}, Max: [3]float32{b[1], b[3], b[5]}}
}

// Moves describes a validated batch of moves.
type Moves struct {
	Centres, union soa.AABB // boxes that contain the centres and the boxes
}

// noMoves describes moves to boxes inside the fast bounds: they widen nothing, and are in the world.
var noMoves = Moves{soa.Empty(), soa.Empty()}

// SurveyMoves is SurveyBodies for moves.
func (t *Tree) SurveyMoves(to *Bodies) (m Moves, bad int) {
	centres, union, bad := t.SurveyBodies(to)
	return Moves{BoxOf(centres), BoxOf(union)}, bad
}

// FetchNext prefetches what IDs.Alive reads of the second stride of a list of IDs.
func (t *Tree) FetchNext(ids []uint32) {
	fetch(t, t.IDs.Gen.Low, ids[min(BatchStride, len(ids)):min(2*BatchStride, len(ids))], 0)
}

// FirstDead returns the index of the first ID that is not live, or len(ids).
func (t *Tree) FirstDead(ids []uint32) int {
	if n := t.IDs.Cap(); n == t.IDs.Len() { // all are live
		beyond, last, rest := int64(0), int64(n)-1, ids
		for ; len(rest) >= 4; rest = rest[4:] {
			beyond |= (last - int64(rest[0])) | (last - int64(rest[1])) | (last - int64(rest[2])) | (last - int64(rest[3]))
		}
		for _, id := range rest {
			beyond |= last - int64(id)
		}
		if beyond >= 0 {
			return len(ids)
		}
	}
	for i := 0; i < len(ids); i += BatchStride {
		end := min(i+BatchStride, len(ids))
		t.FetchNext(ids[i:])
		for j, id := range ids[i:end] {
			if !t.IDs.Alive(id) {
				return i + j
			}
		}
	}
	return len(ids)
}

// MakeWhole makes the validated moves of a batch that names every object once.
func (t *Tree) MakeWhole(ids []uint32, to *Bodies, m Moves) error {
	t.Pack()
	t.CountMoves(ids, to, m)
	t.HoldMoves(m, to, func() []uint32 { return ids })
	out := t.mayLeave(m.Centres)
	if t.IsMajority(len(ids)) {
		return t.moveMajority(bulkMove{ids: ids, to: *to, out: out})
	}
	t.moveAll(ids, to) // most slots are free
	if out {
		t.Outside = t.countOutside()
	}
	return nil
}

// mayLeave reports whether objects with centres in a box may be outside the world, and are to be counted.
func (t *Tree) mayLeave(centres soa.AABB) bool {
	return t.Config.Outside == OutsideKeep && !t.holdsAll(centres)
}

// CountMoves counts validated moves, and records those that leave a world that removes objects. Moves that leave
// another one are counted when they are made.
func (t *Tree) CountMoves(ids []uint32, to *Bodies, m Moves) {
	t.Work.Moved += len(ids)
	if t.Config.Outside == OutsideRemove && !t.Config.World.Contains(m.Centres) {
		t.eachBox(to, func(i int, box *soa.AABB) { t.WillRemoveOutside(ids[i], box) })
	}
}

// eachBox calls f with the index and the box of each body.
func (t *Tree) eachBox(to *Bodies, f func(i int, box *soa.AABB)) {
	for i := 0; i < to.Len(); {
		end := to.End(i, NextStride)
		boxes := t.NextBoxes(to, i, end)
		for j := range boxes {
			f(i+j, &boxes[j])
		}
		i = end
	}
}

// MakeMoves makes deferred moves, for which CountMoves has been called, without a flush, and empties the lists.
func (t *Tree) MakeMoves(d *Deferred) error {
	defer d.Reset()
	t.Pack()
	switch {
	case d.loose > 0:
		m, _ := t.SurveyMoves(&d.To)
		t.HoldMoves(m, &d.To, d.all)
	case d.wide:
		t.HoldMoves(d.around, &d.To, d.all)
	default: // the fast bounds have not shrunk: before that, deferred moves are made
		t.refitOnly()
	}
	out := d.wide && t.mayLeave(d.around.Centres)
	most := (d.HasBatch() || t.Config.TickBudget == 0) && t.IsMajority(d.Len())
	if jump := !most && d.jump(t); most || jump {
		h := bulkMove{to: d.To, calls: d, out: out, jump: jump}
		if !d.isWhole(t) {
			h.index = t.indexOf(d)
		}
		return t.moveMajority(h)
	}
	if out {
		d.countOutside(t)
	}
	d.each(func(r moveRun, ids []uint32, first int) {
		part := d.To.part(first, first+r.n)
		t.moveAll(ids, &part)
	})
	return nil
}

// HoldMoves prepares the tree for moves to bodies. Objects that become far are made pending first; these need the IDs.
func (t *Tree) HoldMoves(m Moves, to *Bodies, all func() []uint32) {
	t.Centres = t.Centres.Union(m.Centres)
	if t.Code.Near(&m.union) {
		t.bound(&m.union)
	} else {
		ids := all()
		for i := 0; i < len(ids); {
			end := to.End(i, NextStride)
			boxes := t.NextBoxes(to, i, end)
			for j := range boxes {
				t.bound(&boxes[j])
				t.MakePending(ids[i+j], &boxes[j])
			}
			i = end
		}
	}
	t.FastBounds = t.computeFastBounds()
	t.useBoundsOf(to)
	t.refitOnly()
}

// placesOf returns the locations of the objects of one stride and the next, valid until the next call.
func (t *Tree) placesOf(ids []uint32) []soa.Location {
	at := mem.Fresh(t.Buffers().at, 2*BatchStride)
	t.Buffers().at = at
	for j, id := range ids {
		at[j] = t.IDs.Where[id]
	}
	return at[:len(ids)]
}

// moveAll overwrites the boxes of live objects. It removes their former bounds, and writes the new ones. After each
// stride objects that have moved far become pending, while their packets are in the cache. Other objects then fill
// their lanes, so the locations of a stride are read when it begins.
func (t *Tree) moveAll(ids []uint32, to *Bodies) {
	strict := t.strictPlacement()
	now := min(BatchStride, len(ids))
	fetch(t, t.IDs.Where, ids[:now], 0)
	at := t.placesOf(ids[:now])
	fetchPackets(t, at, 4)
	t.fetchLogged(at)
	fetch(t, t.IDs.Where, ids[now:min(2*now, len(ids))], 0)
	for i := 0; i < len(ids); {
		end := to.End(i, BatchStride)
		next := min(end+BatchStride, len(ids))
		at := t.placesOf(ids[i:next])
		fetch(t, t.IDs.Where, ids[next:min(next+BatchStride, len(ids))], 0)
		ids, boxes := ids[i:end], t.NextBoxes(to, i, end)
		t.fetchLogged(at[len(ids):])
		if strict {
			t.displaceAll(ids, at, boxes)
		}
		part := to.part(i, end)
		list := t.setBoxes(ids, at, boxes, &part)
		if !strict {
			t.displaceMoved(ids, at, list)
		}
		t.takeStrays()
		i = end
	}
}

// MoveInOrder moves all objects, in memory order, to valid boxes, and flushes if too many are displaced. It returns
// false, and changes nothing, if the moves need the IDs: they are few, or objects become far.
func (t *Tree) MoveInOrder(to *Bodies, m Moves) (ok bool, err error) {
	if !t.IsMajority(to.Len()) || !t.Code.Near(&m.union) {
		return false, nil
	}
	inside := t.holdsAll(m.Centres)
	t.BeginChange()
	t.DropVoxels()
	t.Centres = t.Centres.Union(m.Centres)
	t.bound(&m.union)
	t.refitOnly()
	t.Work.Moved += to.Len()
	if err := t.moveMajority(bulkMove{to: *to, out: !inside}); err != nil {
		return true, err
	}
	return true, t.FlushDisplaced()
}

// Order appends the IDs of all objects in memory order.
func (t *Tree) Order(dst []uint32) []uint32 {
	p := &t.Store.Packets
	for slot, n := range p.Counts {
		dst = append(dst, p.IDs[slot][:n]...)
	}
	return dst
}

// OrderNow returns the IDs in memory order, valid until the next call.
func (t *Tree) OrderNow() (ids []uint32) {
	t.Buffers().order = t.Order(t.Buffers().order[:0])
	return t.Buffers().order
}

// smallTree is the number of IDs up to which the objects of a tree stay in the cache of a core, and a prefetch only
// takes time.
const smallTree = 1 << 14

// fetch is mem.Prefetch for a tree that is not small.
func fetch[T any, I ~uint32](t *Tree, column []T, at []I, shift uint) {
	if t.IDs.Cap() > smallTree {
		mem.Prefetch(column, at, shift)
	}
}

// fetchPackets prefetches the columns of packets that a move reads and writes. at holds slots, or
// locations with a shift of 4.
func fetchPackets[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.Store.Packets
	fetch(t, p.Parents, at, shift)
	fetch(t, p.PlacementBoxes, at, shift)
	fetch(t, p.Bounds, at, shift)
}

// fetchRemoved prefetches the columns of packets that a removal reads and writes.
func fetchRemoved(t *Tree, at []soa.Location) {
	fetch(t, t.Store.Packets.Bounds, at, 4)
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
	fetch(t, t.IDs.Gen.Low, fillers, 0)
	fetch(t, t.IDs.Where, fillers, 0)
}

// fetchLogged prefetches the columns that a move of objects at these locations also uses if there is
// a log, or if objects have bounds.
func (t *Tree) fetchLogged(at []soa.Location) {
	p := &t.Store.Packets
	if t.Store.Log != nil {
		fetch(t, p.Masks, at, 4)
		fetch(t, p.Moving, at, 4)
	}
	if p.Bounded() {
		fetch(t, p.Spheres, at, 4)
		fetch(t, eachOriented(p), at, 0)
	}
}

// fetchLabels prefetches the other columns that an insertion or a removal uses.
func fetchLabels[I ~uint32](t *Tree, at []I, shift uint) {
	p := &t.Store.Packets
	fetch(t, p.Counts, at, shift)
	fetch(t, p.Moving, at, shift)
	fetch(t, p.IDs, at, shift)
	fetch(t, p.Masks, at, shift)
}
