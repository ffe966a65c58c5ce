package walk_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// ray is a ray of that length, in units of its direction.
func ray(origin, dir [3]float32, length float32) *walk.Sweep {
	r := new(walk.Sweep)
	r.SetPoint(&origin, &dir, length)
	return r
}

// Among equal boxes, which are hit in the order of IDs, a walk reads one packet, then as many more as its patience,
// and no more: nothing there has a smaller ID.
func TestPatienceWithTies(t *testing.T) {
	objects := testkit.AwkwardObjects("equal", 5000)
	v := plant(t, objects, true).View()
	c := objects[0].Box.Center()
	within, towards := ray(c, [3]float32{1, 2, 3}, 5), ray([3]float32{-100, c[1], c[2]}, [3]float32{1}, 1000)
	const want = 1 + walk.TiesPatience
	testkit.EachTier(t, func(t *testing.T) {
		// By a filter that keeps all, which the kernels of the plain form do not handle.
		for name, r := range map[string]*walk.Sweep{"within": within, "towards": towards} {
			if id, met, _ := walk.RayWork(r, v.Store(), 31); id != 0 || met != want {
				t.Errorf("a ray from %s hits %d, having met %d packets, want %d", name, id, met, want)
			}
		}
		for _, p := range [][3]float32{c, {-100, c[1], c[2]}} {
			q := walk.TakeNearest()
			n := q.Explain(v.Store(), &p, 1, infinity, &walk.Everything, nil)
			if q.Release(); n.Packets != want {
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
	r := ray([3]float32{}, [3]float32{1}, infinity)
	testkit.EachTier(t, func(t *testing.T) {
		v := plant(t, row, true).View()
		if id, met, _ := walk.RayWork(r, v.Store(), 1); id != 0 || met != 1 {
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
		for _, mask := range []uint32{0, 1} {
			id, met, listed := walk.RayWork(r, v.Store(), mask)
			if id != 0 || listed > near {
				t.Errorf("mask %d: of a wall %d is hit, having met %d packets and listed %d for ties of %d", mask, id, met, listed, near)
			}
		}
	})
}

// Among ties the nearest ray reads few packets.
func TestRayTies(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		for _, name := range []string{"equal", "nested", "falling"} {
			objects := testkit.AwkwardObjects(name, 20_000)
			v := plant(t, objects, true).View()
			r := ray(testkit.AwkwardPoints(objects)[0], [3]float32{1, 2, 3}, 5)
			if met := walk.NearestMeets(r, v.Store()); met > v.Slots()/8 {
				t.Errorf("%s: the nearest ray met %d packets of %d", name, met, v.Slots())
			}
		}
	})
}
