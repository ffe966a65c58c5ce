package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Batch records changes for [Tree.Apply], as a command buffer. A handler fills it while it iterates
// over results, when the tree itself must not change. It is also a record of a log:
// [Batch.AppendBinary]. The zero Batch is empty and ready to use; recording validates nothing and
// allocates only to grow.
//
// The methods that record changes have the names and the effects of the methods of
// [Tree]; [Batch.RemoveAll] records a [Tree.Clear]. Every change of a tree can be recorded, with two
// exceptions. One is [Tree.MoveInOrder], whose boxes depend on an arrangement that earlier changes
// may end ([Batch.MoveBatch] with the IDs of [Tree.Order] gives the objects the same boxes). The
// other is Apply itself. The context and the progress function of a rebuild are not recorded.
//
// A batch belongs to one goroutine at a time. It must not be copied.
type Batch struct {
	runs  []run
	calls int // number of recorded changes
	parts     // columns of all runs, concatenated

	given []uint32   // IDs that Apply has inserted
	gone  bitset.Set // IDs of objects that left the world and were removed during Apply
	kept  parts      // columns of a run without these objects
}

// run is a run of n recorded calls of one kind, or one call with n objects.
type run struct {
	kind kind
	n    int
}

// parts are the arguments of calls, in columns. The table kinds lists the columns of each kind.
type parts struct {
	ids      []uint32 // of existing objects
	objects  []soa.Object
	balls    []soa.Ball
	boxes    []soa.AABB
	spheres  [][4]float32
	oriented []soa.OrientedBox
	words    []uint32 // masks; of a rebuild, bit 0 is frozen, and the others are the Cut
	flags    []bool   // static flags
}

type kind uint8

// The kinds of changes. Their numbers are part of the binary format.
const (
	insertion kind = iota + 1
	ballInsertion
	removal
	motion
	sphereMotion
	orientedMotion
	masking
	labelling
	sphereSetting
	orientedSetting
	batchInsertion
	ballBatchInsertion
	batchRemoval
	batchMotion
	sphereBatchMotion
	orientedBatchMotion
	sphereBatchSetting
	orientedBatchSetting
	clearing
	flushing
	ticking
	refitting
	rebuilding
	trimming
)

// hasPart is the set of columns of a kind.
type hasPart uint8

const (
	hasIDs hasPart = 1 << iota
	hasObjects
	hasBalls
	hasBoxes
	hasSpheres
	hasOriented
	hasWords
	hasFlags
)

// kinds lists for each kind the recorded method, its columns, and whether a run of it is one call.
var kinds = [...]struct {
	name  string
	has   hasPart
	whole bool
}{
	insertion:            {"Insert", hasObjects, false},
	ballInsertion:        {"InsertBall", hasBalls, false},
	removal:              {"Remove", hasIDs, false},
	motion:               {"Move", hasIDs | hasBoxes, false},
	sphereMotion:         {"MoveSphere", hasIDs | hasSpheres, false},
	orientedMotion:       {"MoveOriented", hasIDs | hasOriented, false},
	masking:              {"SetMask", hasIDs | hasWords, false},
	labelling:            {"SetStatic", hasIDs | hasFlags, false},
	sphereSetting:        {"SetSphere", hasIDs | hasSpheres, false},
	orientedSetting:      {"SetOriented", hasIDs | hasOriented, false},
	batchInsertion:       {"InsertBatch", hasObjects, true},
	ballBatchInsertion:   {"InsertBallBatch", hasBalls, true},
	batchRemoval:         {"RemoveBatch", hasIDs, true},
	batchMotion:          {"MoveBatch", hasIDs | hasBoxes, true},
	sphereBatchMotion:    {"MoveSphereBatch", hasIDs | hasSpheres, true},
	orientedBatchMotion:  {"MoveOrientedBatch", hasIDs | hasOriented, true},
	sphereBatchSetting:   {"SetSphereBatch", hasIDs | hasSpheres, true},
	orientedBatchSetting: {"SetOrientedBatch", hasIDs | hasOriented, true},
	clearing:             {"RemoveAll", 0, false},
	flushing:             {"Flush", 0, false},
	ticking:              {"Tick", 0, false},
	refitting:            {"Refit", 0, false},
	rebuilding:           {"Rebuild", hasWords, false},
	trimming:             {"Trim", 0, false},
}

// record adds a call with n objects, whose columns have been appended.
func (b *Batch) record(k kind, n int) {
	if last := len(b.runs) - 1; last >= 0 && b.runs[last].kind == k && !kinds[k].whole {
		b.runs[last].n++
	} else {
		b.runs = append(b.runs, run{k, n})
	}
	b.calls++
}

