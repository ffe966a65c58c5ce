package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// A flush places pending objects one by one if they are at most one in twelve of all objects, in large trees
// one in eight, and rebuilds for a single object more.
func TestRebuildFromShare(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1<<15+1, 1)
	for _, c := range []struct{ objects, share int }{{800, 12}, {1 << 15, 12}, {1<<15 + 1, 8}} {
		for _, more := range []int{0, 1} {
			pending := c.objects/c.share + more
			tree := newTree(t, linear.Config{PendingMin: 1 << 20})
			insert(t, tree, objects[:c.objects-pending])
			tick(t, tree)
			insert(t, tree, objects[c.objects-pending:c.objects])
			tick(t, tree)
			homed, rebuilt := pending, 0
			if more > 0 {
				homed, rebuilt = 0, c.objects
			}
			if w := tree.Work(); w.Placed != homed || w.Rebuilt != rebuilt {
				t.Errorf("%d of %d objects pending: %d homed and %d moved by rebuilds, want %d and %d",
					pending, c.objects, w.Placed, w.Rebuilt, homed, rebuilt)
			}
		}
	}
}
