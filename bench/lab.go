package main

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// lab is where experiments run. It keeps the last bed.
type lab struct {
	rounds int
	seed   uint64
	tiers  []asm.Tier // of floors; none: the active one
	last   *bed
}

// bed is a scene and a frozen tree of it.
type bed struct {
	scene   string
	objects []soa.Object
	tree    *linear.Tree
	view    linear.View
	store   *soa.Store
	seed    uint64
	flat    *linear.Tree // without nodes: see flatten; nil until it is asked for

	sweep  baseline.Sweep
	set    baseline.Set
	ids    []uint32
	want   []uint32
	ranges []asm.Range
}

// bed returns the bed of n objects of a scene, of "city points" the centres of
// scene city.
func (l *lab) bed(name string, n int) (*bed, error) {
	if l.last != nil && l.last.scene == name && len(l.last.objects) == n {
		return l.last, nil
	}
	l.last = nil // free before building the next
	objects, err := l.objects(name, n)
	if err != nil {
		return nil, err
	}
	tree, err := plant(objects, 1, nil)
	if err != nil {
		return nil, err
	}
	v := tree.View()
	l.last = &bed{scene: name, objects: objects, tree: tree, view: v, store: v.Store(), seed: l.seed}
	return l.last, nil
}

// objects returns the objects of a bed.
func (l *lab) objects(name string, n int) ([]soa.Object, error) {
	of, centres := strings.CutSuffix(name, " points")
	s, ok := scene.ByName(of)
	if !ok {
		return nil, fmt.Errorf("no scene %q", of)
	}
	objects := s.Make(n, l.seed)
	for i := range objects {
		if b := &objects[i].Box; centres {
			b.Min = b.Center()
			b.Max = b.Min
		}
	}
	return objects, nil
}

// boxes returns the boxes of the objects, by ID.
func (b *bed) boxes() []soa.AABB {
	boxes := make([]soa.AABB, len(b.objects))
	for i := range boxes {
		boxes[i] = b.objects[i].Box
	}
	return boxes
}

// lenses returns cameras that see about that share.
func (b *bed) lenses(share float64, count int) ([]baseline.Lens, error) {
	cameras := scene.Cameras(b.objects, share, count, b.seed)
	frusta := make([][6][4]float32, len(cameras))
	for i := range cameras {
		frusta[i] = cameras[i].Planes()
	}
	return lensesOf(frusta)
}

func lensesOf(frusta [][6][4]float32) ([]baseline.Lens, error) {
	lenses := make([]baseline.Lens, len(frusta))
	for i := range frusta {
		var err error
		if lenses[i], err = baseline.NewLens(frusta[i]); err != nil {
			return nil, err
		}
	}
	return lenses, nil
}

// asker appends the answer to query i.
type asker func(dst []uint32, i int) []uint32

// treeAsker culls with the lenses.
func (b *bed) treeAsker(lenses []baseline.Lens) asker {
	return func(dst []uint32, i int) []uint32 { return lenses[i].Frustum.Append(dst, b.view, query.Filter{}) }
}

// sweepAsker is treeAsker with the linear sweep.
func (b *bed) sweepAsker(lenses []baseline.Lens) asker {
	return func(dst []uint32, i int) []uint32 { return b.sweep.Append(dst, b.store, &lenses[i]) }
}

// same compares two ways to answer.
func (b *bed) same(count int, tree, sweep asker) error {
	for i := range count {
		b.want = sweep(b.want[:0], i)
		b.ids = tree(b.ids[:0], i)
		if err := b.set.Same(b.ids, b.want); err != nil {
			return fmt.Errorf("query %d: the tree and the sweep differ: %w", i, err)
		}
	}
	return nil
}

// task answers all queries; its unit is a query.
func (b *bed) task(count int, ask asker) measure.Task {
	return measure.Task{Units: count, Do: func() (seen uint64) {
		for i := range count {
			b.ids = ask(b.ids[:0], i)
			seen += uint64(len(b.ids))
		}
		return seen
	}}
}
