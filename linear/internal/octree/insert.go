package octree

import (
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// InsertMore adds admitted objects to the pending list.
func (t *Tree) InsertMore(dst []uint32, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB) []uint32 {
	t.holdNew(objects, centres, union)
	dst = slices.Grow(dst, len(objects))
	if spheres == nil {
		dst = t.addRecords(dst, objects)
	} else {
		for i := range objects {
			dst = append(dst, t.AddPending(&objects[i], &spheres[i]))
		}
	}
	t.FitPending()
	return dst
}

// holdNew widens the bounds that the tree keeps of its objects by new ones.
func (t *Tree) holdNew(objects []soa.Object, centres, union soa.AABB) {
	if t.Config.Outside == OutsideKeep && !t.holdsAll(centres) {
		lo, hi := t.World.Bounds()
		for i := range objects {
			if !insideHalfOpen(&lo, &hi, objects[i].Box.Center()) {
				t.Outside++
			}
		}
	}
	t.Centres = t.Centres.Union(centres)
	if t.Code.Near(&union) {
		t.bound(&union)
	} else {
		for i := range objects {
			t.bound(&objects[i].Box)
		}
	}
}

// InsertOne adds a validated object.
func (t *Tree) InsertOne(o *soa.Object, sphere *[4]float32) (id uint32) {
	known := t.FastBounds.Contains(&o.Box)
	if !known {
		t.CountOut(&o.Box)
		t.WidenBounds(&o.Box)
	}
	id = t.AddPending(o, sphere)
	if !known {
		t.FitPending()
	}
	return id
}

// AddPending adds a new object, with its sphere, to the pending list and returns its ID.
func (t *Tree) AddPending(o *soa.Object, sphere *[4]float32) uint32 {
	if sphere[3] < 0 {
		return t.addRecord(o)
	}
	t.Pack()
	s := t.Store
	t.admitMask(o.Mask)
	id := t.IDs.New(unplacedLocation)
	t.touchID(id)
	t.place(t.openPending(), id, o, sphere)
	s.Count++
	s.Log.Insert(id, *o, *sphere, t.IDs.Len())
	return id
}

// WidenBounds widens the bounds that the tree keeps of its objects by a box outside its fast bounds.
func (t *Tree) WidenBounds(box *soa.AABB) {
	c := box.Center()
	t.Centres = t.Centres.Union(soa.AABB{Min: c, Max: c})
	t.bound(box)
	t.FastBounds = t.computeFastBounds()
}
