package linear

import (
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// insertMore adds admitted objects to the pending list.
func (t *Tree) insertMore(dst []uint32, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB) []uint32 {
	if t.cfg.Outside == outsideKeep && !t.holdsAll(centres) {
		for i := range objects {
			t.countOut(&objects[i].Box)
		}
	}
	t.centres = t.centres.Union(centres)
	if t.code.near(&union) {
		t.bound(&union)
	} else {
		for i := range objects {
			t.bound(&objects[i].Box)
		}
	}
	sphere := &noSphere
	dst = slices.Grow(dst, len(objects))
	for i := range objects {
		if spheres != nil {
			sphere = &spheres[i]
		}
		dst = append(dst, t.addPending(&objects[i], sphere))
	}
	t.fitPending()
	return dst
}

// insertOne adds a validated object.
func (t *Tree) insertOne(o *soa.Object, sphere *[4]float32) (id uint32) {
	known := t.fastBounds.contains(&o.Box)
	if !known {
		t.countOut(&o.Box)
		t.widenBounds(&o.Box)
	}
	id = t.addPending(o, sphere)
	if !known {
		t.fitPending()
	}
	return id
}

// addPending adds a new object, with its sphere, to the pending list and returns its ID.
func (t *Tree) addPending(o *soa.Object, sphere *[4]float32) uint32 {
	s := t.store
	id := t.ids.New(unplacedLocation)
	t.touchID(id)
	t.place(t.openPending(), id, o, sphere)
	s.Count++
	s.Log.Insert(id, *o, *sphere, t.ids.Len())
	return id
}

// widenBounds widens the bounds that the tree keeps of its objects by a box outside its fast bounds.
func (t *Tree) widenBounds(box *soa.AABB) {
	c := box.Center()
	t.centres = t.centres.Union(soa.AABB{Min: c, Max: c})
	t.bound(box)
	t.fastBounds = t.computeFastBounds()
}
