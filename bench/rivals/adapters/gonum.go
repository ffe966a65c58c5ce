package adapters

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/spatial/kdtree"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Gonum is a k-d tree of package gonum.org/v1/gonum/spatial/kdtree over points: boxes without extent. It is
// built in bulk from a type of our own, as in its examples, without bounds of nodes, which these searches do
// not use. It does not support removal.
//
// A box query is a bounded traversal, a sphere query a search with a DistKeeper, and a k-nearest search one
// with an NKeeper. It does not support other volumes.
type Gonum struct {
	tree *kdtree.Tree
}

// point is a point in the library's form.
type point struct {
	at [3]float64
	id uint32
}

// Compare implements kdtree.Comparable.
func (p *point) Compare(c kdtree.Comparable, d kdtree.Dim) float64 { return p.at[d] - c.(*point).at[d] }

// Dims implements kdtree.Comparable.
func (p *point) Dims() int { return 3 }

// Distance implements kdtree.Comparable.
func (p *point) Distance(c kdtree.Comparable) float64 {
	q := c.(*point)
	x, y, z := p.at[0]-q.at[0], p.at[1]-q.at[1], p.at[2]-q.at[2]
	return x*x + y*y + z*z
}

// box returns the box of the point.
func (p *point) box() soa.AABB {
	at := [3]float32{float32(p.at[0]), float32(p.at[1]), float32(p.at[2])}
	return soa.AABB{Min: at, Max: at}
}

// neighbor returns the point as a neighbour of another point.
func (p *point) neighbor(of [3]float32) index.Neighbor {
	b := p.box()
	return index.Neighbor{ID: p.id, Dist2: index.Dist2(&b, of)}
}

// points implements kdtree.Interface.
type points []*point

// Index implements kdtree.Interface.
func (p points) Index(i int) kdtree.Comparable { return p[i] }

// Len implements kdtree.Interface.
func (p points) Len() int { return len(p) }

// Slice implements kdtree.Interface.
func (p points) Slice(start, end int) kdtree.Interface { return p[start:end] }

// Pivot implements kdtree.Interface.
func (p points) Pivot(d kdtree.Dim) int {
	onAxis := axis{p, d}
	return kdtree.Partition(onAxis, kdtree.MedianOfRandoms(onAxis, 100))
}

// axis sorts points along a dimension.
type axis struct {
	points
	dim kdtree.Dim
}

func (a axis) Less(i, j int) bool { return a.points[i].at[a.dim] < a.points[j].at[a.dim] }
func (a axis) Swap(i, j int)      { a.points[i], a.points[j] = a.points[j], a.points[i] }
func (a axis) Slice(start, end int) kdtree.SortSlicer {
	return axis{a.points[start:end], a.dim}
}

// pointOf returns the position of a box without extent; it panics if the box has an extent.
func pointOf(id int, b *soa.AABB) [3]float64 {
	if b.Min != b.Max {
		panic(fmt.Sprintf("adapters: object %d is no point: %v to %v", id, b.Min, b.Max))
	}
	return wide(b.Min)
}

// NewGonum returns an empty tree.
func NewGonum() *Gonum { return &Gonum{new(kdtree.Tree)} }

// Build implements [index.Index]. It panics if a box has an extent.
func (t *Gonum) Build(objects []soa.Object) {
	all := make(points, len(objects))
	for i := range objects {
		all[i] = &point{pointOf(i, &objects[i].Box), uint32(i)}
	}
	t.tree = kdtree.New(all, false)
}

// Answers implements [index.Partial].
func (t *Gonum) Answers(v *index.Volume) bool {
	_, box := v.AsBox()
	_, _, ball := v.AsSphere()
	return box || ball
}

// Append implements [index.Volumes].
func (t *Gonum) Append(dst []uint32, v *index.Volume) []uint32 {
	if b, ok := v.AsBox(); ok {
		lo, hi := outward(&b) // the traversal excludes points on the border
		t.tree.DoBounded(&kdtree.Bounding{Min: &point{at: lo}, Max: &point{at: hi}},
			func(c kdtree.Comparable, _ *kdtree.Bounding, _ int) (done bool) {
				dst = append(dst, c.(*point).id)
				return false
			})
		return dst
	}
	center, radius, _ := v.AsSphere()
	keep := kdtree.NewDistKeeper(radius * radius * (1 + 0x1p-20)) // the final test is in float32
	t.tree.NearestSet(keep, &point{at: wide(center)})
	for _, c := range keep.Heap {
		p := c.Comparable.(*point)
		if b := p.box(); v.Meets(&b) {
			dst = append(dst, p.id)
		}
	}
	return dst
}

// AppendNearest implements [index.Nearest], except that objects at the same distance as the last one may
// replace it.
func (t *Gonum) AppendNearest(dst []index.Neighbor, p [3]float32, k int) []index.Neighbor {
	start := len(dst)
	if k = min(k, t.tree.Len()); k == 0 {
		return dst
	}
	keep := kdtree.NewNKeeper(k)
	t.tree.NearestSet(keep, &point{at: wide(p)})
	for _, c := range keep.Heap {
		dst = append(dst, c.Comparable.(*point).neighbor(p))
	}
	slices.SortFunc(dst[start:], byDistance)
	return dst
}
