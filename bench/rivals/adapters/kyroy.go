package adapters

import (
	"slices"

	"github.com/kyroy/kdtree"
	"github.com/kyroy/kdtree/kdrange"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Kyroy is a k-d tree of package github.com/kyroy/kdtree over points: boxes without extent, in a type of our
// own. It is built in bulk and supports box queries and k-nearest searches.
type Kyroy struct {
	tree *kdtree.KDTree
	size int
}

// Dimensions implements kyroy's kdtree.Point.
func (p *point) Dimensions() int { return 3 }

// Dimension implements kyroy's kdtree.Point.
func (p *point) Dimension(i int) float64 { return p.at[i] }

// NewKyroy returns an empty tree.
func NewKyroy() *Kyroy { return &Kyroy{tree: kdtree.New(nil)} }

// Build implements [index.Index]. It panics if a box has an extent.
func (t *Kyroy) Build(objects []soa.Object) {
	all := make([]kdtree.Point, len(objects))
	for i := range objects {
		all[i] = &point{pointOf(i, &objects[i].Box), uint32(i)}
	}
	t.tree, t.size = kdtree.New(all), len(all)
}

// Answers implements [index.Partial].
func (t *Kyroy) Answers(v *index.Volume) bool {
	_, ok := v.AsBox()
	return ok
}

// Append implements [index.Volumes].
func (t *Kyroy) Append(dst []uint32, v *index.Volume) []uint32 {
	b, _ := v.AsBox()
	lo, hi := wide(b.Min), wide(b.Max)
	for _, p := range t.tree.RangeSearch(kdrange.New(lo[0], hi[0], lo[1], hi[1], lo[2], hi[2])) {
		dst = append(dst, p.(*point).id)
	}
	return dst
}

// AppendNearest implements [index.Nearest], except that objects at the same distance as the last one may
// replace it.
func (t *Kyroy) AppendNearest(dst []index.Neighbor, p [3]float32, k int) []index.Neighbor {
	start := len(dst)
	for _, c := range t.tree.KNN(&point{at: wide(p)}, min(k, t.size)) {
		dst = append(dst, c.(*point).neighbor(p))
	}
	slices.SortFunc(dst[start:], byDistance)
	return dst
}
