package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// lab is where experiments run. It keeps the last bed.
type lab struct {
	rounds int
	seed   uint64
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

	sweep baseline.Sweep
	set   baseline.Set
	ids   []uint32
	want  []uint32
}

// bed returns the bed of n objects of a scene.
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

func (l *lab) objects(name string, n int) ([]soa.Object, error) {
	s, ok := scene.ByName(name)
	if !ok {
		return nil, fmt.Errorf("no scene %q", name)
	}
	return s.Make(n, l.seed), nil
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

// check compares the tree's answers with those of the sweep.
func (b *bed) check(lenses []baseline.Lens) error {
	for i := range lenses {
		l := &lenses[i]
		b.want = b.sweep.Append(b.want[:0], b.store, l)
		b.ids = l.Frustum.Append(b.ids[:0], b.view, query.Filter{})
		if err := b.set.Same(b.ids, b.want); err != nil {
			return fmt.Errorf("camera %d: the tree and the sweep differ: %w", i, err)
		}
	}
	return nil
}

// treeTask culls with all lenses; its unit is a query.
func (b *bed) treeTask(lenses []baseline.Lens) measure.Task {
	return measure.Task{Units: len(lenses), Do: func() (seen uint64) {
		for i := range lenses {
			b.ids = lenses[i].Frustum.Append(b.ids[:0], b.view, query.Filter{})
			seen += uint64(len(b.ids))
		}
		return seen
	}}
}

// sweepTask is treeTask with the linear sweep.
func (b *bed) sweepTask(lenses []baseline.Lens) measure.Task {
	return measure.Task{Units: len(lenses), Do: func() (seen uint64) {
		for i := range lenses {
			b.ids = b.sweep.Append(b.ids[:0], b.store, &lenses[i])
			seen += uint64(len(b.ids))
		}
		return seen
	}}
}
