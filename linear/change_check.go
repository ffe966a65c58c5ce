package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// checkBatch validates a batch. It returns the error of the first change that cannot be made, and
// changes nothing.
func (t *Tree) checkBatch(b *Batch) error {
	c := batchCheck{t: t, regions: t.octree.Buffers().Check.Regions[:0]}
	lastNamed := 0 // index of the last run that names objects
	for i, r := range b.runs {
		if operations[r.kind].has&hasIDs != 0 {
			lastNamed = i
		}
	}
	for i, r := range b.runs {
		effect := operations[r.kind].effect
		c.tracks = c.tracks || effect == bounds || effect == selects && i < lastNamed
	}
	left := b.parts
	call := 0
	var err error
	for i := 0; i < len(b.runs) && err == nil; {
		r, p, end := b.next(&left, i)
		c.namesLater = end <= lastNamed
		var bad int
		if bad, err = c.run(r, &p); err != nil {
			err = c.explain(r, &p, call, bad, err)
		}
		if call++; !operations[r.kind].whole {
			call += r.n - 1
		}
		i = end
	}
	c.undo(b)
	if err != nil || c.inserted == 0 {
		return err
	}
	return c.room()
}

// batchCheck is the state of the validation: the effects of the changes before the current one.
//
// A removal by region is not evaluated for all objects, but for those that later changes name: when a change names an
// object, its box, mask and flag at that point are tested against the regions since the object was last named. They
// have not changed in between.
type batchCheck struct {
	t          *Tree
	inserted   int             // objects inserted since the last RemoveAll
	cleared    bool            // there has been a RemoveAll
	claimed    int             // marked IDs of removals
	tracks     bool            // the latest boxes, masks and flags are tracked, for bounds or regions
	namesLater bool            // a change after the current one names an object
	regions    []octree.Region // removals by region until now, if a later change names an object
}

// explain adds the change and the object to an error.
func (c *batchCheck) explain(r run, p *parts, call, bad int, err error) error {
	op := &operations[r.kind]
	switch {
	case !op.whole:
		return fault.Errorf("linear: change %d of the batch, %s: %w", call+bad, op.name, err)
	case len(p.ids) == 0:
		return fault.Errorf("linear: change %d of the batch, %s: object %d: %w", call, op.name, bad, err)
	}
	return fault.Errorf("linear: change %d of the batch, %s: object %d, ID %d: %w", call, op.name, bad, p.ids[bad], err)
}

// run returns the index and the error of the first rejected object of a run.
func (c *batchCheck) run(r run, p *parts) (bad int, err error) {
	switch op := &operations[r.kind]; op.effect {
	case inserts:
		if bad, err = c.insertions(op.whole, p); err == nil {
			c.inserted += r.n
		}
	case removes:
		for i, id := range p.ids {
			if !c.alive(id) {
				return i, unknown(id)
			}
			c.t.octree.IDs.Claim(id)
			c.claimed++
		}
	case moves:
		switch {
		case !op.whole:
			bad, err = c.moves(p.ids, &p.to)
		case c.cleared || c.claimed > 0 || len(c.regions) > 0:
			if bad, err = c.firstDead(p.ids); err != nil {
				break
			}
			fallthrough
		default:
			_, bad, err = c.t.checkMoves(p.ids, &p.to, false)
		}
		if err == nil {
			c.track(p.ids, &p.to)
		}
	case bounds:
		bad, err = c.bounds(p.ids, &p.to)
	case labels:
		if bad, err = c.firstDead(p.ids); err == nil && c.tracks {
			c.trackLabels(r.kind, p)
		}
	case selects:
		for i := range p.regions {
			if err := p.regions[i].check(); err != nil {
				return i, err
			}
			if c.namesLater {
				c.regions = append(c.regions, p.regions[i].octree(r.kind == outsideRemoval))
			}
		}
	case tidies:
		for i, how := range p.words { // of rebuilds
			if cut := Cut(how >> 1); cut > CutCurve {
				return i, fmt.Errorf("RebuildOptions.Cut %d, want at most %d", cut, CutCurve)
			}
		}
	case clears:
		if c.inserted > 0 {
			// The insertions before need room, too, whether or not a RemoveAll preceded them.
			bad, err = 0, c.room()
		}
		c.inserted, c.cleared = 0, true
	}
	return bad, err
}

// alive reports whether a change may name an object.
func (c *batchCheck) alive(id uint32) bool {
	return !c.cleared && c.t.octree.IDs.Alive(id) && (len(c.regions) == 0 || c.passes(id))
}

// passes reports whether no removal by region before the current change has removed a live object.
func (c *batchCheck) passes(id uint32) bool {
	for e := c.tracked(id); e.Passed < len(c.regions); e.Passed++ {
		if c.t.octree.Selects(&c.regions[e.Passed], &e.Object) {
			return false
		}
	}
	return true
}

// firstDead returns the index and the error of the first object that a change may not name, or -1.
func (c *batchCheck) firstDead(ids []uint32) (bad int, err error) {
	for i, id := range ids {
		if !c.alive(id) {
			return i, unknown(id)
		}
	}
	return -1, nil
}

// insertions validates new objects, one by one or as a batch.
func (c *batchCheck) insertions(whole bool, p *parts) (bad int, err error) {
	t := c.t
	if whole {
		objects, spheres := p.objects, [][4]float32(nil)
		if len(p.balls) > 0 {
			if objects, spheres, bad, err = t.ballObjects(p.balls); err != nil {
				return bad, err
			}
		}
		_, _, bad, err = t.checkObjects(objects, spheres)
		return bad, err
	}
	for i := range p.balls {
		box, err := checkBall(p.balls[i].Sphere)
		if err == nil {
			err = t.checkOutside(&box)
		}
		if err == nil {
			err = t.checkNoBounds()
		}
		if err != nil {
			return i, err
		}
	}
	for i := range p.objects {
		if err := t.checkBox(&p.objects[i].Box); err != nil {
			return i, err
		}
	}
	return -1, nil
}

