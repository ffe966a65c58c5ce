package linear

import (
	"errors"

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
// Two effects cannot be checked in advance. If a Flush or a Tick of the batch removes an object
// that has left the world ([OutsideRemove]), later changes of that object are skipped;
// [Tree.RemovedOutside] lists the objects removed by the last one. And a Flush, a Tick or a Rebuild
// that finds no room leaves objects in their packets; the next one that the program calls returns
// the error.
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
		return nil, err // deferred changes stay deferred
	}
	defer t.settleFrame()
	b.given = b.given[:0]
	if len(b.runs) > 0 {
		t.octree.BeginChange()
	}
	b.gone.Clear()
	left := b.parts
	for _, r := range b.runs {
		p := left.take(r)
		if b.gone.Len() > 0 && p.ids != nil {
			b.kept.without(&p, &b.gone)
			kept := b.kept
			r.n = len(kept.ids)
			p = kept.take(r)
		}
		if r.n == 0 {
			continue
		}
		if e := t.run(b, r, &p); err == nil {
			err = e
		}
	}
	t.applyDeferred()
	if e := t.octree.FlushFull(); err == nil {
		err = e
	}
	return b.given, err
}

// run makes a run of validated changes.
func (t *Tree) run(b *Batch, r run, p *parts) error {
	if r.kind < clearing {
		t.octree.BeginChange() // also after a Tick of the batch
	}
	switch r.kind {
	case insertion, ballInsertion, batchInsertion, ballBatchInsertion:
		return t.runInsertions(b, r, p)
	case motion, sphereMotion, orientedMotion:
		t.runMotions(p)
	case removal:
		t.applyDeferredMoves()
		for _, id := range p.ids {
			if t.octree.Remove(id) {
				t.deferred.markUnsynced()
			}
		}
	case batchRemoval:
		t.applyDeferred()
		t.removeObjects(p.ids)
	case batchMotion, sphereBatchMotion, orientedBatchMotion:
		t.applyDeferred()
		to := p.bodies()
		m, _ := t.octree.SurveyMoves(&to, t.octree.IsWhole(p.ids))
		return t.octree.MakeMoves(p.ids, &to, m)
	case masking, labelling, sphereSetting, sphereBatchSetting, orientedSetting, orientedBatchSetting:
		t.applyDeferred()
		t.runSettings(r.kind, p)
	case clearing:
		t.Clear()
	default:
		return t.runTidying(b, r, p)
	}
	return nil
}

// runInsertions inserts objects one by one, or as a batch.
func (t *Tree) runInsertions(b *Batch, r run, p *parts) error {
	t.applyDeferredMoves()
	first := len(b.given)
	whole := kinds[r.kind].whole
	objects, spheres := p.objects, [][4]float32(nil)
	if whole && p.balls != nil {
		objects, spheres, _, _ = t.ballObjects(p.balls)
	}
	var centres, union soa.AABB
	if whole {
		centres, union, _ = t.octree.Survey(objects)
	}
	if whole && t.Len() == 0 {
		var err error
		if b.given, err = t.insertFirst(b.given, objects, spheres, centres, union); err == nil {
			return nil
		}
		b.given = b.given[:first] // the build failed: make the objects pending
	}
	if t.octree.AdmitsPending(r.n) != nil {
		// Earlier changes of this batch have used up the room.
		_ = t.Rebuild(nil, RebuildOptions{Frozen: true})
	}
	switch {
	case whole:
		b.given = t.octree.InsertMore(b.given, objects, spheres, centres, union)
	case p.balls != nil:
		for i := range p.balls {
			ball := &p.balls[i]
			o := ball.Object()
			b.given = append(b.given, t.octree.InsertOne(&o, &ball.Sphere))
		}
	default:
		for i := range p.objects {
			b.given = append(b.given, t.octree.InsertOne(&p.objects[i], &octree.NoSphere))
		}
	}
	return nil
}

// runMotions records moves, which are deferred until the next change of another kind.
func (t *Tree) runMotions(p *parts) {
	for i, id := range p.ids {
		var box soa.AABB
		var sphere *[4]float32
		var oriented *soa.OrientedBox
		switch {
		case p.spheres != nil:
			sphere = &p.spheres[i]
			box = soa.Ball{Sphere: *sphere}.Box()
		case p.oriented != nil:
			oriented = &p.oriented[i]
			box = oriented.Box()
		default:
			box = p.boxes[i]
		}
		if !t.octree.FastBounds.Contains(&box) {
			t.octree.CountOut(&box)
		}
		t.deferMove(id, &box, sphere, oriented)
	}
}

// runSettings sets masks, static flags, spheres and oriented boxes.
func (t *Tree) runSettings(k kind, p *parts) {
	if p.spheres != nil {
		t.octree.UseSpheres()
	}
	if p.oriented != nil {
		t.octree.UseOriented()
	}
	for i, id := range p.ids {
		switch {
		case k == masking:
			t.octree.SetMask(id, p.words[i])
		case k == labelling:
			t.octree.SetStatic(id, p.flags[i])
		default:
			slot, lane := t.octree.Locate(id)
			if p.spheres != nil {
				t.octree.SetSphere(id, slot, lane, &p.spheres[i])
			} else {
				t.octree.SetOriented(id, slot, lane, &p.oriented[i])
			}
		}
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
