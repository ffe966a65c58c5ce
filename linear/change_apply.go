package linear

import (
	"cmp"
	"errors"
	"slices"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Apply runs the recorded changes in their order, all or none, as a transaction. It returns the IDs
// of the inserted objects, in the order of the insertions; the slice is valid until the batch is
// applied again. The batch keeps its changes until [Batch.Reset].
//
// A change must name an object that is live before Apply and not yet removed by the batch; a batch
// cannot name the objects that it inserts. If a change is invalid, for the reasons of the method of
// its name, the error names its index and the tree is unchanged. A sphere or an oriented box is
// checked against the box that the object has at that point of the batch. Insertions need room in
// addition to all objects that existed before the batch, or before its RemoveAll.
//
// A removal by region removes the objects that are in the region at that point of the batch. The
// check before the first change is exact for these, too: it tests each named object, with the box, the
// mask and the flag that the changes before have given it, against the regions of the batch before its
// name. An inserted object may be removed by a later region; then its returned ID is not live, or that
// of a later insertion.
//
// With [Config.Thin] the ID of an object that an insertion dropped, or that a later insertion of the batch replaced, is
// [None]. Later changes of an object that an insertion replaced are skipped.
//
// Two effects cannot be checked in advance. If a Flush or a Tick of the batch removes an object
// that has left the world ([OutsideRemove]), later changes of that object are skipped;
// [Tree.RemovedOutside] lists the objects removed by the last one. To the check of later regions such
// an object, and one that an insertion has replaced, is still where it was. And a Flush, a Tick or a
// Rebuild that finds no room leaves objects in their packets; the next one that the program calls
// returns the error.
//
// Apply ends with a flush if too many objects are pending or displaced ([Config.PendingMin]), and
// leaves no deferred change for a read to apply. So a tree that is changed only by Apply and
// [Tree.Tick] is a function of these calls; it does not depend on reads, publications or clones in
// between, nor on batches that were rejected. Trees with the same configuration that get the same
// calls are equal, object by object and bit by bit. A [Tree.Clone] that gets the calls made after
// it becomes equal to the original: see [Batch.AppendBinary].
//
// Apply costs the sum of its calls. In steady state it allocates nothing. It invalidates all views:
// an iteration that continues panics.
func (t *Tree) Apply(b *Batch) (ids []uint32, err error) {
	defer phase.Enter(phase.Flush).Leave()
	t.applyDeferred()
	if err := t.checkBatch(b); err != nil {
		return nil, err
	}
	defer t.settleFrame()
	b.given, b.gens = b.given[:0], b.gens[:0]
	if len(b.runs) > 0 {
		t.octree.BeginChange()
	}
	b.gone.Clear()
	left := b.parts
	for i := 0; i < len(b.runs); {
		r, p, end := b.next(&left, i)
		i = end
		if b.gone.Len() > 0 && len(p.ids) > 0 {
			b.kept.without(&p, &b.gone)
			p = b.kept
			r.n = len(p.ids)
		}
		if r.n == 0 {
			continue
		}
		if e := t.run(b, r, &p); err == nil {
			err = e
		}
	}
	if t.octree.Thins() {
		b.dropReplaced(t.octree.Thinned)
	}
	t.applyBeforeFlush()
	if e := t.octree.FlushFull(); err == nil {
		err = e
	}
	return b.given, err
}

// run makes a run of validated changes.
func (t *Tree) run(b *Batch, r run, p *parts) error {
	op := &operations[r.kind]
	if op.effect < clears {
		t.octree.BeginChange() // also after a Tick of the batch
	}
	switch op.effect {
	case inserts:
		t.runInsertions(b, op.whole, p)
	case removes:
		if op.whole {
			t.applyDeferred()
			t.removeObjects(p.ids)
			break
		}
		t.applyDeferredMoves()
		for _, id := range p.ids {
			if t.octree.Remove(id) {
				t.deferred.markUnsynced()
			}
		}
	case moves:
		if !op.whole {
			t.runMoves(p.ids, &p.to)
			break
		}
		if t.octree.IsWhole(p.ids) {
			m, _ := t.octree.SurveyMoves(&p.to)
			return t.makeWhole(p.ids, &p.to, m)
		}
		t.deferMoves(p.ids, &p.to, t.deferred.moves.Follow(&t.octree, p.ids))
	case bounds:
		t.applyDeferred()
		t.octree.SetBounds(p.ids, &p.to)
	case labels:
		t.applyDeferred()
		for i, id := range p.ids {
			if r.kind == masking {
				t.octree.SetMask(id, p.words[i])
			} else {
				t.octree.SetStatic(id, p.flags[i])
			}
		}
	case selects:
		for i := range p.regions {
			t.applyBeforeFlush()
			region := p.regions[i].octree(r.kind == outsideRemoval)
			t.octree.RemoveRegion(nil, &region)
		}
	case clears:
		t.Clear()
	case tidies:
		return t.runTidying(b, r, p)
	}
	return nil
}

// runInsertions inserts objects one by one, or as a batch.
func (t *Tree) runInsertions(b *Batch, whole bool, p *parts) {
	t.applyDeferredMoves()
	if t.octree.Thins() {
		t.runThinned(b, whole, p.objects)
		return
	}
	first, n := len(b.given), len(p.objects)+len(p.balls)
	objects, spheres := p.objects, [][4]float32(nil)
	var centres, union soa.AABB
	if whole {
		if len(p.balls) > 0 {
			objects, spheres, _, _ = t.ballObjects(p.balls)
		}
		centres, union, _ = t.octree.Survey(objects)
		if t.Len() == 0 {
			var err error
			if b.given, err = t.insertFirst(b.given, objects, spheres, centres, union); err == nil {
				return
			}
			b.given = b.given[:first] // the build failed: make the objects pending
		}
	}
	t.makeRoom(n)
	if whole {
		b.given = t.octree.InsertMore(b.given, objects, spheres, centres, union)
		return
	}
	for i := range p.balls {
		ball := &p.balls[i]
		o := ball.Object()
		b.given = append(b.given, t.octree.InsertOne(&o, &ball.Sphere))
	}
	for i := range p.objects {
		b.given = append(b.given, t.octree.InsertOne(&p.objects[i], &octree.NoSphere))
	}
}

// makeRoom makes room for n pending objects, if earlier changes of a batch have used it up.
func (t *Tree) makeRoom(n int) {
	if t.octree.AdmitsPending(n) != nil {
		_ = t.Rebuild(nil, RebuildOptions{Frozen: true})
	}
}

// runThinned is runInsertions for a tree that thins.
func (t *Tree) runThinned(b *Batch, whole bool, objects []soa.Object) {
	if len(b.gens) == 0 {
		t.octree.Thinned = t.octree.Thinned[:0]
	}
	before := len(t.octree.Thinned)
	step := 1
	if whole {
		step = len(objects)
	}
	for i := 0; i < len(objects); i += step {
		part, err := objects[i:i+step], error(soa.ErrFull)
		if whole && t.Len() == 0 {
			b.given, err = t.insertFirst(b.given, part, nil, soa.AABB{}, soa.AABB{})
		}
		if err != nil { // or the build has failed: make the objects pending
			t.makeRoom(step)
			var keep []soa.Object
			if b.given, keep = t.thin(b.given, part, false); len(keep) > 0 {
				t.insertKept(keep)
			}
		}
		for _, id := range b.given[len(b.gens):] {
			h, _ := t.octree.IDs.Handle(id)
			b.gens = append(b.gens, h.Gen)
		}
	}
	for _, h := range t.octree.Thinned[before:] {
		b.gone.Add(h.ID)
	}
}

// dropReplaced removes the IDs of inserted objects that later insertions of the batch have replaced.
func (b *Batch) dropReplaced(thinned []Handle) {
	if len(thinned) == 0 || len(b.given) == 0 {
		return
	}
	b.replaced = append(b.replaced[:0], thinned...)
	slices.SortFunc(b.replaced, compareHandles)
	for i, id := range b.given {
		if _, found := slices.BinarySearchFunc(b.replaced, Handle{ID: id, Gen: b.gens[i]}, compareHandles); found {
			b.given[i] = soa.None
		}
	}
}

func compareHandles(a, b Handle) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Gen, b.Gen))
}

