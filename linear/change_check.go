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
		c.tracks = c.tracks || operations[r.kind].effect == bounds
	}
	left := b.parts
	call := 0
	var err error
	for i := 0; i < len(b.runs) && err == nil; {
		r, p, end := b.next(&left, i)
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
type batchCheck struct {
	t        *Tree
	inserted int  // objects inserted since the last RemoveAll
	cleared  bool // there has been a RemoveAll
	claimed  int  // marked IDs of removals
	tracks   bool // spheres or oriented boxes are set, and checked against the latest boxes
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
		case c.cleared:
			bad, err = 0, unknown(p.ids[0])
		case c.claimed > 0:
			for i, id := range p.ids {
				if !c.alive(id) {
					return i, unknown(id)
				}
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
		for i, id := range p.ids {
			if !c.alive(id) {
				return i, unknown(id)
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
func (c *batchCheck) alive(id uint32) bool { return !c.cleared && c.t.octree.IDs.Alive(id) }

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
		if !c.alive(id) {
			return i, unknown(id)
		}
		if i < len(to.Boxes) && c.t.octree.FastBounds.Contains(&to.Boxes[i]) {
			continue
		}
		box, err := checkBody(to, i)
		if err == nil && c.t.octree.Config.Outside == octree.OutsideReject {
			err = c.t.outsideError(&box)
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
	for i := 0; i < len(ids); {
		end := to.End(i, octree.NextStride)
		sc.Tracked = append(sc.Tracked, t.octree.NextBoxes(to, i, end)...)
		for j, id := range ids[i:end] {
			sc.Latest[id] = uint32(len(sc.Tracked) - (end - i) + j + 1)
		}
		i = end
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
		case operations[r.kind].effect == removes:
			for _, id := range p.ids[:min(c.claimed, r.n)] {
				t.octree.IDs.Unclaim(id)
			}
			c.claimed -= min(c.claimed, r.n)
		case len(sc.Tracked) > 0:
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
