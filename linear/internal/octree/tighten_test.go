package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// When the ends of the root show that the bounds of coordinates and the world are as they should be, computing them
// again changes nothing: while objects drift, jump beyond all others and back, become far, and gather in a corner.
func TestEndsHold(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	tight, loose, shrunk := 0, 0, 0
	for round := range testkit.Budget(t, 40, 200) {
		n := 1 + r.IntN(400)
		cfg, origin := Config{}, float32(round%3*5000) // a far box may be nearer to 0
		if round%8 == 7 {
			cfg = Config{Fixed: true, World: soa.AABB{Min: [3]float32{origin, origin, origin}, Max: [3]float32{origin + 99, origin + 99, origin + 99}}}
		}
		tree := newTestTree(t, cfg)
		objects := append(someObjects(r, n, 100), soa.Object{Box: testkit.Cube(100, 100, 100, 1)}) // which stays
		for i := range objects {
			objects[i].Box = place(objects[i].Box, origin)
		}
		ids := insertAll(t, tree, objects)
		for frame := range 40 {
			low, side, movers := float32(0), float32(100), 1+r.IntN(3)
			switch k := r.IntN(12); {
			case k == 0 && frame < 15:
				low, side = -20, 140
			case k == 1 && frame < 20:
				low, side = -1000, 2000 // far
			case frame > 10:
				low, side, movers = 96, 3, 1+n/4
			}
			to := make([]soa.AABB, movers)
			which := make([]uint32, movers)
			for i := range to {
				which[i] = ids[r.IntN(n)]
				if frame < 20 { // far ones return
					which[i] = ids[r.IntN(min(n, 4))]
				}
				to[i] = someObjects(r, 1, side)[0].Box
				to[i] = place(to[i], origin+low)
			}
			tree.BeginChange()
			testkit.Must(t, tree.moveUnflushed(which, to))
			if r.IntN(20) == 0 {
				testkit.Must(t, tree.Flush())
			}
			tree.Refit()
			if !tree.ends.hold(tree) {
				loose++
			} else {
				tight++
				before, store, far := tree.World, *tree.Store, tree.Code.Outlier
				testkit.Must(t, tree.shrinkWorld(tree.tightenExtent()))
				if tree.World != before || tree.Store.Near != store.Near || tree.Store.Extent != store.Extent || tree.Store.Version != store.Version || tree.Code.Outlier != far {
					t.Fatalf("round %d, frame %d: the world was %v and is %v, the bounds were %v and %v and are %v and %v, far objects %v, now %v", round, frame,
						before, tree.World, store.Near, store.Extent, tree.Store.Near, tree.Store.Extent, far, tree.Code.Outlier)
				}
			}
			world := tree.World
			testkit.Must(t, tree.EndFrame())
			if tree.World != world {
				shrunk++
			}
			check(t, tree)
		}
	}
	if min(tight, loose, 20*shrunk) < 100 {
		t.Errorf("%d times tight, %d times not, the world fitted %d times", tight, loose, shrunk)
	}
}

// A far object may be nearer to the origin than the others. When it has returned, the tree knows that none is far.
func TestFarObjectReturns(t *testing.T) {
	world := soa.AABB{Min: [3]float32{5000, 5000, 5000}, Max: [3]float32{5100, 5100, 5100}}
	tree := newTestTree(t, Config{World: world, Fixed: true})
	objects := someObjects(testkit.Rand(1), 300, 100)
	for i := range objects {
		objects[i].Box = place(objects[i].Box, 5000)
	}
	ids := insertAll(t, tree, objects)
	for frame := range 6 {
		far := frame%2 == 1
		box := objects[3].Box
		if far {
			box = place(box, -1500)
		}
		tree.BeginChange()
		testkit.Must(t, tree.moveUnflushed(ids[3:4], []soa.AABB{box}))
		testkit.Must(t, tree.EndFrame())
		if tree.Code.Outlier != far || tree.Store.Near != tree.Store.Extent {
			t.Errorf("frame %d: far objects: %v, bounds %v and %v", frame, tree.Code.Outlier, tree.Store.Near, tree.Store.Extent)
		}
	}
}

// place returns a box moved by the same distance on all axes.
func place(b soa.AABB, by float32) soa.AABB {
	for a := range 3 {
		b.Min[a], b.Max[a] = b.Min[a]+by, b.Max[a]+by
	}
	return b
}
