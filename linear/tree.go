package linear

import (
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Len returns the number of objects.
func (t *Tree) Len() int { return t.ids.Len() }

// Config returns the configuration with defaults filled in. Its World is the box that was configured; [Tree.World]
// returns the cube of the keys.
func (t *Tree) Config() Config {
	t.sync()
	return configOf(&t.cfg)
}

// World returns the cube that keys resolve.
func (t *Tree) World() morton.World {
	t.sync()
	return t.world
}

// Handle returns a generational handle of a live object. It stays valid until the object is removed. ok is false
// when the ID is not live.
func (t *Tree) Handle(id uint32) (h Handle, ok bool) { return t.ids.Handle(id) }

// Resolve returns the ID of a handle, or [ErrStale] when its object has been removed.
func (t *Tree) Resolve(h Handle) (id uint32, err error) { return t.ids.Resolve(h) }

// Object returns a live object. ok is false when the ID is not live.
func (t *Tree) Object(id uint32) (o Object, ok bool) {
	if !t.ids.Alive(id) {
		return o, false
	}
	t.sync()
	w := t.ids.Where[id]
	return t.store.Packets.Object(w.Slot(), w.Lane()), true
}

// Key returns the Morton key of an object with that box in the tree: [morton.World.KeyOfBox] of [Tree.World]. With
// [Config.MinCell] it is the first key of the object's smallest cell. Boxes that reach beyond the cube grown by its
// side in every direction have keys of their own, in the last octant of level 5, which keeps them apart from other
// objects. The box must be finite and not inverted.
func (t *Tree) Key(box soa.AABB) morton.Key {
	t.sync()
	c := t.code
	c.outlier = true
	return morton.Key(c.key(&box))
}
