package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/octree"
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
	if !t.octree.IDs.Alive(id) {
		return unknown(id)
	}
	t.applyDeferred()
	slot, lane := t.octree.Locate(id)
	if err := octree.CheckSphere(sphere, t.octree.Store.Packets.Box(slot, lane)); err != nil {
		return fault.Errorf("linear: object %d: %w", id, err)
	}
	t.octree.BeginChange()
	t.octree.UseSpheres()
	t.octree.SetSphere(id, slot, lane, &sphere)
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
	p := &t.octree.Store.Packets
	for i, id := range ids {
		if !t.octree.IDs.Alive(id) {
			return fault.Errorf("linear: object %d of the batch: %w", i, unknown(id))
		}
		slot, lane := t.octree.Locate(id)
		if err := octree.CheckSphere(spheres[i], p.Box(slot, lane)); err != nil {
			return fault.Errorf("linear: object %d of the batch, ID %d: %w", i, id, err)
		}
	}
	t.octree.BeginChange()
	t.octree.UseSpheres()
	for i, id := range ids {
		slot, lane := t.octree.Locate(id)
		t.octree.SetSphere(id, slot, lane, &spheres[i])
	}
	return nil
}

// Sphere returns the bounding sphere x, y, z, radius of a live object; ok is false if it has none.
func (t *Tree) Sphere(id uint32) (sphere [4]float32, ok bool) {
	if !t.octree.IDs.Alive(id) {
		return sphere, false
	}
	t.sync()
	slot, lane := t.octree.Locate(id)
	return t.octree.Store.Packets.Sphere(slot, lane)
}
