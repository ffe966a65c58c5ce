package collide_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// keepMeeting returns the pairs whose solids overlap.
func keepMeeting(pairs []testkit.IndexPair, a, b []testkit.Solid, scale float64) []testkit.IndexPair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p testkit.IndexPair) bool {
		return !testkit.Meet(&a[p.A], &b[p.B], scale)
	})
}

// With Filter.Exact the spheres decide, in every form: the pairs are the oracles' pairs whose solids
// overlap.
func TestPairsExact(t *testing.T) {
	seed := testkit.Seed(t)
	for _, name := range []string{"uniform", "city", "identical", "points", "huge", "degenerate"} {
		for _, n := range []int{2, 17, 200, 2000} {
			crowded := name == "identical" || name == "degenerate" && testkit.Budget(t, true, false)
			if n > 200 && (!testkit.Long(t) || crowded) {
				continue
			}
			t.Run(fmt.Sprintf("%s/n=%d", name, n), func(t *testing.T) {
				objects := testkit.SceneByName(t, name).Make(n, seed)
				solids := testkit.BallsIn(objects)
				f := trees.PlantAll(t, objects)
				f.SetBalls(t, solids)
				boxes := testkit.SweepAndPrune(objects)
				met := keepMeeting(boxes, solids, solids, 1+0x1p-40)
				if name == "uniform" && n == 2000 && (len(met) < 100 || len(met) > len(boxes)-100) {
					t.Fatalf("%d of %d pairs meet: little is tested", len(met), len(boxes))
				}
				for _, flt := range pairFilters {
					flt.Exact = true
					want := testkit.KeepPairs(met, objects, objects, func(a, b *soa.Object) bool { return passes(flt, a, b) })
					testPairs(t, f, flt, want)
				}
			})
		}
	}
}

// Between trees one of which has spheres, or both, or none; the workers of a batch agree.
func TestPairsExactBetween(t *testing.T) {
	a := testkit.SceneByName(t, "uniform").Make(17_000, 1)
	b := testkit.SceneByName(t, "uniform").Make(20_000, 2)
	if !testkit.Long(t) {
		a, b = a[:900], b[:900]
	}
	round := [][]testkit.Solid{testkit.BallsIn(a), testkit.BallsIn(b)}
	flat := [][]testkit.Solid{make([]testkit.Solid, len(a)), make([]testkit.Solid, len(b))}
	for i := range a {
		flat[0][i].Box = a[i].Box
	}
	for i := range b {
		flat[1][i].Box = b[i].Box
	}
	var batch collide.Batch
	batch.Workers = 3
	for k := range 4 {
		x, y := trees.Plant(t, a, true), trees.Plant(t, b, false)
		sx, sy := flat[0], flat[1]
		if k&1 != 0 {
			sx = round[0]
		}
		if k&2 != 0 {
			sy = round[1]
		}
		trees.SetBalls(t, x, sx)
		trees.SetBalls(t, y, sy)
		plain := collide.Filter{StaticPairs: true}
		exact := plain
		exact.Exact = true
		want := slices.DeleteFunc(collide.Append(nil, collide.Between(x.View(), y.View()), plain), func(p collide.Pair) bool {
			return !testkit.Meet(&sx[p.A], &sy[p.B], 1+0x1p-40)
		})
		got := collide.Append(nil, collide.Between(x.View(), y.View()), exact)
		if !slices.Equal(got, want) {
			t.Errorf("case %d: %d pairs, want %d in the order of all", k, len(got), len(want))
		}
		if n := collide.Count(collide.Between(x.View(), y.View()), exact); n != len(want) {
			t.Errorf("case %d: Count %d, want %d", k, n, len(want))
		}
		if !slices.Equal(slices.Collect(collide.All(collide.Between(x.View(), y.View()), exact)), want) {
			t.Errorf("case %d: All yields something else", k)
		}
		if !slices.Equal(batched(t, &batch, nil, collide.Between(x.View(), y.View()), exact), want) {
			t.Errorf("case %d: Batch finds something else", k)
		}
		if self := collide.Append(nil, collide.Within(x.View()), exact); !slices.Equal(batched(t, &batch, nil, collide.Within(x.View()), exact), self) {
			t.Errorf("case %d: Batch finds something else in one tree", k)
		}
	}
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

// A tracker follows the spheres, on every path of an update.
func TestTrackerExact(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(600, 1)
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	trees.SetBalls(t, tree, testkit.BallsIn(objects))
	tracker := collide.Tracker{Filter: collide.Filter{Exact: true}}
	for i := range uint32(20) {
		testkit.Must(t, tracker.Update(tree.View()))
		if n := collide.Count(collide.Within(tree.View()), tracker.Filter); tracker.Len() != n {
			t.Fatalf("update %d: %d pairs, want %d", i, tracker.Len(), n)
		}
		testkit.Must(t, tree.Move(i, objects[599-i].Box))
	}
}
