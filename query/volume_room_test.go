package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Append takes one allocation, with any room in the slice, and with any part of the result wholly inside or on the
// border; none where there is room for the result and 16 more.
func TestAppendGrowsOnce(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	v := plant(t, objects, true).View()
	for _, half := range []float32{2, 6, 12, 25} {
		c := objects[7].Box.Center()
		q := box(t, testkit.CubeAt(c, half))
		n := q.Count(v, query.Filter{})
		inside := 0
		q.Ranges(v, query.Filter{}, func(r query.Range) bool {
			if r.Mask == 0 {
				inside += int(r.Count) * soa.Lanes
			}
			return true
		})
		for _, room := range []int{0, 1, 15, 16, inside - 32, inside - 17, inside - 16, inside - 15, inside - 1, inside, inside + 15, inside + 16, inside + 17, n - 1, n, n + 15, n + 16} {
			if room < 0 {
				continue
			}
			dst := make([]uint32, 0, room)
			allocs := 99.0
			for range 5 { // the runtime sometimes allocates in between
				allocs = min(allocs, testing.AllocsPerRun(1, func() { q.Append(dst, v, query.Filter{}) }))
			}
			if allocs > 1 || allocs > 0 && room >= n+16 {
				t.Errorf("%d objects, %d places inside, room for %d: %v allocations", n, inside, room, allocs)
			}
		}
	}
}