// runMoves records moves to bodies of one kind, which are deferred until the next change of another
// kind.
func (t *Tree) runMoves(ids []uint32, to *octree.Bodies) {
	for i, id := range ids {
		t.limitDeferred(1)
		var box soa.AABB
		var sphere *[4]float32
		var oriented *soa.OrientedBox
		switch {
		case len(to.Spheres) > 0:
			sphere = &to.Spheres[i]
			box = soa.Ball{Sphere: *sphere}.Box()
		case len(to.Oriented) > 0:
			oriented = &to.Oriented[i]
			box = oriented.Box()
		default:
			box = to.Boxes[i]
		}
		known := t.octree.FastBounds.Contains(&box)
		if !known {
			t.octree.CountOut(&box)
		}
		t.deferMove(id, &box, sphere, oriented, known)
	}
}

// runTidying makes the calls that change no object, except those that have left the world. A call
// that finds no room has no effect.
func (t *Tree) runTidying(b *Batch, r run, p *parts) (err error) {
	for i := range r.n {
		var e error
		switch r.kind {
		case flushing:
			e = t.Flush()
		case ticking:
			e = t.Tick()
		case refitting:
			t.Refit()
		case rebuilding:
			e = t.Rebuild(nil, RebuildOptions{Frozen: p.words[i]&1 != 0, Cut: Cut(p.words[i] >> 1)})
		case trimming:
			t.Trim()
		}
		if r.kind == flushing || r.kind == ticking {
			for _, h := range t.octree.RemovedOutside {
				b.gone.Add(h.ID)
			}
		}
		if err == nil && !errors.Is(e, soa.ErrFull) {
			err = e
		}
	}
	return err
}
