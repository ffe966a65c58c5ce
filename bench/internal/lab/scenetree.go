package lab

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// SceneTree is a scene and a frozen tree of its objects.
type SceneTree struct {
	Scene   string
	Objects []soa.Object
	Tree    *linear.Tree
	View    linear.View
	Store   *soa.Store
	Seed    uint64

	Sweep baseline.Sweep
	Set   baseline.Set
	IDs   []uint32 // memory for a result
	Want  []uint32 // memory for the expected result
}

// NewSceneTree returns the frozen tree of n objects of a scene; see Objects for the names.
func NewSceneTree(name string, n int, seed uint64) (*SceneTree, error) {
	objects, err := Objects(name, n, seed)
	if err != nil {
		return nil, err
	}
	tree, err := BuildFrozen(objects, 1, nil)
	if err != nil {
		return nil, err
	}
	v := tree.View()
	return &SceneTree{Scene: name, Objects: objects, Tree: tree, View: v, Store: v.Store(), Seed: seed}, nil
}

// Objects returns n objects of a scene. The name "city points" stands for the centres of scene city.
func Objects(name string, n int, seed uint64) ([]soa.Object, error) {
	of, centres := strings.CutSuffix(name, " points")
	s, ok := scene.ByName(of)
	if !ok {
		return nil, fmt.Errorf("no scene %q", of)
	}
	objects := s.Make(n, seed)
	for i := range objects {
		if b := &objects[i].Box; centres {
			b.Min = b.Center()
			b.Max = b.Min
		}
	}
	return objects, nil
}

// Boxes returns the boxes of the objects, by ID.
func (b *SceneTree) Boxes() []soa.AABB {
	boxes := make([]soa.AABB, len(b.Objects))
	for i := range boxes {
		boxes[i] = b.Objects[i].Box
	}
	return boxes
}

// Lenses returns cameras that see about a given share of the objects.
func (b *SceneTree) Lenses(share float64, count int) ([]baseline.Lens, error) {
	cameras := scene.Cameras(b.Objects, share, count, b.Seed)
	frusta := make([][6][4]float32, len(cameras))
	for i := range cameras {
		frusta[i] = cameras[i].Planes()
	}
	return LensesOf(frusta)
}

func LensesOf(frusta [][6][4]float32) ([]baseline.Lens, error) {
	lenses := make([]baseline.Lens, len(frusta))
	for i := range frusta {
		var err error
		if lenses[i], err = baseline.NewLens(frusta[i]); err != nil {
			return nil, err
		}
	}
	return lenses, nil
}

// QueryFunc appends the result of query i to dst.
type QueryFunc func(dst []uint32, i int) []uint32

// TreeQueries returns a function that culls the tree with the lenses.
func (b *SceneTree) TreeQueries(lenses []baseline.Lens) QueryFunc {
	return func(dst []uint32, i int) []uint32 { return lenses[i].Frustum.Append(dst, b.View, query.Filter{}) }
}

// SweepQueries is TreeQueries with the linear sweep.
func (b *SceneTree) SweepQueries(lenses []baseline.Lens) QueryFunc {
	return func(dst []uint32, i int) []uint32 { return b.Sweep.Append(dst, b.Store, &lenses[i]) }
}

// Same returns an error if two functions differ in a result.
func (b *SceneTree) Same(count int, tree, sweep QueryFunc) error {
	for i := range count {
		b.Want = sweep(b.Want[:0], i)
		b.IDs = tree(b.IDs[:0], i)
		if err := b.Set.Same(b.IDs, b.Want); err != nil {
			return fmt.Errorf("query %d: the tree and the sweep differ: %w", i, err)
		}
	}
	return nil
}

// Task runs all queries; its unit is a query.
func (b *SceneTree) Task(count int, ask QueryFunc) measure.Task {
	return measure.Task{Units: count, Do: func() (found uint64) {
		for i := range count {
			b.IDs = ask(b.IDs[:0], i)
			found += uint64(len(b.IDs))
		}
		return found
	}}
}
