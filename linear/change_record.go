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
	gone  bitset.Set // IDs of objects that were removed during Apply because they left the world or were replaced
	kept  parts      // columns of a run without these objects

	gens     []uint32 // generations of given, if the tree thins
	replaced []Handle // objects that insertions have replaced, in order
}

// run is a run of n recorded calls of one kind, or one call with n objects.
type run struct {
	kind kind
	n    int
}

// parts are the arguments of calls, in columns. The table operations lists the columns of each kind.
type parts struct {
	ids     []uint32 // of existing objects
	objects []soa.Object
	balls   []soa.Ball
	to      octree.Bodies
	words   []uint32 // masks; of a rebuild, bit 0 is frozen, and the others are the Cut
	flags   []bool   // static flags
	regions []selection
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
	sphereJoined
	orientedJoined
	regionRemoval
	outsideRemoval
)

// hasPart is the set of columns of a kind.
type hasPart uint16

const (
	hasIDs hasPart = 1 << iota
	hasObjects
	hasBalls
	hasBoxes
	hasSpheres
	hasOriented
	hasWords
	hasFlags
	hasRegions
)

// effect is what a change does: how it is checked and applied.
type effect uint8

const (
	inserts effect = iota
	removes
	moves
	bounds  // sets bounds
	labels  // sets a mask or a static flag
	selects // removes by region
	clears
	tidies
	joins // continues the change before it with more objects
)

// operation describes the calls of a kind.
type operation struct {
	name   string // of the recorded method
	has    hasPart
	effect effect
	whole  bool // a run is one call
}

// operations lists all kinds. Records, their encoding, their check and Apply read this table.
var operations = [...]operation{
	insertion:            {"Insert", hasObjects, inserts, false},
	ballInsertion:        {"InsertBall", hasBalls, inserts, false},
	removal:              {"Remove", hasIDs, removes, false},
	motion:               {"Move", hasIDs | hasBoxes, moves, false},
	sphereMotion:         {"MoveSphere", hasIDs | hasSpheres, moves, false},
	orientedMotion:       {"MoveOriented", hasIDs | hasOriented, moves, false},
	masking:              {"SetMask", hasIDs | hasWords, labels, false},
	labelling:            {"SetStatic", hasIDs | hasFlags, labels, false},
	sphereSetting:        {"SetSphere", hasIDs | hasSpheres, bounds, false},
	orientedSetting:      {"SetOriented", hasIDs | hasOriented, bounds, false},
	batchInsertion:       {"InsertBatch", hasObjects, inserts, true},
	ballBatchInsertion:   {"InsertBallBatch", hasBalls, inserts, true},
	batchRemoval:         {"RemoveBatch", hasIDs, removes, true},
	batchMotion:          {"MoveBatch", hasIDs | hasBoxes, moves, true},
	sphereBatchMotion:    {"MoveBodies", hasIDs | hasSpheres, moves, true},
	orientedBatchMotion:  {"MoveBodies", hasIDs | hasOriented, moves, true},
	sphereBatchSetting:   {"SetBounds", hasIDs | hasSpheres, bounds, true},
	orientedBatchSetting: {"SetBounds", hasIDs | hasOriented, bounds, true},
	clearing:             {"RemoveAll", 0, clears, false},
	flushing:             {"Flush", 0, tidies, false},
	ticking:              {"Tick", 0, tidies, false},
	refitting:            {"Refit", 0, tidies, false},
	rebuilding:           {"Rebuild", hasWords, tidies, false},
	trimming:             {"Trim", 0, tidies, false},
	sphereJoined:         {"MoveBodies", hasIDs | hasSpheres, joins, true},
	orientedJoined:       {"MoveBodies or SetBounds", hasIDs | hasOriented, joins, true},
	regionRemoval:        {"RemoveIn", hasRegions, selects, false},
	outsideRemoval:       {"RemoveOutside", hasRegions, selects, false},
}

// joinable reports whether a run of a kind may continue one of another kind: a change of objects
// that get boxes, spheres and oriented boxes is recorded in runs of these, in this order.
func (k kind) joinable(last kind) bool {
	switch k {
	case sphereJoined:
		return last == batchMotion
	case orientedJoined:
		return last == batchMotion || last == sphereBatchMotion || last == sphereBatchSetting || last == sphereJoined
	}
	return operations[k].effect != joins
}

// record adds a call with n objects, whose columns have been appended.
func (b *Batch) record(k kind, n int) {
	if last := len(b.runs) - 1; last >= 0 && b.runs[last].kind == k && !operations[k].whole {
		b.runs[last].n++
	} else {
		b.runs = append(b.runs, run{k, n})
	}
	if operations[k].effect != joins {
		b.calls++
	}
}

// The kinds of a call with boxes, with spheres but no boxes, and with oriented boxes alone.
var (
	moveKinds  = [3]kind{batchMotion, sphereBatchMotion, orientedBatchMotion}
	boundKinds = [3]kind{1: sphereBatchSetting, 2: orientedBatchSetting}
)

// recordBodies adds one call with the bodies of objects. It panics unless there is an ID for each body.
func (b *Batch) recordBodies(name string, ids []uint32, to *octree.Bodies, kinds [3]kind) {
	if len(ids) != to.Len() {
		panic(fmt.Sprintf("linear: %s of %d IDs and %d bodies recorded", name, len(ids), to.Len()))
	}
	b.ids = append(b.ids, ids...)
	b.to.Boxes = append(b.to.Boxes, to.Boxes...)
	b.to.Spheres = append(b.to.Spheres, to.Spheres...)
	b.to.Oriented = append(b.to.Oriented, to.Oriented...)
	joined := [3]kind{1: sphereJoined, 2: orientedJoined}
	for i, n := range [...]int{len(to.Boxes), len(to.Spheres), len(to.Oriented)} {
		if n > 0 {
			b.record(kinds[i], n)
			kinds = joined
		}
	}
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
	b.ids, b.to.Boxes = append(b.ids, id), append(b.to.Boxes, box)
	b.record(motion, 1)
}

