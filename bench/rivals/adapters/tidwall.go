package adapters

import (
	"math"
	"slices"

	"github.com/tidwall/rtree"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Tidwall is an R-tree of package github.com/tidwall/rtree with float32 coordinates. It has two dimensions,
// here the horizontal ones, x and y. An item carries its interval on z, which a filter tests. The library has
// no bulk load: objects are inserted one by one. A removal must name the old box, so the adapter keeps a
// table of boxes.
//
// A volume query is a search for its bounding box and a filter. Ray casts and nearest searches use the
// library's best-first search, which takes any measure: the time at which a ray enters a box, and the squared
// distance.
type Tidwall struct {
	tree  rtree.RTreeGN[float32, flatItem]
	boxes table
	found index.Found
}

// flatItem is the part of an object that the tree does not store itself.
type flatItem struct {
	id     uint32
	lo, hi float32 // interval on z
}

// NewTidwall returns an empty tree.
func NewTidwall() *Tidwall { return new(Tidwall) }

// flat returns the box in the library's form.
func flat(id uint32, b *soa.AABB) (lo, hi [2]float32, item flatItem) {
	return [2]float32(b.Min[:2]), [2]float32(b.Max[:2]), flatItem{id, b.Min[2], b.Max[2]}
}

// solid returns the box of an item.
func solid(lo, hi [2]float32, item *flatItem) soa.AABB {
	return soa.AABB{Min: [3]float32{lo[0], lo[1], item.lo}, Max: [3]float32{hi[0], hi[1], item.hi}}
}

// column returns the box of a node, with unbounded z.
func column(lo, hi [2]float32) soa.AABB {
	return solid(lo, hi, &flatItem{lo: -math.MaxFloat32, hi: math.MaxFloat32})
}

// Build implements [index.Index].
func (t *Tidwall) Build(objects []soa.Object) {
	t.tree = rtree.RTreeGN[float32, flatItem]{}
	t.boxes.fill(objects)
	for i := range t.boxes {
		t.tree.Insert(flat(uint32(i), &t.boxes[i]))
	}
}

// Insert implements [index.Inserter].
func (t *Tidwall) Insert(id uint32, o soa.Object) {
	t.boxes.put(id, o.Box)
	t.tree.Insert(flat(id, &o.Box))
}

// Remove implements [index.Remover].
func (t *Tidwall) Remove(id uint32) {
	last := t.boxes.swap(id, noBox)
	t.tree.Delete(flat(id, &last))
}

// Move implements [index.Mover].
func (t *Tidwall) Move(id uint32, box soa.AABB) {
	last := t.boxes.swap(id, box)
	lo0, hi0, item0 := flat(id, &last)
	lo1, hi1, item1 := flat(id, &box)
	t.tree.Replace(lo0, hi0, item0, lo1, hi1, item1)
}

// Append implements [index.Volumes].
func (t *Tidwall) Append(dst []uint32, v *index.Volume) []uint32 {
	bounds := v.Bounds()
	lo, hi, z := flat(0, &bounds)
	t.tree.Search(lo, hi, func(lo, hi [2]float32, item flatItem) bool {
		if item.lo <= z.hi && item.hi >= z.lo {
			if b := solid(lo, hi, &item); v.Meets(&b) {
				dst = append(dst, item.id)
			}
		}
		return true
	})
	return dst
}

// entry returns the measure of a best-first search along a ray.
func entry(r *index.Ray) func(lo, hi [2]float32, item flatItem, leaf bool) float64 {
	return func(lo, hi [2]float32, item flatItem, leaf bool) float64 {
		b := column(lo, hi)
		if leaf {
			b = solid(lo, hi, &item)
		}
		if time, ok := r.Enter(&b); ok {
			return float64(time)
		}
		return math.Inf(1)
	}
}

// AppendHits implements [index.Rays].
func (t *Tidwall) AppendHits(dst []index.Hit, r *index.Ray) []index.Hit {
	t.tree.Nearby(entry(r), func(_, _ [2]float32, item flatItem, time float64) bool {
		if math.IsInf(time, 1) {
			return false
		}
		t.found.Take(item.id, float32(time))
		return true
	})
	return t.found.Append(dst)
}

// First implements [index.Rays].
func (t *Tidwall) First(r *index.Ray) (index.Hit, bool) {
	var best index.First
	t.tree.Nearby(entry(r), func(_, _ [2]float32, item flatItem, time float64) bool {
		if math.IsInf(time, 1) || best.Later(float32(time)) {
			return false
		}
		best.Take(item.id, float32(time))
		return true
	})
	return best.Hit()
}

// AppendNearest implements [index.Nearest].
func (t *Tidwall) AppendNearest(dst []index.Neighbor, p [3]float32, k int) []index.Neighbor {
	start := len(dst)
	if k == 0 {
		return dst
	}
	t.tree.Nearby(func(lo, hi [2]float32, item flatItem, leaf bool) float64 {
		b := soa.AABB{Min: [3]float32{lo[0], lo[1], p[2]}, Max: [3]float32{hi[0], hi[1], p[2]}}
		if leaf {
			b = solid(lo, hi, &item)
		}
		return float64(index.Dist2(&b, p))
	}, func(_, _ [2]float32, item flatItem, d2 float64) bool {
		if len(dst) >= start+k && float32(d2) > dst[len(dst)-1].Dist2 {
			return false
		}
		dst = append(dst, index.Neighbor{ID: item.id, Dist2: float32(d2)})
		return true
	})
	slices.SortFunc(dst[start:], byDistance) // it includes all objects at the distance of the last
	return dst[:min(len(dst), start+k)]
}
