package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/query"
)

func sameNear(t testing.TB, got []query.Neighbor, want []testkit.Near) bool {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d neighbours, want %d", len(got), len(want))
		return false
	}
	for i, w := range want {
		if g := got[i]; int(g.ID) != w.Index || math.Float32bits(g.Dist2) != math.Float32bits(w.Dist2) {
			t.Errorf("neighbour %d is %d at %x, want %d at %x", i, g.ID, g.Dist2, w.Index, w.Dist2)
			return false
		}
	}
	return true
}

func TestNearestQuick(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		for _, sc := range testkit.Scenes() {
			for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000} {
				objects := sc.Make(n, 1)
				for _, frozen := range []bool{false, true} {
					v := plant(t, objects, frozen).View()
					for _, p := range scene.PointQueries(objects, 20, 2) {
						for _, k := range []int{0, 1, 2, 8, 33, n, n + 1} {
							got := query.AppendNearest(nil, v, p, k, infinity, query.Filter{})
							if !sameNear(t, got, testkit.TwinNearest(objects, p, k, infinity)) {
								t.Fatalf("%s n=%d frozen=%v k=%d", sc.Name, n, frozen, k)
							}
						}
					}
				}
			}
		}
	})
}
