package livemap

import (
	"slices"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// index is a map of points under measurement.
type index interface {
	name() string
	// fill inserts the first points into the empty index.
	fill(points [][3]float32)
	// update inserts points and removes all points outside the window.
	update(points [][3]float32, w *window)
	// nearest appends the squared distances of the k nearest points to dst, in ascending order, rounded as Dist2
	// of query.Neighbor.
	nearest(dst []float32, p [3]float32, k int) []float32
	len() int
}

// indexes returns empty indexes, the basis of ratios first.
func indexes() []index {
	return []index{&incremental{tree: newTree()}, &rebuilt{}, &voxels{cells: map[cell][][3]float32{}}}
}

func newTree() *linear.Tree { return must.Get(linear.New(linear.Config{Workers: 1})) }

// incremental is a tree that changes.
type incremental struct {
	tree *linear.Tree
	ids  []uint32
	found
}

// found searches a view.
type found struct {
	view      linear.View
	neighbors []query.Neighbor
}

func (f *found) nearest(dst []float32, p [3]float32, k int) []float32 {
	f.neighbors = must.Get(query.AppendNearest(f.neighbors[:0], f.view, p, k, query.Unlimited, query.Filter{}))
	for _, n := range f.neighbors {
		dst = append(dst, n.Dist2)
	}
	return dst
}

func (x *incremental) name() string { return "incremental" }
func (x *incremental) len() int     { return x.tree.Len() }

func (x *incremental) fill(points [][3]float32) {
	x.ids = must.Get(x.tree.InsertPoints(x.ids[:0], points, linear.Labels{Mask: 1}))
	must.Do(x.tree.Tick())
	x.view = x.tree.View()
}

func (x *incremental) update(points [][3]float32, w *window) {
	x.ids = must.Get(x.tree.InsertPoints(x.ids[:0], points, linear.Labels{Mask: 1}))
	_, _, err := x.tree.RemoveOutside(nil, linear.BoxRegion(linear.AABB{Min: w.min, Max: w.max}), linear.Filter{})
	must.Do(err)
	must.Do(x.tree.Tick())
	x.view = x.tree.View()
}

// rebuilt is a new tree in each scan.
type rebuilt struct {
	objects []linear.Object
	found
}

func (x *rebuilt) name() string { return "rebuilt" }
func (x *rebuilt) len() int     { return len(x.objects) }

func (x *rebuilt) fill(points [][3]float32) {
	for _, p := range points {
		x.objects = append(x.objects, linear.Object{Box: linear.AABB{Min: p, Max: p}, Mask: 1})
	}
}

func (x *rebuilt) update(points [][3]float32, w *window) {
	x.fill(points)
	x.objects = slices.DeleteFunc(x.objects, func(o linear.Object) bool { return !w.has(&o.Box.Min) })
	tree := newTree()
	must.Do(tree.Build(nil, x.objects, linear.RebuildOptions{}))
	x.view = tree.View()
}
