package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Among equal boxes, which are hit in the order of IDs, a walk reads one packet, then as many more as its patience,
// and no more: nothing there has a smaller ID.
func TestPatienceWithTies(t *testing.T) {
	objects := awkwardObjects("equal", 5000)
	v := plant(t, objects, true).View()
	c := objects[0].Box.Center()
	within, err := query.NewRay(c, [3]float32{1, 2, 3}, 5)
	failed(t, err)
	towards, err := query.NewRay([3]float32{-100, c[1], c[2]}, [3]float32{1}, 1000)
	failed(t, err)
	const want = 1 + query.TiesPatience
	testkit.EachTier(t, func(t *testing.T) {
		// By a filter that keeps all, which the kernels of the plain form do not handle.
		for name, r := range map[string]query.Ray{"within": within, "towards": towards} {
			if id, met, _ := query.RayWork(r, v, query.Filter{Mask: 31}); id != 0 || met != want {
				t.Errorf("a ray from %s hits %d, having met %d packets, want %d", name, id, met, want)
			}
		}
		for _, p := range [][3]float32{c, {-100, c[1], c[2]}} {
			n, err := query.ExplainNearest(v, p, 1, infinity, query.Filter{}, nil)
			failed(t, err)
			if n.Packets != want {
				t.Errorf("the nearest to %v takes %d packets, want %d", p, n.Packets, want)
			}
		}
	})
}

// Packets beyond the best hit are not read: packets on the way to it, and packets that are listed because they may
// tie with it.
func TestNothingBeyondTheBest(t *testing.T) {
	var row, wall []soa.Object
	for i := range 4000 {
		b := testkit.Cube(float32(10+3*i), 0, 0, 1)
		row = append(row, soa.Object{Box: b, Mask: 1})
		if i < 2000 {
			b = testkit.Cube(9, 0, 0, 2)
		}
		wall = append(wall, soa.Object{Box: b, Mask: 1})
	}
	r, err := query.NewRay([3]float32{}, [3]float32{1}, infinity)
	failed(t, err)
	testkit.EachTier(t, func(t *testing.T) {
		v := plant(t, row, true).View()
		if id, met, _ := query.RayWork(r, v, query.Filter{Mask: 1}); id != 0 || met != 1 {
			t.Errorf("of a row %d is hit, having met %d packets", id, met)
		}
		v = plant(t, wall, true).View()
		near := 0
		for slot := range v.Slots() {
			for _, id := range v.IDs(uint32(slot)) {
				if id < 2000 {
					near++
					break
				}
			}
		}
		for _, f := range []query.Filter{{}, {Mask: 1}} {
			id, met, listed := query.RayWork(r, v, f)
			if id != 0 || listed > near {
				t.Errorf("filter %+v: of a wall %d is hit, having met %d packets and listed %d for ties of %d", f, id, met, listed, near)
			}
		}
	})
}

// Of two heaps as far away on both sides the smallest IDs are nearest, whichever heap is read first, by boxes and by
// spheres that are in them.
func TestTiesOnBothSides(t *testing.T) {
	const n = 2000
	for side := range 2 {
		objects := make([]soa.Object, n)
		for i := range objects {
			x := float32(10)
			if i*2/n == side {
				x = -x
			}
			objects[i] = soa.Object{Box: testkit.Cube(x, 0, 0, 2), Mask: 1}
		}
		tree := plant(t, objects, true)
		for i := range objects {
			c := objects[i].Box.Center()
			failed(t, tree.SetSphere(uint32(i), [4]float32{c[0], c[1], c[2], 1}))
		}
		v := tree.View()
		testkit.EachTier(t, func(t *testing.T) {
			for f, d2 := range map[bool]float32{false: 64, true: 81} {
				for _, k := range []int{1, 8, 20, 300} {
					near := nearestOf(t, v, [3]float32{}, k, infinity, query.Filter{Mask: 1, Exact: f})
					for i, got := range near {
						if got != (query.Neighbor{ID: uint32(i), Dist2: d2}) {
							t.Fatalf("side %d, spheres %v: neighbour %d of %d is %+v", side, f, i, k, got)
						}
					}
				}
			}
		})
	}
}
