package adapters

import (
	"slices"

	"github.com/dhconnelly/rtreego"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Rtreego is an R-tree of package github.com/dhconnelly/rtreego in three dimensions, with the branching
// factors of its manual, 25 to 50, and its bulk load.
//
// A volume query is a search for its bounding box with a filter, a ray cast a search for the box around the
// part of the ray in the scene. The library's boxes are open. The query boxes are slightly enlarged, so that
// the results are those of closed boxes.
type Rtreego struct {
	tree    *rtreego.Rtree
	objects []*spatial // by ID; nil: not stored
	bounds  soa.AABB   // contains all objects ever stored
	found   index.Found
}

// spatial is an object in the library's form.
type spatial struct {
	rect rtreego.Rect
	box  soa.AABB
	id   uint32
}

// Bounds implements rtreego.Spatial.
func (s *spatial) Bounds() rtreego.Rect { return s.rect }

func (s *spatial) set(b soa.AABB) {
	lo, hi := wide(b.Min), wide(b.Max)
	s.box, s.rect = b, rect(lo, hi)
}

// rect returns the rectangle between two points. It drops the error for points of different dimensions.
func rect(lo, hi [3]float64) rtreego.Rect {
	r, _ := rtreego.NewRectFromPoints(lo[:], hi[:])
	return r
}

// NewRtreego returns an empty tree.
func NewRtreego() *Rtreego {
	t := new(Rtreego)
	t.Build(nil)
	return t
}

// Build implements [index.Index].
func (t *Rtreego) Build(objects []soa.Object) {
	all := make([]rtreego.Spatial, len(objects))
	t.objects = make([]*spatial, len(objects))
	for i := range objects {
		s := &spatial{id: uint32(i)}
		s.set(objects[i].Box)
		t.objects[i], all[i] = s, s
	}
	t.tree = rtreego.NewTree(3, 25, 50, all...)
	t.bounds = union(objects)
}

// Insert implements [index.Inserter].
func (t *Rtreego) Insert(id uint32, o soa.Object) {
	for len(t.objects) <= int(id) {
		t.objects = append(t.objects, nil)
	}
	if t.objects[id] != nil {
		panicStored(id)
	}
	s := &spatial{id: id}
	s.set(o.Box)
	t.objects[id] = s
	t.bounds = t.bounds.Union(o.Box)
	t.tree.Insert(s)
}

// Remove implements [index.Remover].
func (t *Rtreego) Remove(id uint32) {
	t.tree.Delete(t.stored(id))
	t.objects[id] = nil
}

// Move implements [index.Mover] by Delete and Insert, as the manual recommends.
func (t *Rtreego) Move(id uint32, box soa.AABB) {
	s := t.stored(id)
	t.tree.Delete(s)
	s.set(box)
	t.bounds = t.bounds.Union(box)
	t.tree.Insert(s)
}

func (t *Rtreego) stored(id uint32) *spatial {
	if int(id) >= len(t.objects) || t.objects[id] == nil {
		panicMissing(id)
	}
	return t.objects[id]
}

// Append implements [index.Volumes].
func (t *Rtreego) Append(dst []uint32, v *index.Volume) []uint32 {
	bounds := v.Bounds()
	var found []rtreego.Spatial
	if _, ok := v.AsBox(); ok {
		found = t.tree.SearchIntersect(rect(outward(&bounds)))
	} else {
		found = t.tree.SearchIntersect(rect(outward(&bounds)), func(_ []rtreego.Spatial, o rtreego.Spatial) (refuse, abort bool) {
			return !v.Meets(&o.(*spatial).box), false
		})
	}
	for _, o := range found {
		dst = append(dst, o.(*spatial).id)
	}
	return dst
}

// each calls yield for every object that the ray hits.
func (t *Rtreego) each(r *index.Ray, yield func(id uint32, time float32)) {
	part, ok := r.Within(&t.bounds)
	if !ok {
		return
	}
	t.tree.SearchIntersect(rect(outward(&part)), func(_ []rtreego.Spatial, o rtreego.Spatial) (refuse, abort bool) {
		s := o.(*spatial)
		if time, ok := r.Enter(&s.box); ok {
			yield(s.id, time)
		}
		return true, false
	})
}

// AppendHits implements [index.Rays].
func (t *Rtreego) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	t.each(r, t.found.Take)
	return t.found.Append(dst)
}

// First implements [index.Rays].
func (t *Rtreego) First(r *index.Ray) (index.Hit, bool) {
	var best index.First
	t.each(r, best.Take)
	return best.Hit()
}

// AppendNearest implements [index.Nearest], except that objects at the same distance as the last one may
// replace it.
func (t *Rtreego) AppendNearest(dst []index.Neighbor, p [3]float32, k int) []index.Neighbor {
	start := len(dst)
	if k = min(k, t.tree.Size()); k == 0 {
		return dst
	}
	at := wide(p)
	for _, o := range t.tree.NearestNeighbors(k, at[:]) {
		s := o.(*spatial)
		dst = append(dst, index.Neighbor{ID: s.id, Dist2: index.Dist2(&s.box, p)})
	}
	slices.SortFunc(dst[start:], byDistance)
	return dst
}
