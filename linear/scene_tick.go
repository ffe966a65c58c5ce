package linear

import (
	"errors"

	"github.com/zoctree/zoctree/internal/fault"
)

// What a scene has to do in a tick is in a set of entries: parts, and its own trees, that
// have changed, or been ticked, since it looked at them last, or that a tick has not
// finished with. A part in the set stays stale until it has been looked at, so it is in the
// set of each scene that holds it; and a scene that has something in its set is in the sets
// of those that hold it.

// mark puts an entry into the set.
func (s *Scene) mark(i uint32) {
	if s.due.Len() == 0 {
		s.uses.mark()
	}
	s.due.Add(i)
}

// mark puts a part into the sets of those who hold it.
func (u *uses) mark() {
	for _, by := range u.by {
		by.scene.mark(by.entry)
	}
}

// Tick ends a frame. It ticks the parts below, inner ones before those that hold them, each
// once however many scenes hold it: not one that somebody, another scene or the program,
// has ticked since the last tick of this scene. Then it gives the places of parts that have
// other bounds new boxes: at once if a part has grown, and if it has shrunk, when its sides
// together are less than four fifths of what they were, or, for places that turn, its
// radius is. Last it ticks the trees of the scene. What has not changed, and has nothing
// left to do, costs nothing.
//
// The errors are those of [Tree.Tick], and places whose boxes would not be finite: these
// keep what they have, and queries find what is in them all the same
// ([SceneView.Outgrown]). An error does not keep others from being done. If there was
// something to do, it ends the life of all views of the scene, and of those that hold it.
// In steady state it allocates nothing.
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

// tickEntry ticks a part, unless somebody has, and tells its places what has become of it.
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

// tell gives the places of a part boxes for its state, those that turn if the radius has
// changed, the others if the bounds have.
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
		e.told = next // which concerns nobody
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

// ticks counts the ticks of the part.
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

// calm reports whether another tick would have nothing to do.
func (u *uses) calm() bool {
	if u.scene != nil {
		return u.scene.due.Len() == 0
	}
	return u.snap != nil || u.tree.calm()
}

// calm reports whether nothing has changed since the last tick, and another one would have
// nothing to do.
func (t *Tree) calm() bool {
	l := t.store.Log
	return t.store.Version == t.ticked && !t.drifting && len(t.graves) == 0 && t.thin.Len() == 0 && t.worn.Len() == 0 &&
		len(t.departed) == 0 && (l == nil || l.Frame == 0)
}