// Insert records an insertion. Apply returns the ID of the object.
func (b *Batch) Insert(o Object) {
	b.objects = append(b.objects, o)
	b.record(insertion, 1)
}

// InsertBall records the insertion of a ball.
func (b *Batch) InsertBall(o Ball) {
	b.balls = append(b.balls, o)
	b.record(ballInsertion, 1)
}

// InsertBatch records insertions, as one change. If the tree is empty at that point, they are built
// at once.
func (b *Batch) InsertBatch(objects []Object) {
	if len(objects) > 0 {
		b.objects = append(b.objects, objects...)
		b.record(batchInsertion, len(objects))
	}
}

// InsertBallBatch records insertions of balls, as one change.
func (b *Batch) InsertBallBatch(balls []Ball) {
	if len(balls) > 0 {
		b.balls = append(b.balls, balls...)
		b.record(ballBatchInsertion, len(balls))
	}
}

// Remove records a removal.
func (b *Batch) Remove(id uint32) {
	b.ids = append(b.ids, id)
	b.record(removal, 1)
}

// RemoveBatch records removals, as one change.
func (b *Batch) RemoveBatch(ids []uint32) {
	if len(ids) > 0 {
		b.ids = append(b.ids, ids...)
		b.record(batchRemoval, len(ids))
	}
}

// Move records a move.
func (b *Batch) Move(id uint32, box AABB) {
	b.ids, b.boxes = append(b.ids, id), append(b.boxes, box)
	b.record(motion, 1)
}

// MoveBatch records moves, as one change. If it moves most objects, [Config.Policy] chooses how the
// tree is updated. It panics if the slices differ in length.
func (b *Batch) MoveBatch(ids []uint32, boxes []AABB) {
	if b.lists("MoveBatch", ids, len(boxes)) {
		b.boxes = append(b.boxes, boxes...)
		b.record(batchMotion, len(ids))
	}
}

// MoveSphere records a move of a ball.
func (b *Batch) MoveSphere(id uint32, sphere [4]float32) {
	b.ids, b.spheres = append(b.ids, id), append(b.spheres, sphere)
	b.record(sphereMotion, 1)
}

// MoveSphereBatch records moves of balls, as one change. It panics if the slices differ in length.
func (b *Batch) MoveSphereBatch(ids []uint32, spheres [][4]float32) {
	if b.lists("MoveSphereBatch", ids, len(spheres)) {
		b.spheres = append(b.spheres, spheres...)
		b.record(sphereBatchMotion, len(ids))
	}
}

// MoveOriented records a move to an oriented box.
func (b *Batch) MoveOriented(id uint32, to OrientedBox) {
	b.ids, b.oriented = append(b.ids, id), append(b.oriented, to)
	b.record(orientedMotion, 1)
}

// MoveOrientedBatch records moves to oriented boxes, as one change. It panics if the slices differ
// in length.
func (b *Batch) MoveOrientedBatch(ids []uint32, boxes []OrientedBox) {
	if b.lists("MoveOrientedBatch", ids, len(boxes)) {
		b.oriented = append(b.oriented, boxes...)
		b.record(orientedBatchMotion, len(ids))
	}
}

// SetMask records a new type mask.
func (b *Batch) SetMask(id, mask uint32) {
	b.ids, b.words = append(b.ids, id), append(b.words, mask)
	b.record(masking, 1)
}

// SetStatic records a new static flag.
func (b *Batch) SetStatic(id uint32, static bool) {
	b.ids, b.flags = append(b.ids, id), append(b.flags, static)
	b.record(labelling, 1)
}

// SetSphere records a bounding sphere, which must be inside the box of the object at that point of
// the batch.
func (b *Batch) SetSphere(id uint32, sphere [4]float32) {
	b.ids, b.spheres = append(b.ids, id), append(b.spheres, sphere)
	b.record(sphereSetting, 1)
}

// SetSphereBatch records bounding spheres, as one change. It panics if the slices differ in length.
func (b *Batch) SetSphereBatch(ids []uint32, spheres [][4]float32) {
	if b.lists("SetSphereBatch", ids, len(spheres)) {
		b.spheres = append(b.spheres, spheres...)
		b.record(sphereBatchSetting, len(ids))
	}
}

// SetOriented records an oriented box, which must be inside the box of the object at that point of
// the batch.
func (b *Batch) SetOriented(id uint32, box OrientedBox) {
	b.ids, b.oriented = append(b.ids, id), append(b.oriented, box)
	b.record(orientedSetting, 1)
}