// MoveBatch records moves, as one change. If it moves most objects, [Config.Policy] chooses how the
// tree is updated. It panics if the slices differ in length.
func (b *Batch) MoveBatch(ids []uint32, boxes []AABB) {
	b.recordBodies("MoveBatch", ids, &octree.Bodies{Boxes: boxes}, moveKinds)
}

// MoveSphere records a move of a ball.
func (b *Batch) MoveSphere(id uint32, sphere [4]float32) {
	b.ids, b.to.Spheres = append(b.ids, id), append(b.to.Spheres, sphere)
	b.record(sphereMotion, 1)
}

// MoveBodies records moves to boxes, spheres and oriented boxes, as one change. It panics unless there
// is an ID for each body.
func (b *Batch) MoveBodies(ids []uint32, to Bodies) {
	b.recordBodies("MoveBodies", ids, (*octree.Bodies)(&to), moveKinds)
}

// MoveOriented records a move to an oriented box.
func (b *Batch) MoveOriented(id uint32, to OrientedBox) {
	b.ids, b.to.Oriented = append(b.ids, id), append(b.to.Oriented, to)
	b.record(orientedMotion, 1)
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
	b.ids, b.to.Spheres = append(b.ids, id), append(b.to.Spheres, sphere)
	b.record(sphereSetting, 1)
}

// SetOriented records an oriented box, which must be inside the box of the object at that point of
// the batch.
func (b *Batch) SetOriented(id uint32, box OrientedBox) {
	b.ids, b.to.Oriented = append(b.ids, id), append(b.to.Oriented, box)
	b.record(orientedSetting, 1)
}

// SetBounds records bounding spheres and oriented boxes, as one change. Each must be inside the box of
// its object at that point of the batch. It panics if there are boxes, or unless there is an ID for
// each bound.
func (b *Batch) SetBounds(ids []uint32, to Bodies) {
	noBoxes(&to)
	b.recordBodies("SetBounds", ids, (*octree.Bodies)(&to), boundKinds)
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
	p.ids, p.objects, p.balls, p.words, p.flags = p.ids[:0], p.objects[:0], p.balls[:0], p.words[:0], p.flags[:0]
	p.regions = p.regions[:0]
	p.to.Reset()
}

// take cuts the columns of the first run off p, and returns them. Columns that the kind does not
// have are nil.
func (p *parts) take(r run) (first parts) {
	has := operations[r.kind].has
	cutPart(&first.ids, &p.ids, has&hasIDs, r.n)
	cutPart(&first.objects, &p.objects, has&hasObjects, r.n)
	cutPart(&first.balls, &p.balls, has&hasBalls, r.n)
	cutPart(&first.to.Boxes, &p.to.Boxes, has&hasBoxes, r.n)
	cutPart(&first.to.Spheres, &p.to.Spheres, has&hasSpheres, r.n)
	cutPart(&first.to.Oriented, &p.to.Oriented, has&hasOriented, r.n)
	cutPart(&first.words, &p.words, has&hasWords, r.n)
	cutPart(&first.flags, &p.flags, has&hasFlags, r.n)
	cutPart(&first.regions, &p.regions, has&hasRegions, r.n)
	return first
}

func cutPart[T any](first, all *[]T, has hasPart, n int) {
	if has != 0 {
		*first, *all = (*all)[:n], (*all)[n:]
	}
}

// next cuts the columns of run i off left, with those of the runs that continue it. It returns them as
// one run, and the index of the run after them.
func (b *Batch) next(left *parts, i int) (r run, p parts, end int) {
	r = b.runs[i]
	p = left.take(r)
	for end = i + 1; end < len(b.runs) && operations[b.runs[end].kind].effect == joins; end++ {
		more := left.take(b.runs[end])
		p.ids = p.ids[:len(p.ids)+len(more.ids)] // adjacent in memory
		if len(more.to.Spheres) > 0 {
			p.to.Spheres = more.to.Spheres
		} else {
			p.to.Oriented = more.to.Oriented
		}
		if r.n = len(p.ids); r.kind == batchMotion {
			r.kind = sphereBatchMotion // of the name MoveBodies
		}
	}
	return r, p, end
}

// without sets p to the columns of a run without the removed objects.
func (p *parts) without(from *parts, gone *bitset.Set) {
	p.reset()
	nBoxes, nSpheres := len(from.to.Boxes), len(from.to.Spheres)
	for i, id := range from.ids {
		if gone.Has(id) {
			continue
		}
		p.ids = append(p.ids, id)
		p.to.Boxes = appendAt(p.to.Boxes, from.to.Boxes, i)
		p.to.Spheres = appendAt(p.to.Spheres, from.to.Spheres, i-nBoxes)
		p.to.Oriented = appendAt(p.to.Oriented, from.to.Oriented, i-nBoxes-nSpheres)
		p.words = appendAt(p.words, from.words, i)
		p.flags = appendAt(p.flags, from.flags, i)
	}
}

// appendAt appends from[i] to a list, if there is one.
func appendAt[T any](list, from []T, i int) []T {
	if uint(i) < uint(len(from)) {
		list = append(list, from[i])
	}
	return list
}
