package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// Emptied nodes are freed after the configured number of ticks.
func TestLifespanConfig(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(4000, 1)
	for lifespan, want := range map[int]int{-1: 0, 1: 1, 0: 8, 20: 20, 64: 64} {
		tree := newTree(t, linear.Config{Lifespan: lifespan})
		ids := insert(t, tree, objects)
		tick(t, tree)
		var gone []uint32
		for i, id := range ids {
			if objects[i].Box.Min[0] < 20 {
				gone = append(gone, id)
			}
		}
		must(t, tree.RemoveBatch(gone))
		first := -1
		for i := 0; i < 70 && first < 0; i++ {
			tick(t, tree)
			valid(t, tree)
			if tree.Work().Freed > 0 {
				first = i
			}
		}
		if first != want {
			t.Errorf("Lifespan %d: the first node is freed %d ticks after it was emptied, want %d", lifespan, first, want)
		}
	}
}
