package ratios

import (
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
)

// With lifespans a stream of bullets allocates hardly a node once its paths are
// known.
func TestBulletsAllocate(t *testing.T) {
	n, flights := 40_000, 3
	if testing.Short() || testkit.RaceEnabled {
		n, flights = 40_000, 2
	}
	objects := testkit.SceneByName(t, "uniform").Make(n, 1)
	allocated := map[int]int{}
	for _, lifespan := range []int{0, -1} {
		g := newGunfire(objects, lifespan)
		g.flight(bulletFrames)
		for range flights {
			allocated[lifespan] += g.flight(bulletFrames)
			must.Do(g.tree.Validate())
		}
		if want := len(objects) + g.Volley*len(g.volleys); g.tree.Len() != want {
			t.Errorf("%d objects, want %d", g.tree.Len(), want)
		}
	}
	t.Logf("nodes allocated: %v", allocated)
	if on, off := allocated[0], allocated[-1]; off == 0 || on > off/4 {
		t.Errorf("%d nodes are allocated with lifespans, %d without", on, off)
	}
}