// moves validates single moves.
func (c *batchCheck) moves(ids []uint32, to *octree.Bodies) (bad int, err error) {
	for i, id := range ids {
		if i%octree.BatchStride == 0 {
			c.t.octree.FetchNext(ids[i:])
		}
		if !c.alive(id) {
			return i, unknown(id)
		}
		if i < len(to.Boxes) && c.t.octree.FastBounds.Contains(&to.Boxes[i]) && !c.t.octree.Thins() {
			continue
		}
		box, err := checkBody(to, i)
		if err == nil && c.t.octree.Config.Outside == octree.OutsideReject {
			err = c.t.outsideError(&box)
		}
		if err == nil && i < len(to.Boxes) {
			err = c.t.checkPoint(&box)
		} else if err == nil {
			err = c.t.checkNoBounds()
		}
		if err != nil {
			return i, err
		}
	}
	return -1, nil
}

// bounds validates bounds against the boxes of their objects.
func (c *batchCheck) bounds(ids []uint32, to *octree.Bodies) (bad int, err error) {
	n := len(to.Spheres)
	for i, id := range ids {
		if !c.alive(id) {
			return i, unknown(id)
		}
		if err := c.t.checkNoBounds(); err != nil {
			return i, err
		}
		if i < n {
			err = octree.CheckSphere(to.Spheres[i], c.boxOf(id))
		} else {
			err = octree.CheckInside(&to.Oriented[i-n], c.boxOf(id))
		}
		if err != nil {
			return i, err
		}
	}
	return -1, nil
}

// tracked returns the entry of a live object, which is valid until the next call.
func (c *batchCheck) tracked(id uint32) *octree.Tracked {
	t, sc := c.t, &c.t.octree.Buffers().Check
	if n := len(sc.Latest); n < t.octree.IDs.Cap() {
		sc.Latest = mem.Resize(sc.Latest, t.octree.IDs.Cap())
		clear(sc.Latest[n:])
	}
	if sc.Latest[id] == 0 {
		slot, lane := t.octree.Locate(id)
		sc.Tracked = append(sc.Tracked, octree.Tracked{ID: id, Object: t.octree.Store.Packets.Object(slot, lane)})
		sc.Latest[id] = uint32(len(sc.Tracked))
	}
	return &sc.Tracked[sc.Latest[id]-1]
}

// track records the latest boxes of objects, if a later change is checked against them.
func (c *batchCheck) track(ids []uint32, to *octree.Bodies) {
	if !c.tracks {
		return
	}
	for i := 0; i < len(ids); {
		end := to.End(i, octree.NextStride)
		boxes := c.t.octree.NextBoxes(to, i, end)
		for j, id := range ids[i:end] {
			c.tracked(id).Object.Box = boxes[j]
		}
		i = end
	}
}

// trackLabels records the latest masks or flags of objects.
func (c *batchCheck) trackLabels(k kind, p *parts) {
	for i, id := range p.ids {
		if o := &c.tracked(id).Object; k == masking {
			o.Mask = p.words[i]
		} else {
			o.Static = p.flags[i]
		}
	}
}

// boxOf returns the box of a live object at the current change.
func (c *batchCheck) boxOf(id uint32) soa.AABB {
	sc := &c.t.octree.Buffers().Check
	if uint64(id) < uint64(len(sc.Latest)) && sc.Latest[id] != 0 {
		return sc.Tracked[sc.Latest[id]-1].Object.Box
	}
	slot, lane := c.t.octree.Locate(id)
	return c.t.octree.Store.Packets.Box(slot, lane)
}

// undo clears all marks of the validation.
func (c *batchCheck) undo(b *Batch) {
	sc := &c.t.octree.Buffers().Check
	for i := range sc.Tracked {
		sc.Latest[sc.Tracked[i].ID] = 0
	}
	sc.Tracked, sc.Regions = sc.Tracked[:0], c.regions[:0]
	left := b.parts
	for i := 0; i < len(b.runs) && c.claimed > 0; i++ {
		p := left.take(b.runs[i])
		if operations[b.runs[i].kind].effect == removes {
			ids := p.ids[:min(c.claimed, len(p.ids))]
			for _, id := range ids {
				c.t.octree.IDs.Unclaim(id)
			}
			c.claimed -= len(ids)
		}
	}
}

// room returns an error if the insertions do not fit. Removals do not count, because they may be
// the last changes.
func (c *batchCheck) room() error {
	t := c.t
	if !c.cleared {
		return t.octree.AdmitsPending(c.inserted)
	}
	limit, packets := t.octree.Store.Packets.Limit(), (c.inserted+soa.Lanes-1)/soa.Lanes
	if c.inserted > radix.MaxLen || packets > limit {
		return fault.Errorf("linear: %w: no room for %d objects after a RemoveAll, at most %d, in %d slots", soa.ErrFull, c.inserted, radix.MaxLen, limit)
	}
	if more := c.inserted - t.Len(); more > 0 { // objects in addition to the present ones
		return t.octree.Admits(more)
	}
	return nil
}

// checkBody returns the box of body i, or the error of an invalid body.
func checkBody(b *octree.Bodies, i int) (box soa.AABB, err error) {
	n := len(b.Boxes)
	switch m := n + len(b.Spheres); {
	case i < n:
		return b.Boxes[i], b.Boxes[i].Check()
	case i < m:
		return checkBall(b.Spheres[i-n])
	default:
		return checkOriented(&b.Oriented[i-m])
	}
}
