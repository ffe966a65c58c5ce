package tiers

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
)

// rows are the names of the tasks, one for each kind of row of the other commands.
var rows = []string{"build, an object", "frustum of 10 %", "box of 450", "ray, first hit", "nearest 8", "all pairs, an object", "move 1 %, a move"}

const (
	frusta = 50 // cameras of a pass
	steps  = 4  // frames of a sample of moves
)

// field holds the objects of a scene, their tree, and the queries, which agree with the oracle.
type field struct {
	*lab.SceneTree
	queries []lab.Batch // of rows[1] to rows[5]
}

func newField(name string, n int, seed uint64) *field {
	f := &field{SceneTree: must.Get(lab.NewSceneTree(name, n, seed))}
	var planes [][6][4]float32
	for _, c := range scene.Cameras(f.Objects, 0.1, frusta, seed) {
		planes = append(planes, c.Planes())
	}
	f.queries = append(f.queries, must.Get(f.Agreed(lab.NewFrusta(planes))))
	for _, kind := range []lab.QueryKind{lab.Box450, lab.RayNearest, lab.Nearest8} {
		f.queries = append(f.queries, must.Get(f.Batch(kind)))
	}
	f.queries = append(f.queries, must.Get(f.Agreed(new(lab.AllPairs), nil)))
	return f
}

// twin returns a field with another tree of the same objects, and the same queries.
func (f *field) twin() *field {
	b := *f.SceneTree
	b.Tree = must.Get(lab.BuildFrozen(f.Objects, 1, nil))
	b.View = b.Tree.View()
	b.Store = b.View.Store()
	return &field{&b, f.queries}
}

// tasks returns the tasks of rows, whose changes have a tree of their own, and a function that checks that tree.
func (f *field) tasks() (list []measure.Task, sound func() error) {
	n := len(f.Objects)
	moving := must.Get(lab.NewMovingTree(f.Objects, f.Seed))
	list = append(list, moving.FirstBuild(f.Objects))
	for _, q := range f.queries {
		list = append(list, f.QueryTask(q))
	}
	list[len(list)-1].Units = n
	moves := max(n/lab.FrameShare, 1)
	list = append(list, measure.Task{
		Units:  steps * moves,
		Before: func() { moving.Draw(steps, moves) },
		Do:     func() uint64 { return moving.Move(moves) },
	})
	return list, moving.Sound
}

// about describes a scene, as notes do.
func about(name string, n int) string { return fmt.Sprintf("%s, %s", name, count.Of(n, "object")) }
