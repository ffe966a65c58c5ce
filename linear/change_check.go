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
	c := batchCheck{t: t}
	for _, r := range b.runs {
		c.tracks = c.tracks || sets(r.kind)
	}
	left := b.parts
	call := 0
	var err error
	for _, r := range b.runs {
		p := left.take(r)
		var bad int
		if bad, err = c.run(r, &p); err != nil {
			err = c.explain(r, &p, call, bad, err)
			break
		}
		if kinds[r.kind].whole {
			call++
		} else {
			call += r.n
		}
	}
	c.undo(b)
	if err != nil || c.inserted == 0 {
		return err
	}
	return c.room()
}

// batchCheck is the state of the validation: the effects of the changes before the current one.
type batchCheck struct {
	t        *Tree
	inserted int  // objects inserted since the last RemoveAll
	cleared  bool // there has been a RemoveAll
	claimed  int  // marked IDs of removals
	tracks   bool // spheres or oriented boxes are set, and checked against the latest boxes
}

// sets reports whether a change of the kind is checked against the box of its object.
func sets(k kind) bool {
	return k == sphereSetting || k == sphereBatchSetting || k == orientedSetting || k == orientedBatchSetting
}

// explain adds the change and the object to an error.
func (c *batchCheck) explain(r run, p *parts, call, bad int, err error) error {
	k := &kinds[r.kind]
	switch {
	case !k.whole:
		return fault.Errorf("linear: change %d of the batch, %s: %w", call+bad, k.name, err)
	case p.ids == nil:
		return fault.Errorf("linear: change %d of the batch, %s: object %d: %w", call, k.name, bad, err)
	}
	return fault.Errorf("linear: change %d of the batch, %s: object %d, ID %d: %w", call, k.name, bad, p.ids[bad], err)
}

// run returns the index and the error of the first rejected object of a run.
func (c *batchCheck) run(r run, p *parts) (bad int, err error) {
	t := c.t
	switch r.kind {
	case insertion, ballInsertion, batchInsertion, ballBatchInsertion:
		if bad, err = c.insertions(r.kind, p); err == nil {
			c.inserted += r.n
		}
	case removal, batchRemoval:
		for i, id := range p.ids {
			if !c.alive(id) {
				return i, unknown(id)
			}
			t.octree.IDs.Claim(id)
			c.claimed++
		}
	case batchMotion, sphereBatchMotion, orientedBatchMotion:
		to := p.bodies()
		if c.cleared {
			return 0, unknown(p.ids[0])
		}
		if _, bad, err = t.checkMoves(p.ids, &to, false); err == nil {
			c.track(p.ids, &to)
		}
	case motion, sphereMotion, orientedMotion:
		bad, err = c.motions(p)
	case masking, labelling, sphereSetting, sphereBatchSetting, orientedSetting, orientedBatchSetting:
		for i, id := range p.ids {
			if !c.alive(id) {
				return i, unknown(id)
			}
			if p.spheres != nil {
				err = octree.CheckSphere(p.spheres[i], c.boxOf(id))
			} else if p.oriented != nil {
				err = octree.CheckInside(&p.oriented[i], c.boxOf(id))
			}
			if err != nil {
				return i, err
			}
		}
	case rebuilding:
		for i, how := range p.words {
			if cut := Cut(how >> 1); cut > CutCurve {
				return i, fmt.Errorf("RebuildOptions.Cut %d, want at most %d", cut, CutCurve)
			}
		}
	case clearing:
		if c.inserted > 0 {
			// The insertions before need room, too, whether or not a RemoveAll preceded them.
			bad, err = 0, c.room()
		}
		c.inserted, c.cleared = 0, true
	}
	return bad, err
}

// alive reports whether a change may name an object.
func (c *batchCheck) alive(id uint32) bool { return !c.cleared && c.t.octree.IDs.Alive(id) }

// insertions validates new objects.
func (c *batchCheck) insertions(k kind, p *parts) (bad int, err error) {
	t := c.t
	switch {
	case k == batchInsertion:
		_, _, bad, err = t.checkObjects(p.objects, nil)
	case k == ballBatchInsertion:
		objects, spheres, bad, err := t.ballObjects(p.balls)
		if err == nil {
			_, _, bad, err = t.checkObjects(objects, spheres)
		}
		return bad, err
	case p.balls != nil:
		for i := range p.balls {
			box, err := checkBall(p.balls[i].Sphere)
			if err == nil {
				err = t.checkOutside(&box)
			}
			if err != nil {
				return i, err
			}
		}
	default:
		for i := range p.objects {
			if err := t.checkBox(&p.objects[i].Box); err != nil {
				return i, err
			}
		}
	}
	return bad, err
}

