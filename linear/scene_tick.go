package linear

import (
	"errors"

	"github.com/zoctree/zoctree/internal/fault"
)

// The pending work of a scene is a set of entries, due: the parts, and the scene's own trees, that
// have changed or been ticked since the scene processed them last, or that a tick has not finished
// with. A part in the set stays stale until it has been processed, so it is in the set of each
// scene that holds it. A scene with a non-empty set is in the sets of the scenes that hold it.

// notifyHolders adds an entry to the set.
func (s *Scene) notifyHolders(i uint32) {
	if s.due.Len() == 0 {
		s.partNode.Ticked()
	}
	s.due.Add(i)
}

// Ticked adds a part to the sets of the scenes that hold it.
func (u *partNode) Ticked() {
	for _, by := range u.by {
		by.scene.notifyHolders(by.entry)
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
			if u := s.entries[i].partNode; u.depth() == depth {
				err = errors.Join(err, s.tickEntry(i))
			}
		}
	}
	for _, i := range [...]uint32{ownEntry, instancesEntry} {
		if s.due.Has(i) {
			err = errors.Join(err, s.tickEntry(i))
		}
	}
	s.ticks++
	s.partNode.Ticked()
	return err
}

// tickEntry ticks a part, unless it has been ticked already, and updates the boxes of its
// instances.
func (s *Scene) tickEntry(i uint32) error {
	e := &s.entries[i]
	u := e.partNode
	var err error
	if u.ticks() == e.ticked {
		err = u.tick()
	}
	e.ticked = u.ticks()
	st := u.sync()
	err = errors.Join(err, s.notify(e, st))
	if err == nil && u.isIdle() && !u.stale.Load() {
		s.due.Remove(i)
	}
	return err
}

// notify updates the boxes of a part's instances to its state: with Turns if the radius has changed,
// the others if the bounds have.
func (s *Scene) notify(e *entry, st *state) error {
	next, now := e.bounds, instanceBoundsOf(st)
	if !e.bounds.fitsBounds(st) || e.turns == len(e.ids) {
		next.bounds = now.bounds
	}
	if !e.bounds.fitsRadius(st) || e.turns == 0 {
		next.radius = now.radius
	}
	bounds := next.bounds != e.bounds.bounds && e.turns < len(e.ids)
	radius := next.radius != e.bounds.radius && e.turns > 0
	if !bounds && !radius {
		e.bounds = next // no instance uses the changed one
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
		box, reach := next.box(&s.transforms[id], turns)
		if err := box.Check(); err != nil {
			return fault.Errorf("linear: instance %d: %w", id, next.refused(err))
		}
		sc.ids, sc.boxes, sc.reaches = append(sc.ids, id), append(sc.boxes, box), append(sc.reaches, reach)
	}
	if err := s.instances.MoveBatch(sc.ids, sc.boxes); err != nil {
		return fault.Errorf("linear: instances of a scene: %w", err)
	}
	for k, id := range sc.ids {
		s.rows[id].reach = sc.reaches[k]
	}
	e.bounds = next
	return nil
}

// ticks returns the number of ticks of the part.
func (u *partNode) ticks() uint32 {
	switch {
	case u.scene != nil:
		return u.scene.ticks
	case u.snap != nil:
		return 0
	}
	return u.tree.octree.Tick
}

func (u *partNode) tick() error {
	switch {
	case u.scene != nil:
		return u.scene.Tick()
	case u.snap != nil:
		return nil
	}
	return u.tree.Tick()
}

// isIdle reports whether another tick would have no work.
func (u *partNode) isIdle() bool {
	if u.scene != nil {
		return u.scene.due.Len() == 0
	}
	return u.snap != nil || u.tree.isIdle()
}

// isIdle reports whether the tree has not changed since the last tick, and another one would have no
// work.
func (t *Tree) isIdle() bool {
	l := t.octree.Store.Log
	return t.octree.Store.Version == t.octree.Ticked && !t.octree.BulkMotion && len(t.octree.EmptyNodes) == 0 && t.octree.Underfull.Len() == 0 && t.octree.Degraded.Len() == 0 &&
		len(t.octree.RemovedOutside) == 0 && (l == nil || l.Frame == 0)
}
