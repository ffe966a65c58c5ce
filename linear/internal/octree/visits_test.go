package octree

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A sample counts the root and every lane whose box contains the point, in the last lanes of full nodes too: boxes are
// nested, so a walk reaches all of them.
func TestVisitsAt(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		tree := newTestTree(t, Config{Frozen: frozen})
		objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
		insertAll(t, tree, objects)
		last := 0
		for i := range objects {
			at := objects[i].Box.Center()
			want := 1
			for node := range tree.Store.Nodes.Hot {
				for l := range int(tree.Store.Nodes.Used[node]) {
					if b := LaneBox(&tree.Store.Nodes.Hot[node], l); b.Contains(soa.AABB{Min: at, Max: at}) {
						want++
						if l == 15 {
							last++
						}
					}
				}
			}
			if got := tree.visitsAt(at, math.Inf(1)); got != want {
				t.Fatalf("%d visits at %v, want %d", got, at, want)
			}
		}
		if frozen && last == 0 {
			t.Error("no point is in a last lane")
		}
	}
}
