package scene

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// extent returns the bounds of the searched objects of a side, and their image.
func (s *pairSide) extent(own bool) (c cell, ok bool) {
	b := s.view.Bounds()
	if own {
		b = s.view.Objects().Bounds()
	}
	if b.Min[0] > b.Max[0] {
		return c, false
	}
	return s.imageOf(&b), true
}

// descend finds the pairs of objects of two sides; an own side has only its own objects.
func (w *join) descend(s, t *pairSide, ownS, ownT bool) {
	a, some := s.extent(ownS)
	b, others := t.extent(ownT)
	if !some || !others || apart(&a, &b, &s.dirs, &t.dirs) {
		return
	}
	switch {
	case !ownS && s.view.Instances().Len() > 0:
		w.descend(s, t, true, ownT)
		w.inner(s, t, &b, ownT)
	case !ownT && t.view.Instances().Len() > 0:
		w.descend(s, t, ownS, true)
		w.inner(t, s, &a, ownS)
	default:
		w.leaves(s, t, &a, &b)
	}
}

// inner descends into the instances of s that overlap t, whose image is b.
func (w *join) inner(s, t *pairSide, b *cell, own bool) {
	instances, outgrown := s.view.Instances(), s.view.Outgrown()
	from := len(w.ids)
	w.ids = s.around(*b).Append(w.ids, instances, w.gate)
	for i := from; i < len(w.ids); i++ {
		if _, later := slices.BinarySearch(outgrown, w.ids[i]); !later {
			w.into(s, t, w.ids[i], own)
		}
	}
	w.ids = w.ids[:from]
	for _, id := range outgrown {
		if o, _ := instances.Object(id); w.gate.Mask == 0 || o.Mask&w.gate.Mask != 0 {
			w.into(s, t, id, own)
		}
	}
}

func (w *join) into(s, t *pairSide, id uint32, own bool) {
	if r := w.enter(s, id); r != nil {
		w.descend(r, t, false, own)
		w.depth--
	}
}

// fewObjects is the largest number of objects on each side for brute-force comparison.
const fewObjects = 96

// leaves finds the pairs of objects of two trees, whose bounds have the images a and b, among the
// objects in the bounds of the other tree. If both sides are small, it compares all pairs; else
// it queries the other tree for each object of the smaller side.
func (w *join) leaves(s, t *pairSide, a, b *cell) {
	v, u := s.view.Objects(), t.view.Objects()
	from := len(w.ids)
	w.ids = s.around(*b).Append(w.ids, v, w.gate)
	middle := len(w.ids)
	if middle == from {
		return
	}
	w.ids = t.around(*a).Append(w.ids, u, w.gate)
	to := len(w.ids)
	switch n, m := middle-from, to-middle; {
	case m == 0:
	case max(n, m) <= fewObjects:
		w.compare(s, t, v, u, from, middle)
	case n <= m:
		for i := from; i < middle; i++ {
			w.object(s, t, v, u, w.ids[i])
		}
	default:
		for i := middle; i < to; i++ {
			w.object(t, s, u, v, w.ids[i])
		}
	}
	w.ids = w.ids[:from]
}

// compare finds the pairs of listed objects by brute force: of s from from on, of t from middle
// on.
func (w *join) compare(s, t *pairSide, v, u linear.View, from, middle int) {
	w.shapes = slices.Grow(w.shapes[:0], len(w.ids)-middle)[:len(w.ids)-middle]
	for i, id := range w.ids[middle:] {
		w.set(&w.shapes[i], t, u, id)
	}
	var x shape
	for _, id := range w.ids[from:middle] {
		w.set(&x, s, v, id)
		for i := range w.shapes {
			if y := &w.shapes[i]; !x.misses(y) {
				w.pair(s, t, &x, y)
			}
		}
	}
}

// shape is an object in the space of the scene.
type shape struct {
	id     uint32
	object soa.Object
	image  cell
	around [3]float64 // half extents of its bounding box
	bounds bounds     // set if bounds count
}

func (w *join) set(x *shape, s *pairSide, v linear.View, id uint32) {
	if x.id = id; w.flt.Exact {
		x.bounds.set(s, v, id)
	}
	x.object, _ = v.Object(id)
	x.image = s.imageOf(&x.object.Box)
	for a := range 3 {
		x.around[a] = float64(x.image.reach(a) * (1 + 0x1p-48))
	}
}

// misses reports whether the boxes around two images are disjoint.
func (x *shape) misses(y *shape) bool {
	p, q := &x.image.center, &y.image.center
	return math.Abs(p[0]-q[0]) > x.around[0]+y.around[0] ||
		math.Abs(p[1]-q[1]) > x.around[1]+y.around[1] ||
		math.Abs(p[2]-q[2]) > x.around[2]+y.around[2]
}

// object finds the pairs of an object of s and the objects of t.
func (w *join) object(s, t *pairSide, v, u linear.View, id uint32) {
	var x, y shape
	w.set(&x, s, v, id)
	f := w.gate
	if x.object.Static && !w.flt.StaticPairs {
		f.Motion = query.MovingOnly
	}
	from := len(w.ids)
	w.ids = t.around(x.image).Append(w.ids, u, f)
	for _, other := range w.ids[from:] {
		if w.set(&y, t, u, other); !x.misses(&y) {
			w.pair(s, t, &x, &y)
		}
	}
	w.ids = w.ids[:from]
}

// pair adds two objects if they overlap and pass the filter.
func (w *join) pair(s, t *pairSide, x, y *shape) {
	switch {
	case x.object.Static && y.object.Static && !w.flt.StaticPairs,
		w.flt.Layers != nil && !w.collide(x.object.Mask, y.object.Mask),
		apart(&x.image, &y.image, &s.dirs, &t.dirs),
		w.flt.Exact && !touch(s, t, x, y):
		return
	}
	p := Pair{w.number, Object{s.path, x.id}, Object{t.path, y.id}}
	if p.A.Compare(p.B) > 0 {
		p.A, p.B = p.B, p.A
	}
	w.out = append(w.out, p)
}

// collide reports whether a layer of one mask and one of the other accept each other.
func (w *join) collide(a, b uint32) bool {
	for c := range w.accepts {
		if a>>c&1 != 0 && w.accepts[c]&b != 0 {
			return true
		}
	}
	return false
}
