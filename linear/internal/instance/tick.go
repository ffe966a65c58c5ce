package instance

import (
	"errors"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/soa"
)

// The pending work of a scene is a set of entries, due: the parts, and the scene's own trees, that
// have changed or been ticked since the scene processed them last, or that a tick has not finished
// with. A part in the set stays stale until it has been processed, so it is in the set of each
// scene that holds it. A scene with a non-empty set is in the sets of the scenes that hold it.

// notifyHolders adds an entry to the set.
func (s *Scene) notifyHolders(i uint32) {
	if s.Due.Len() == 0 {
		s.Part.Ticked()
	}
	s.Due.Add(i)
}

// Tick ticks the parts below, inner ones first, gives the instances of parts with other bounds new boxes, and ticks the
// own trees last.
func (s *Scene) Tick() error {
	var err error
	for depth := range s.Depth {
		for i, ok := s.Due.Next(FirstPart); ok; i, ok = s.Due.Next(i + 1) {
			if u := s.Entries[i].Part; u.Depth() == depth {
				err = errors.Join(err, s.tickEntry(i))
			}
		}
	}
	for _, i := range [...]uint32{OwnEntry, BoxesEntry} {
		if s.Due.Has(i) {
			err = errors.Join(err, s.tickEntry(i))
		}
	}
	s.Ticks++
	s.Part.Ticked()
	return err
}

// tickEntry ticks a part, unless it has been ticked already, and updates the boxes of its instances.
func (s *Scene) tickEntry(i uint32) error {
	e := &s.Entries[i]
	u := e.Part
	var err error
	if u.ticks() == e.Ticked {
		err = u.tick()
	}
	e.Ticked = u.ticks()
	st := u.Sync()
	err = errors.Join(err, s.notify(e, st))
	if err == nil && u.IsIdle() && !u.Stale.Load() {
		s.Due.Remove(i)
	}
	return err
}

// notify updates the boxes of a part's instances to its state: with Turns if the radius has changed,
// the others if the bounds have.
func (s *Scene) notify(e *Entry, st *State) error {
	next, now := e.Bounds, boundsOf(st)
	if !e.Bounds.fitsBounds(st) || e.Turns == len(e.IDs) {
		next.Box = now.Box
	}
	if !e.Bounds.fitsRadius(st) || e.Turns == 0 {
		next.Radius = now.Radius
	}
	bounds := next.Box != e.Bounds.Box && e.Turns < len(e.IDs)
	radius := next.Radius != e.Bounds.Radius && e.Turns > 0
	if !bounds && !radius {
		e.Bounds = next // no instance uses the changed one
		return nil
	}
	sc := &s.scratch
	sc.ids, sc.boxes, sc.reaches = sc.ids[:0], sc.boxes[:0], sc.reaches[:0]
	s.order(e)
	for _, id := range e.IDs {
		row := &s.Rows[id]
		turns := row.Turns()
		if turns && !radius || !turns && !bounds {
			continue
		}
		var box soa.AABB
		reach := next.writeBox(&box, &s.Transforms[id], turns)
		if err := box.Check(); err != nil {
			return fault.Errorf("linear: instance %d: %w", id, next.refused(err))
		}
		sc.ids, sc.boxes, sc.reaches = append(sc.ids, id), append(sc.boxes, box), append(sc.reaches, reach)
	}
	if err := s.boxes.MoveBatch(sc.ids, sc.boxes); err != nil {
		return fault.Errorf("linear: instances of a scene: %w", err)
	}
	for k, id := range sc.ids {
		s.Rows[id].Reach = sc.reaches[k]
	}
	e.Bounds = next
	return nil
}
