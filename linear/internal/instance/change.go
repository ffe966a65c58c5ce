package instance

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Add adds one instance of a part for each transform, and appends their IDs to dst. The error for a box names the
// first such transform. On an error nothing has changed, and dst is returned unchanged.
func (s *Scene) Add(dst []uint32, u *Part, transforms []xform.Transform, mask uint32, turns bool) ([]uint32, error) {
	defer u.Forget()
	i, held := s.EntryOf[u]
	var to Bounds
	if held {
		to = s.Entries[i].Bounds
	} else {
		to = boundsOf(u.Sync())
		if err := s.deepen(u); err != nil {
			return dst, err
		}
		defer s.lower(u.Depth()) // no effect if it is held by then
	}
	sc := &s.scratch
	sc.objects, sc.reaches = mem.Fresh(sc.objects, len(transforms)), mem.Fresh(sc.reaches, len(transforms))
	for k := range transforms {
		var box soa.AABB
		sc.reaches[k] = to.writeBox(&box, &transforms[k], turns)
		if err := box.Check(); err != nil {
			return dst, fault.Errorf("linear: transform %d of %d: %w", k, len(transforms), to.refused(err))
		}
		sc.objects[k] = soa.Object{Box: box, Mask: Mask(mask)}
	}
	ids, err := s.boxes.InsertBatch(sc.ids[:0], sc.objects) // the call of an interface would move dst to the heap
	if err != nil {
		return dst, fault.Errorf("linear: instances of a scene: %w", err)
	}
	sc.ids = ids
	if len(transforms) == 0 {
		return dst, nil
	}
	if !held {
		i = s.hold(u)
		s.Entries[i].Bounds = to
		s.EntryOf[u] = i
	}
	e := &s.Entries[i]
	if turns {
		e.Turns += len(transforms)
	}
	for k, id := range ids {
		s.write(id, i, &transforms[k])
		s.Rows[id] = Placement{uint32(len(e.IDs)), sc.reaches[k]}
		e.mixed = e.mixed || len(e.IDs) > 0 && id < e.IDs[len(e.IDs)-1]
		e.IDs = append(e.IDs, id)
	}
	s.change()
	return append(dst, ids...), nil
}

// Mask returns the mask of an instance, with 0 replaced by all bits.
func Mask(mask uint32) uint32 {
	if mask == 0 {
		return math.MaxUint32
	}
	return mask
}

// refused adds the bounds and the radius of the part to the error for a box.
func (to *Bounds) refused(err error) error {
	return fault.Errorf("a part with bounds %v to %v and radius %g: %w", to.Box.Min, to.Box.Max, to.Radius, err)
}

// Unknown returns the error for an ID that no instance has.
func Unknown(id uint32) error { return fmt.Errorf("%w: instance %d", octree.ErrUnknown, id) }

// Move sets the transform of an instance. On an error nothing has changed.
func (s *Scene) Move(id uint32, transform *xform.Transform) error {
	if !s.IsLive(id) {
		return Unknown(id)
	}
	row, i := &s.Rows[id], s.In[id]
	to := &s.Entries[i].Bounds
	if row.turnsTo(to, &s.Transforms[id], transform) {
		s.write(id, i, transform)
		s.change()
		return nil
	}
	var box soa.AABB
	reach := to.writeBox(&box, transform, row.Turns())
	if err := box.Check(); err != nil {
		return fault.Errorf("linear: instance %d: %w", id, to.refused(err))
	}
	if err := s.boxes.Move(id, box); err != nil {
		return fault.Errorf("linear: instance %d: %w", id, err)
	}
	s.write(id, i, transform)
	row.Reach = reach
	s.change()
	return nil
}

// ahead is the number of instances whose rows are loaded into the cache while as many others are moved.
const ahead = 16

// MoveBatch sets the transform of instance ids[i] to transforms[i]. When an ID is not live or a box is not finite, the
// error names the index and nothing moves.
func (s *Scene) MoveBatch(ids []uint32, transforms []xform.Transform) error {
	if err := s.boxesOf(ids, transforms); err != nil {
		return err
	}
	sc := &s.scratch
	sc.ids = append(sc.ids[:0], ids...) // instances that get boxes
	n := 0
	for k, id := range ids {
		if k%ahead == 0 {
			next := following(ids, k)
			mem.Prefetch(s.Transforms, next, 0)
			mem.Prefetch(s.Wrote, next, 0)
		}
		if e := &s.Entries[s.In[id]]; e.Turns > 0 {
			row := &s.Rows[id]
			if row.turnsTo(&e.Bounds, &s.Transforms[id], &transforms[k]) {
				s.rewrite(id, &transforms[k])
				continue
			}
			row.Reach = sc.reaches[k]
		}
		if n < k {
			sc.ids[n], sc.boxes[n] = id, sc.boxes[k]
		}
		n++
		s.rewrite(id, &transforms[k])
	}
	if len(ids) > 0 {
		s.change()
	}
	return s.boxes.MoveBatch(sc.ids[:n], sc.boxes[:n])
}

// following returns the IDs to prefetch at index k: at first two groups, then the one after the next.
func following(ids []uint32, k int) []uint32 {
	from := k + ahead
	if k == 0 {
		from = 0
	}
	return ids[min(from, len(ids)):min(k+2*ahead, len(ids))]
}

// boxesOf computes the boxes and the reaches of instances under other transforms.
func (s *Scene) boxesOf(ids []uint32, transforms []xform.Transform) error {
	sc := &s.scratch
	sc.boxes, sc.reaches = mem.Fresh(sc.boxes, len(ids)), mem.Fresh(sc.reaches, len(ids))
	for k, id := range ids {
		if k%ahead == 0 {
			mem.Prefetch(s.In, following(ids, k), 0)
		}
		if uint64(id) >= uint64(len(s.In)) || s.In[id] == soa.None {
			return fault.Errorf("linear: transform %d of %d: %w", k, len(ids), Unknown(id))
		}
		e := &s.Entries[s.In[id]]
		turns := e.Turns > 0 && s.Rows[id].Turns()
		box := &sc.boxes[k]
		sc.reaches[k] = e.Bounds.writeBox(box, &transforms[k], turns)
		if !isFinite(box) {
			err := box.Check()
			return fault.Errorf("linear: transform %d of %d, instance %d: %w", k, len(ids), id, e.Bounds.refused(err))
		}
	}
	return nil
}

// Vacate removes instances whose boxes the caller has removed from their entries.
func (s *Scene) Vacate(ids ...uint32) {
	for _, id := range ids {
		s.vacate(id)
	}
	s.compactIfSparse()
}

// vacate removes an instance from its entry.
func (s *Scene) vacate(id uint32) {
	row, i := &s.Rows[id], s.In[id]
	e := &s.Entries[i]
	last := len(e.IDs) - 1
	if moved := e.IDs[last]; moved != id {
		e.IDs[row.Index] = moved
		s.Rows[moved].Index = row.Index
		e.mixed = true
	}
	e.IDs = e.IDs[:last]
	if row.Turns() {
		e.Turns--
	}
	*row = Placement{}
	s.write(id, soa.None, &xform.Transform{})
	s.change()
	if last == 0 {
		s.drop(i)
	}
}
