package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
)

// SetSphere gives an object a bounding sphere x, y, z, radius inside its box. Queries with
// Filter.Exact test it instead of the corners of the box. A move removes it; [Tree.MoveSphere]
// replaces it. The object may also have an oriented box ([Tree.SetOriented]), which SetSphere
// keeps. The first sphere allocates a column of 16 bytes a lane.
//
// The error is [ErrUnknown], or has the numbers of a sphere that is not finite, has a negative
// radius, or sticks out of the box by more than rounding explains (a relative 2^-20). Queries
// ignore the part of a sphere outside the box.
func (t *Tree) SetSphere(id uint32, sphere [4]float32) error {
	if !t.ids.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	slot, lane := t.locate(id)
	if err := checkSphere(sphere, t.store.Packets.Box(slot, lane)); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.beginChange()
	t.useSpheres()
	t.setSphere(id, slot, lane, &sphere)
	return nil
}

// SetSphereBatch is [Tree.SetSphere] for many objects, all or none. It panics if the slices differ
// in length.
func (t *Tree) SetSphereBatch(ids []uint32, spheres [][4]float32) error {
	if len(ids) != len(spheres) {
		panic(fmt.Sprintf("linear: SetSphereBatch of %d IDs and %d spheres", len(ids), len(spheres)))
	}
	if len(ids) == 0 {
		return nil
	}
	t.applyDeferred()
	p := &t.store.Packets
	for i, id := range ids {
		if !t.ids.Alive(id) {
			return fault.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		slot, lane := t.locate(id)
		if err := checkSphere(spheres[i], p.Box(slot, lane)); err != nil {
			return fault.Errorf("linear: object %d of the batch, ID %d: %w", i, id, err)
		}
	}
	t.beginChange()
	t.useSpheres()
	for i, id := range ids {
		slot, lane := t.locate(id)
		t.setSphere(id, slot, lane, &spheres[i])
	}
	return nil
}

// Sphere returns the bounding sphere x, y, z, radius of a live object; ok is false if it has none.
func (t *Tree) Sphere(id uint32) (sphere [4]float32, ok bool) {
	if !t.ids.Alive(id) {
		return sphere, false
	}
	t.sync()
	slot, lane := t.locate(id)
	return t.store.Packets.Sphere(slot, lane)
}
