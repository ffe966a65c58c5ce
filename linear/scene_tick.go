package linear

import (
	"errors"

	"github.com/zoctree/zoctree/internal/fault"
)

// The pending work of a scene is a set of entries, due: the parts, and the scene's own trees, that
// have changed or been ticked since the scene processed them last, or that a tick has not finished
// with. A part in the set stays stale until it has been processed, so it is in the set of each
// scene that holds it. A scene with a non-empty set is in the sets of the scenes that hold it.

// mark adds an entry to the set.
func (s *Scene) mark(i uint32) {
	if s.due.Len() == 0 {
		s.uses.mark()
	}
	s.due.Add(i)
}

// mark adds a part to the sets of the scenes that hold it.
func (u *uses) mark() {
	for _, by := range u.by {
		by.scene.mark(by.entry)
	}
}

// Tick ends a frame and refits the scene. It ticks the parts below, inner ones first, each once
// however many scenes hold it. A part that another scene or the program has ticked since the last
// tick of this scene is not ticked again. Then it gives the instances of parts with other bounds
// new boxes. A part that has grown gets them at once. A part that has shrunk gets them when the sum
// of its sides, or its radius for instances with Turns, is less than four fifths of the former one.
// Last it ticks the trees of the scene. Parts without changes and without pending work cost
// nothing.
//
// The errors are those of [Tree.Tick], and instances whose boxes would not be finite: these keep
// their boxes, and queries still find their objects ([SceneView.Outgrown]). An error does not keep
// other parts from being processed. If there was work, all views of the scene, and of the scenes
// that hold it, are invalidated. In steady state it allocates nothing.
func (s *Scene) Tick() error {
	s.made()
	var err error
	for depth := range s.depth {
		for i, ok := s.due.Next(firstPart); ok; i, ok = s.due.Next(i + 1) {
			if u := s.entries[i].uses; u.depth() == depth {
				err = errors.Join(err, s.tickEntry(i))
			}
		}
	}
	for _, i := range [...]uint32{ownEntry, placesEntry} {
		if s.due.Has(i) {
			err = errors.Join(err, s.tickEntry(i))
		}
	}
	s.ticks++
	s.uses.mark()
	return err
}

// tickEntry ticks a part, unless it has been ticked already, and updates the boxes of its
// instances.
func (s *Scene) tickEntry(i uint32) error {
	e := &s.entries[i]
	u := e.uses
	var err error
	if u.ticks() == e.ticked {
		err = u.tick()
	}
	e.ticked = u.ticks()
	st := u.look()
	err = errors.Join(err, s.tell(e, st))
	if err == nil && u.calm() && !u.stale.Load() {
		s.due.Remove(i)
	}
	return err
}

// tell updates the boxes of a part's instances to its state: with Turns if the radius has changed,
// the others if the bounds have.
func (s *Scene) tell(e *entry, st *state) error {
	next, now := e.told, tellOf(st)
	if !e.told.fitsBounds(st) || e.turns == len(e.ids) {
		next.bounds = now.bounds
	}
	if !e.told.fitsRadius(st) || e.turns == 0 {
		next.radius = now.radius
	}
	bounds := next.bounds != e.told.bounds && e.turns < len(e.ids)
	radius := next.radius != e.told.radius && e.turns > 0
	if !bounds && !radius {
		e.told = next // no instance uses the changed one
		return nil
	}
	sc := &s.scratch
	sc.ids, sc.boxes, sc.reaches = sc.ids[:0], sc.boxes[:0], sc.reaches[:0]
	s.order(e)
	for _, id := range e.ids {
		row := &s.rows[id]
		turns := row.turns()
		if turns && !radius || !turns && !bounds {
			continue
		}
		box, reach := next.box(&s.poses[id], turns)
		if err := box.Check(); err != nil {
			return fault.Errorf("linear: place %d: %w", id, next.refused(err))
		}
		sc.ids, sc.boxes, sc.reaches = append(sc.ids, id), append(sc.boxes, box), append(sc.reaches, reach)
	}
	if err := s.places.MoveBatch(sc.ids, sc.boxes); err != nil {
		return fault.Errorf("linear: places of a scene: %w", err)
	}
	for k, id := range sc.ids {
		s.rows[id].reach = sc.reaches[k]
	}
	e.told = next
	return nil
}

// ticks returns the number of ticks of the part.
func (u *uses) ticks() uint32 {
	switch {
	case u.scene != nil:
		return u.scene.ticks
	case u.snap != nil:
		return 0
	}
	return u.tree.tick
}

func (u *uses) tick() error {
	switch {
	case u.scene != nil:
		return u.scene.Tick()
	case u.snap != nil:
		return nil
	}
	return u.tree.Tick()
}

// calm reports whether another tick would have no work.
func (u *uses) calm() bool {
	if u.scene != nil {
		return u.scene.due.Len() == 0
	}
	return u.snap != nil || u.tree.calm()
}

// calm reports whether the tree has not changed since the last tick, and another one would have no
// work.
func (t *Tree) calm() bool {
	l := t.store.Log
	return t.store.Version == t.ticked && !t.drifting && len(t.graves) == 0 && t.thin.Len() == 0 && t.worn.Len() == 0 &&
		len(t.departed) == 0 && (l == nil || l.Frame == 0)
}
