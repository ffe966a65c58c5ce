package linear

import (
	"errors"
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// AddInstance adds an instance of a part under a transform, and returns its ID. Instances have IDs
// of their own, dense numbers like those of objects. The part may be empty, and the scene
// references it while it has an instance. A [Snapshot] has to stay open as long: views that reach a
// closed one panic.
//
// The errors are [ErrCycle] and [ErrDepth], an instance whose box is not finite, IDs that have run
// out ([ErrFull]), a snapshot that has been closed ([ErrClosed]), and a nil part. On an error
// nothing has changed. On success all views of the scene, and of the scenes that hold it, are
// invalidated.
func (s *Scene) AddInstance(p Part, transform Transform, o InstanceOptions) (id uint32, err error) {
	s.made()
	transforms, dst := [1]Transform{transform}, [1]uint32{}
	ids, err := s.AddInstances(dst[:0], p, transforms[:], o)
	if err != nil {
		return None, err
	}
	return ids[0], nil
}

// AddInstances adds one instance of a part for each transform, and appends their IDs to dst. The
// errors are those of [Scene.AddInstance]; the error for a box names the first such transform. On
// an error nothing has changed, and dst is returned unchanged.
func (s *Scene) AddInstances(dst []uint32, p Part, transforms []Transform, o InstanceOptions) ([]uint32, error) {
	s.made()
	if p == nil || p.asPart() == nil {
		return dst, errors.New("linear: AddInstance: the part is nil")
	}
	u := p.asPart()
	if u.snap != nil && u.snap.closed() {
		return dst, ErrClosed
	}
	defer u.forget()
	i, held := s.entryOf[u]
	var to instanceBounds
	if held {
		to = s.entries[i].bounds
	} else {
		to = instanceBoundsOf(u.sync())
		if err := s.deepen(u); err != nil {
			return dst, err
		}
		defer s.lower(u.depth()) // no effect if it is held by then
	}
	sc := &s.scratch
	sc.objects, sc.reaches = mem.Fresh(sc.objects, len(transforms)), mem.Fresh(sc.reaches, len(transforms))
	for k := range transforms {
		box, reach := to.box(&transforms[k], o.Turns)
		if err := box.Check(); err != nil {
			return dst, fault.Errorf("linear: transform %d of %d: %w", k, len(transforms), to.refused(err))
		}
		sc.objects[k], sc.reaches[k] = Object{Box: box, Mask: instanceMask(o.Mask)}, reach
	}
	n := len(dst)
	dst, err := s.instances.InsertBatch(dst, sc.objects)
	if err != nil {
		return dst, fault.Errorf("linear: instances of a scene: %w", err)
	}
	if len(transforms) == 0 {
		return dst, nil
	}
	if !held {
		i = s.hold(u)
		s.entries[i].bounds = to
		s.entryOf[u] = i
	}
	e := &s.entries[i]
	if o.Turns {
		e.turns += len(transforms)
	}
	for k, id := range dst[n:] {
		s.write(id, i, &transforms[k])
		s.rows[id] = placement{uint32(len(e.ids)), sc.reaches[k]}
		e.mixed = e.mixed || len(e.ids) > 0 && id < e.ids[len(e.ids)-1]
		e.ids = append(e.ids, id)
	}
	s.change()
	return dst, nil
}

// instanceMask returns the mask of an instance, with 0 replaced by all bits.
func instanceMask(mask uint32) uint32 {
	if mask == 0 {
		return math.MaxUint32
	}
	return mask
}

// refused adds the bounds and the radius of the part to the error for a box.
func (to *instanceBounds) refused(err error) error {
	return fault.Errorf("a part with bounds %v to %v and radius %g: %w", to.bounds.Min, to.bounds.Max, to.radius, err)
}

func unknownInstance(id uint32) error { return fmt.Errorf("%w: instance %d", ErrUnknown, id) }

// Move sets the transform of an instance. The part itself is not touched, so it takes the time of
// one [Tree.Move], and less if the instance has [InstanceOptions.Turns] and only rotates; in steady
// state it allocates nothing. The errors are [ErrUnknown] and an instance whose box is not finite;
// on an error nothing has changed. On success all views of the scene, and of the scenes that hold
// it, are invalidated.
func (s *Scene) Move(id uint32, transform Transform) error {
	s.made()
	if !s.instances.octree.IDs.Alive(id) {
		return unknownInstance(id)
	}
	row, i := &s.rows[id], s.in[id]
	to := &s.entries[i].bounds
	if row.turnsTo(to, &s.transforms[id], &transform) {
		s.write(id, i, &transform)
		s.change()
		return nil
	}
	box, reach := to.box(&transform, row.turns())
	if err := box.Check(); err != nil {
		return fault.Errorf("linear: instance %d: %w", id, to.refused(err))
	}
	if err := s.instances.Move(id, box); err != nil {
		return fault.Errorf("linear: instance %d: %w", id, err)
	}
	s.write(id, i, &transform)
	row.reach = reach
	s.change()
	return nil
}

// MoveBatch sets the transform of instance ids[i] to transforms[i]: see [Scene.Move]. An ID that occurs
// twice gets the last transform. When an ID is not live or a box is not finite, the error names the
// index and nothing moves. It panics when the slices differ in length.
func (s *Scene) MoveBatch(ids []uint32, transforms []Transform) error {
	s.made()
	if len(ids) != len(transforms) {
		panic(fmt.Sprintf("linear: MoveBatch of %d instances and %d transforms", len(ids), len(transforms)))
	}
	sc := &s.scratch
	sc.boxes, sc.reaches = mem.Fresh(sc.boxes, len(ids)), mem.Fresh(sc.reaches, len(ids))
	for k, id := range ids {
		if !s.instances.octree.IDs.Alive(id) {
			return fault.Errorf("linear: transform %d of %d: %w", k, len(ids), unknownInstance(id))
		}
		row := &s.rows[id]
		to := &s.entries[s.in[id]].bounds
		sc.boxes[k], sc.reaches[k] = to.box(&transforms[k], row.turns())
		if err := sc.boxes[k].Check(); err != nil {
			return fault.Errorf("linear: transform %d of %d, instance %d: %w", k, len(ids), id, to.refused(err))
		}
	}
	sc.ids = sc.ids[:0] // instances that get boxes
	for k, id := range ids {
		row, i := &s.rows[id], s.in[id]
		if !row.turnsTo(&s.entries[i].bounds, &s.transforms[id], &transforms[k]) {
			row.reach = sc.reaches[k]
			sc.boxes[len(sc.ids)] = sc.boxes[k]
			sc.ids = append(sc.ids, id)
		}
		s.write(id, i, &transforms[k])
	}
	if len(ids) > 0 {
		s.change()
	}
	return s.instances.MoveBatch(sc.ids, sc.boxes[:len(sc.ids)])
}

// Remove removes an instance; the part is kept. The ID is free for the next instance, and handles
// of it become stale. An ID that is not live gives [ErrUnknown]. It invalidates all views of the
// scene, and of the scenes that hold it.
func (s *Scene) Remove(id uint32) error {
	s.made()
	if !s.instances.octree.IDs.Alive(id) {
		return unknownInstance(id)
	}
	if err := s.instances.Remove(id); err != nil {
		return err
	}
	s.vacate(id)
	s.compactIfSparse()
	return nil
}

// RemoveBatch removes the instances. When an ID is not live, or occurs twice, the error names its
// index and nothing is removed. It invalidates all views of the scene, and of the scenes that hold
// it.
func (s *Scene) RemoveBatch(ids []uint32) error {
	s.made()
	if err := s.instances.RemoveBatch(ids); err != nil {
		return fault.Errorf("linear: instances of a scene: %w", err)
	}
	for _, id := range ids {
		s.vacate(id)
	}
	s.compactIfSparse()
	return nil
}

// vacate removes an instance from its entry.
func (s *Scene) vacate(id uint32) {
	row, i := &s.rows[id], s.in[id]
	e := &s.entries[i]
	last := len(e.ids) - 1
	if moved := e.ids[last]; moved != id {
		e.ids[row.index] = moved
		s.rows[moved].index = row.index
		e.mixed = true
	}
	e.ids = e.ids[:last]
	if row.turns() {
		e.turns--
	}
	*row = placement{}
	s.write(id, None, &Transform{})
	s.change()
	if last == 0 {
		s.drop(i)
	}
}

// SetMask sets the mask of an instance: see [InstanceOptions]. An ID that is not live gives
// [ErrUnknown]. It invalidates all views of the scene, and of the scenes that hold it.
func (s *Scene) SetMask(id, mask uint32) error {
	s.made()
	if !s.instances.octree.IDs.Alive(id) {
		return unknownInstance(id)
	}
	return s.instances.SetMask(id, instanceMask(mask))
}

// Instance returns the part of an instance and its transform. ok is false when the ID is not live.
func (s *Scene) Instance(id uint32) (p Part, transform Transform, ok bool) {
	s.made()
	if !s.instances.octree.IDs.Alive(id) {
		return nil, transform, false
	}
	return s.entries[s.in[id]].partNode.part(), s.transforms[id], true
}

// Handle returns a generational handle of an instance, which stays valid until the instance is
// removed. ok is false when the ID is not live.
func (s *Scene) Handle(id uint32) (h Handle, ok bool) {
	s.made()
	return s.instances.Handle(id)
}

// Resolve returns the ID of the instance with a handle, or [ErrStale] when the instance has been
// removed.
func (s *Scene) Resolve(h Handle) (id uint32, err error) {
	s.made()
	return s.instances.Resolve(h)
}

// instanceBounds is the size of a part from which the boxes of its instances are computed. The box of an
// instance contains the image of the bounds, or, with InstanceOptions.Turns, of the ball of the
// radius. The part can therefore change within that size without a new box.
type instanceBounds struct {
	bounds AABB // never empty: an empty part has the box of its origin
	radius float64
}

// instanceBoundsOf returns the size of a part in its current state.
func instanceBoundsOf(st *state) instanceBounds {
	to := instanceBounds{st.bounds, st.radius}
	if st.bounds == soa.Empty() {
		to.bounds = AABB{}
	}
	return to
}

// shrinkBelow is the ratio below which a part that shrinks gets new boxes: of the sums of the sides
// of its bounds, or of its radii. The hysteresis keeps a part that oscillates from changing its
// boxes.
const shrinkBelow = 0.8

// holdsBounds reports whether the boxes of instances without Turns contain a part in its current
// state.
func (to *instanceBounds) holdsBounds(st *state) bool { return octree.Covers(to.bounds, st.bounds) }

// holdsRadius reports whether the boxes of instances with Turns contain a part in its current
// state.
func (to *instanceBounds) holdsRadius(st *state) bool { return st.radius <= to.radius }

// fitsBounds reports whether these boxes contain the part and are not too large.
func (to *instanceBounds) fitsBounds(st *state) bool {
	if st.bounds == soa.Empty() {
		return to.bounds == AABB{}
	}
	return to.holdsBounds(st) && sides(&st.bounds) >= float64(shrinkBelow*sides(&to.bounds))
}

func (to *instanceBounds) fitsRadius(st *state) bool {
	return to.holdsRadius(st) && st.radius >= float64(shrinkBelow*to.radius)
}

// sides returns the sum of the sides of a box.
func sides(b *AABB) (sum float64) {
	for a := range 3 {
		sum += float64(b.Max[a]) - float64(b.Min[a])
	}
	return sum
}

// turnRoom is the relative margin of the ball of an instance with Turns. Under rotation of one
// similarity, the stretch varies by 2^-17.
const turnRoom = 0x1p-16

// box returns the box of an instance under a transform, and its reach. A box that is not finite
// exceeds float32.
func (to *instanceBounds) box(p *Transform, turns bool) (box AABB, reach float64) {
	if !turns {
		return imageOf(p, &to.bounds), stays
	}
	reach = float64(float64(to.radius*p.longest()) * (1 + turnRoom))
	for a, x := range p.form().Offset() {
		box.Min[a], box.Max[a] = soa.Below(x, reach), soa.Above(x, -reach)
	}
	return box, reach
}

// stays is the reach of an instance without Turns.
const stays = -1

func (row *placement) turns() bool { return row.reach >= 0 }

// turnsTo reports whether the instance has Turns, and its box under the transform from is also
// right under p.
func (row *placement) turnsTo(to *instanceBounds, from, p *Transform) bool {
	if !row.turns() || from.form().Offset() != p.form().Offset() {
		return false
	}
	least := float64(to.radius * p.longest())
	return float64(least*(1+turnRoom/4)) <= row.reach && row.reach <= float64(least*(1+2*turnRoom))
}

// longest returns an upper bound of the lengths of the images of unit vectors.
func (p *Transform) longest() float64 {
	_, most := p.form().Stretch()
	return most
}

// imageOf returns a box that contains the image of a box. It is infinite where the image, or the
// box itself, exceeds float32.
func imageOf(p *Transform, b *AABB) AABB {
	for a := range 3 {
		if b.Min[a] < -math.MaxFloat32 || b.Max[a] > math.MaxFloat32 {
			e := soa.Empty()
			if *b == e {
				return e
			}
			return AABB{Min: e.Max, Max: e.Min}
		}
	}
	return p.form().Box(b)
}
