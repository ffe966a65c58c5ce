package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// The world grows towards objects that leave it, whatever the axis and the direction on which they do. More of
// them would cause a rebuild.
func TestWorldGrowsOnEachAxis(t *testing.T) {
	objects := sceneOf(t, "uniform", 1000)
	for axis := range 3 {
		for _, sign := range []float32{-1, 1} {
			t.Run(fmt.Sprintf("axis=%d/sign=%v", axis, sign), func(t *testing.T) {
				tree := newTree(t, linear.Config{Workers: 1})
				ids := insert(t, tree, objects)
				must(t, tree.Tick())
				w := tree.World()
				low, high := w.Bounds()
				step := sign * (high[axis] - low[axis])
				for i := range 80 {
					box := objects[i].Box
					box.Min[axis], box.Max[axis] = box.Min[axis]+step, box.Max[axis]+step
					must(t, tree.Move(ids[i], box))
				}
				must(t, tree.Tick())
				if grown := tree.Work().Grown; grown != 1 {
					t.Errorf("the world has been doubled %d times after 80 of 1,000 objects have left it, want 1", grown)
				}
				must(t, tree.Validate())
			})
		}
	}
}
