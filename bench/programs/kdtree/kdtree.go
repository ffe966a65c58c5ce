// Package kdtree is a k-d tree with the call shape of gonum.org/v1/gonum/spatial/kdtree, made of an octree: a program
// that builds a tree and searches nearest neighbours imports a copy of this package instead of that path. The module
// here cannot be imported, as it replaces zoctree by a folder. Contains, Do, DoBounded and the nodes are missing.
//
//	tree := kdtree.New(kdtree.Points{{0, 0, 0}, {1, 2, 3}}, false)
//	nearest, dist2 := tree.Nearest(kdtree.Point{1, 2, 2})
//
// All types that describe points are gonum's, by alias: values pass between both packages. Points
// have one to three dimensions.
//
// # How it works
//
// The octree stores float32 boxes, which contain the float64 positions. They are relative to the first point, as
// Comparable.Compare returns them, so the boxes of a small cloud far from the origin are small, too. A search visits
// the boxes outward and computes Comparable.Distance of each, in float64, until a lower bound of the next distance
// exceeds the best. So distances equal gonum's, bit by bit; of several points at the same distance another may be
// found.
package kdtree

import (
	"fmt"
	"math"
	"sort"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"gonum.org/v1/gonum/spatial/kdtree"
)

// The types of gonum.
type (
	Interface      = kdtree.Interface
	Comparable     = kdtree.Comparable
	Bounder        = kdtree.Bounder
	Bounding       = kdtree.Bounding
	Extender       = kdtree.Extender
	Dim            = kdtree.Dim
	Point          = kdtree.Point
	Points         = kdtree.Points
	Plane          = kdtree.Plane
	SortSlicer     = kdtree.SortSlicer
	Keeper         = kdtree.Keeper
	NKeeper        = kdtree.NKeeper
	DistKeeper     = kdtree.DistKeeper
	ComparableDist = kdtree.ComparableDist
	Heap           = kdtree.Heap
)

// NewNKeeper is the function of gonum.
func NewNKeeper(n int) *NKeeper { return kdtree.NewNKeeper(n) }

// NewDistKeeper is the function of gonum.
func NewDistKeeper(d float64) *DistKeeper { return kdtree.NewDistKeeper(d) }

// Partition is the function of gonum. Methods Pivot call it; a Tree of this package does not call Pivot.
func Partition(list SortSlicer, pivot int) int { return kdtree.Partition(list, pivot) }

// MedianOfMedians is the function of gonum.
func MedianOfMedians(list SortSlicer) int { return kdtree.MedianOfMedians(list) }

// MedianOfRandoms is the function of gonum.
func MedianOfRandoms(list SortSlicer, n int) int { return kdtree.MedianOfRandoms(list, n) }

// maxDims is the number of dimensions of the octree.
const maxDims = 3

// Tree is a set of points with nearest-neighbour search. The zero Tree is empty and ready to use. One goroutine may
// insert, while none searches; between insertions any number of goroutines may search.
type Tree struct {
	index  linear.Tree
	points []Comparable // by ID
	dims   int
	reach  float64 // largest coordinate of the boxes, by size
}

// New returns a tree of the points of a list, in time that is linear in their number. It calls only the methods Len and
// Index, and does not reorder the list, which gonum does. The flag bounding is ignored: it only makes gonum faster. It
// panics when points have more than three dimensions, or when a coordinate relative to the first point is not finite
// in float32.
func New(p Interface, bounding bool) *Tree {
	t := new(Tree)
	if p.Len() == 0 {
		return t
	}
	objects := make([]linear.Object, p.Len())
	t.points = make([]Comparable, 0, p.Len())
	for i := range objects {
		objects[i].Box = t.add(p.Index(i))
	}
	if _, err := t.index.InsertBatch(nil, objects); err != nil {
		panic(fmt.Sprintf("kdtree: New: %v", err))
	}
	for i := range objects {
		t.extend(objects[i].Box)
	}
	return t
}

// Insert adds a point, in constant time beside the searches that follow. The flag bounding is ignored. It panics as New
// does.
func (t *Tree) Insert(c Comparable, bounding bool) {
	box := t.add(c)
	if _, err := t.index.Insert(linear.Object{Box: box}); err != nil {
		t.points = t.points[:len(t.points)-1]
		panic(fmt.Sprintf("kdtree: Insert: %v", err))
	}
	t.extend(box)
}

// Len returns the number of points.
func (t *Tree) Len() int { return len(t.points) }

// add appends a point and returns its box.
func (t *Tree) add(c Comparable) linear.AABB {
	if len(t.points) == 0 {
		if t.dims = c.Dims(); t.dims < 1 || t.dims > maxDims {
			panic(fmt.Sprintf("kdtree: points of %d dimensions, want 1 to %d", t.dims, maxDims))
		}
	}
	t.points = append(t.points, c)
	at := t.relative(c)
	return linear.AABB64{Min: at, Max: at}.Box([3]float64{})
}