// SetOrientedBatch records oriented boxes, as one change. It panics if the slices differ in length.
func (b *Batch) SetOrientedBatch(ids []uint32, boxes []OrientedBox) {
	if b.lists("SetOrientedBatch", ids, len(boxes)) {
		b.oriented = append(b.oriented, boxes...)
		b.record(orientedBatchSetting, len(ids))
	}
}

// lists appends the IDs of a call with so many bodies, and reports whether there are any. It panics
// if the numbers differ.
func (b *Batch) lists(name string, ids []uint32, bodies int) bool {
	if len(ids) != bodies {
		panic(fmt.Sprintf("linear: %s of %d IDs and %d bodies recorded", name, len(ids), bodies))
	}
	b.ids = append(b.ids, ids...)
	return len(ids) > 0
}

// RemoveAll records the removal of all objects of the tree, a [Tree.Clear]. A later change cannot
// name an object that was there before. To empty the batch itself, for reuse, call [Batch.Reset].
func (b *Batch) RemoveAll() { b.record(clearing, 1) }

// Flush records a flush.
func (b *Batch) Flush() { b.record(flushing, 1) }

// Tick records the end of a frame.
func (b *Batch) Tick() { b.record(ticking, 1) }

// Refit records a refit.
func (b *Batch) Refit() { b.record(refitting, 1) }

// Rebuild records a rebuild, without [RebuildOptions.Progress].
func (b *Batch) Rebuild(opt RebuildOptions) {
	how := uint32(opt.Cut) << 1
	if opt.Frozen {
		how |= 1
	}
	b.words = append(b.words, how)
	b.record(rebuilding, 1)
}

// Trim records a trim.
func (b *Batch) Trim() { b.record(trimming, 1) }

// Len returns the number of recorded changes. A change of many objects, such as [Batch.MoveBatch],
// counts as one.
func (b *Batch) Len() int { return b.calls }

// Reset empties the batch, for reuse, and keeps its memory. It records nothing: to record the
// removal of all objects of the tree, call [Batch.RemoveAll].
func (b *Batch) Reset() {
	b.runs, b.calls = b.runs[:0], 0
	b.parts.reset()
}

func (p *parts) reset() {
	p.ids, p.objects, p.balls, p.boxes = p.ids[:0], p.objects[:0], p.balls[:0], p.boxes[:0]
	p.spheres, p.oriented, p.words, p.flags = p.spheres[:0], p.oriented[:0], p.words[:0], p.flags[:0]
}

// take cuts the columns of the first run off p, and returns them. Columns that the kind does not
// have are nil.
func (p *parts) take(r run) (first parts) {
	has := kinds[r.kind].has
	cutPart(&first.ids, &p.ids, has&hasIDs, r.n)
	cutPart(&first.objects, &p.objects, has&hasObjects, r.n)
	cutPart(&first.balls, &p.balls, has&hasBalls, r.n)
	cutPart(&first.boxes, &p.boxes, has&hasBoxes, r.n)
	cutPart(&first.spheres, &p.spheres, has&hasSpheres, r.n)
	cutPart(&first.oriented, &p.oriented, has&hasOriented, r.n)
	cutPart(&first.words, &p.words, has&hasWords, r.n)
	cutPart(&first.flags, &p.flags, has&hasFlags, r.n)
	return first
}

func cutPart[T any](first, all *[]T, has hasPart, n int) {
	if has != 0 {
		*first, *all = (*all)[:n:n], (*all)[n:]
	}
}

// bodies returns the new boxes or bounds of a run of moves: one list is set, the others are nil.
func (p *parts) bodies() (to octree.Bodies) {
	switch {
	case len(p.spheres) > 0:
		to.Spheres = p.spheres
	case len(p.oriented) > 0:
		to.Oriented = p.oriented
	default:
		to.Boxes = p.boxes
	}
	return to
}

// without sets p to the columns of a run without the removed objects.
func (p *parts) without(from *parts, gone *bitset.Set) {
	p.reset()
	for i, id := range from.ids {
		if gone.Has(id) {
			continue
		}
		p.ids = append(p.ids, id)
		if from.boxes != nil {
			p.boxes = append(p.boxes, from.boxes[i])
		}
		if from.spheres != nil {
			p.spheres = append(p.spheres, from.spheres[i])
		}
		if from.oriented != nil {
			p.oriented = append(p.oriented, from.oriented[i])
		}
		if from.words != nil {
			p.words = append(p.words, from.words[i])
		}
		if from.flags != nil {
			p.flags = append(p.flags, from.flags[i])
		}
	}
}
