package collide_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/collide"
)

// keepMeeting returns the pairs whose solids overlap.
func keepMeeting(pairs []testkit.IndexPair, a, b []testkit.Solid, scale float64) []testkit.IndexPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p testkit.IndexPair) bool {
		return !testkit.Meet(&a[p.A], &b[p.B], scale)
	})
}

// Exact contact: spheres that touch are a pair, spheres one number further apart
// are none, though their boxes overlap.
func TestPairsExactTouch(t *testing.T) {
	touch := ballAt(3, 4, 0, 2) // 5 from the origin
	apart := touch
	apart.Ball = &[4]float32{math.Nextafter32(3, 4), 4, 0, 2}
	corner := cubeAt(4.8, 5.4, 0, 3) // its nearest point is 1.8, 2.4
	for _, c := range []struct {
		a, b testkit.Solid
		want int
	}{
		{ballAt(0, 0, 0, 3), touch, 1},
		{ballAt(0, 0, 0, 3), apart, 0},
		{ballAt(0, 0, 0, 3.1), corner, 1},
		{ballAt(0, 0, 0, 2.9), corner, 0},
		{ballAt(1, 1, 1, 0), ballAt(1, 1, 1, 0), 1},
		{ballAt(1, 1, 1, 0), cubeAt(2, 2, 2, 1), 1},
	} {
		for _, solids := range [][]testkit.Solid{{c.a, c.b}, {c.b, c.a}} {
			v := plantSolids(t, solids).View()
			if n := collide.Count(collide.Within(v), collide.Filter{}); n != 1 {
				t.Errorf("%+v: the boxes are %d pairs", solids, n)
			}
			if n := collide.Count(collide.Within(v), collide.Filter{Exact: true}); n != c.want {
				t.Errorf("%+v: %d pairs, want %d", solids, n, c.want)
			}
		}
	}
}