// extend raises the reach to the faces of a box.
func (t *Tree) extend(b linear.AABB) {
	for d := range b.Min {
		t.reach = max(t.reach, -float64(b.Min[d]), float64(b.Max[d]))
	}
}

// relative returns the coordinates of a point less those of the first.
func (t *Tree) relative(c Comparable) (at [3]float64) {
	for d := range t.dims {
		at[d] = c.Compare(t.points[0], Dim(d))
	}
	return at
}

// Nearest returns the point nearest to q, and the square of its distance: nil and +Inf for an empty tree, and for a q
// with a coordinate that is not finite in float32 relative to the first point. It takes logarithmic time for points
// that are spread evenly.
func (t *Tree) Nearest(q Comparable) (nearest Comparable, dist2 float64) {
	dist2 = math.Inf(1)
	if a, ok := t.around(q); ok {
		a.outward(2, func(c Comparable) (limit float64) {
			if d := q.Distance(c); nearest == nil || d < dist2 {
				nearest, dist2 = c, d
			}
			return dist2
		})
	}
	return nearest, dist2
}

// NearestSet passes all points to k.Keep that are not further away than k.Max, and few others, and sorts k by distance,
// nearest first. It removes the sentinel of a Keeper, the value without a point.
func (t *Tree) NearestSet(k Keeper, q Comparable) {
	if a, ok := t.around(q); ok {
		keep := func(c Comparable) (limit float64) {
			k.Keep(ComparableDist{Comparable: c, Dist: q.Distance(c)})
			return k.Max().Dist
		}
		switch k := k.(type) {
		case *NKeeper:
			a.outward(cap(k.Heap)+1, keep)
		case *DistKeeper:
			a.within(k.Max().Dist, keep)
		default:
			a.outward(0, keep)
		}
	}
	if len(t.points) == 0 {
		return
	}
	sentinel := k.Len() > 0 && k.Max().Comparable == nil
	sort.Sort(sort.Reverse(k))
	if sentinel {
		k.Pop()
	}
}

// around is a search around a point. A point whose box is further than d from the start is further than d - off from
// the exact point.
type around struct {
	*Tree
	start [3]float32
	off   float64
}

// around returns the search around a point. ok is false when it finds nothing.
func (t *Tree) around(q Comparable) (a around, ok bool) {
	if len(t.points) == 0 {
		return a, false
	}
	a.Tree = t
	far := t.reach // the largest number that the coordinates are computed of
	for d, x := range t.relative(q) {
		a.start[d] = float32(x)
		far = max(far, math.Abs(x))
		a.off = math.Hypot(a.off, x-float64(a.start[d]))
	}
	// The relative coordinates of both points have one rounding each, by at most far * 2^-53. In three dimensions
	// their distance is off by less than 4 of these. The factor covers the roundings of off and of the callers.
	a.off = (a.off + far*0x4p-53) * (1 + 0x1p-40)
	return a, !(far > math.MaxFloat32) && a.off == a.off
}

// outward visits points, nearest boxes first, until all others are further away than the square root of the last limit
// that visit returned. The first k come from one search of the k nearest.
func (a around) outward(k int, visit func(c Comparable) (limit float64)) {
	var few [18]query.Neighbor
	limit := math.Inf(1)
	done := func(n query.Neighbor) bool {
		low := float64(n.Low()) - a.off
		return low > 0 && low*low*(1-0x1p-40) > limit
	}
	v := a.index.View()
	first, err := query.AppendNearest(few[:0], v, a.start, k, query.Unlimited, query.Filter{})
	if err != nil {
		return // not finite
	}
	for _, n := range first {
		if done(n) {
			return
		}
		limit = visit(a.points[n.ID])
	}
	if len(first) < k {
		return // these were all
	}
	all, err := query.NewNearby(a.start)
	if err != nil {
		return
	}
	for n := range all.All(v, query.Filter{}) {
		if k--; k >= 0 {
			continue // visited
		}
		if done(n) {
			return
		}
		limit = visit(a.points[n.ID])
	}
}

// within visits all points whose squared distance is at most dist2, and some others.
func (a around) within(dist2 float64, visit func(c Comparable) (limit float64)) {
	radius := min((math.Sqrt(dist2)+a.off)*(1+0x1p-22), math.MaxFloat32) // as a float32 still above the sum
	s, err := query.NewSphere(a.start, float32(radius))
	if err != nil {
		return // negative or NaN
	}
	for id := range s.All(a.index.View(), query.Filter{}) {
		visit(a.points[id])
	}
}