// motions validates single moves.
func (c *batchCheck) motions(p *parts) (bad int, err error) {
	to := p.bodies()
	for i, id := range p.ids {
		if !c.alive(id) {
			return i, unknown(id)
		}
		var box soa.AABB
		switch {
		case p.spheres != nil:
			box, err = checkBall(p.spheres[i])
		case p.oriented != nil:
			box, err = checkOriented(&p.oriented[i])
		case !c.t.octree.FastBounds.Contains(&p.boxes[i]):
			box = p.boxes[i]
			err = box.Check()
		default:
			continue
		}
		if err == nil && c.t.octree.Config.Outside == octree.OutsideReject {
			err = c.t.outsideError(&box)
		}
		if err != nil {
			return i, err
		}
	}
	c.track(p.ids, &to)
	return -1, nil
}

// track records the latest boxes of objects, if a later change is checked against them.
func (c *batchCheck) track(ids []uint32, to *octree.Bodies) {
	if !c.tracks {
		return
	}
	t, sc := c.t, c.t.octree.Buffers()
	if n := len(sc.Latest); n < t.octree.IDs.Cap() {
		sc.Latest = mem.Resize(sc.Latest, t.octree.IDs.Cap())
		clear(sc.Latest[n:])
	}
	for i := 0; i < len(ids); i += octree.NextStride {
		end := min(i+octree.NextStride, len(ids))
		sc.Tracked = append(sc.Tracked, t.octree.NextBoxes(to, i, end)...)
		for j, id := range ids[i:end] {
			sc.Latest[id] = uint32(len(sc.Tracked) - (end - i) + j + 1)
		}
	}
}

// boxOf returns the box of a live object at the current change.
func (c *batchCheck) boxOf(id uint32) soa.AABB {
	t := c.t
	if latest := t.octree.Buffers().Latest; uint64(id) < uint64(len(latest)) && latest[id] != 0 {
		return t.octree.Buffers().Tracked[latest[id]-1]
	}
	slot, lane := t.octree.Locate(id)
	return t.octree.Store.Packets.Box(slot, lane)
}

// undo clears all marks of the validation.
func (c *batchCheck) undo(b *Batch) {
	t, sc := c.t, c.t.octree.Buffers()
	if c.claimed == 0 && len(sc.Tracked) == 0 {
		return
	}
	left := b.parts
	for _, r := range b.runs {
		p := left.take(r)
		switch {
		case r.kind == removal || r.kind == batchRemoval:
			for _, id := range p.ids[:min(c.claimed, r.n)] {
				t.octree.IDs.Unclaim(id)
			}
			c.claimed -= min(c.claimed, r.n)
		case len(sc.Tracked) > 0 && p.ids != nil:
			for _, id := range p.ids {
				if uint64(id) < uint64(len(sc.Latest)) {
					sc.Latest[id] = 0
				}
			}
		}
	}
	sc.Tracked = sc.Tracked[:0]
}

// room returns an error if the insertions do not fit. Removals do not count, because they may be
// the last changes.
func (c *batchCheck) room() error {
	t := c.t
	if !c.cleared {
		return t.octree.AdmitsPending(c.inserted)
	}
	limit, blocks := t.octree.Store.Packets.Limit(), (c.inserted+octree.BlockMax-1)/octree.BlockMax
	if c.inserted > radix.MaxLen || blocks > limit/soa.BlockSlots {
		return fault.Errorf("linear: %w: no room for %d objects after a RemoveAll, at most %d, in %d slots", soa.ErrFull, c.inserted, radix.MaxLen, limit)
	}
	if more := c.inserted - t.Len(); more > 0 { // objects in addition to the present ones
		return t.octree.Admits(more)
	}
	return nil
}

// checkBody returns the error of body i, or nil if it is valid.
func checkBody(b *octree.Bodies, i int) error {
	var err error
	switch {
	case b.Spheres != nil:
		_, err = checkBall(b.Spheres[i])
	case b.Oriented != nil:
		_, err = checkOriented(&b.Oriented[i])
	default:
		err = b.Boxes[i].Check()
	}
	return err
}
