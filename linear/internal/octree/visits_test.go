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

// The end of a frame reads few packets of far objects, however many there are: those near the world, and those of
// near objects in the same cell. The bounds of coordinates are exact.
func TestTightenFarObjects(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	const n, far = 4000, 4000
	objects := someObjects(r, n, 100)
	for i := range far {
		var at [3]float32
		for a := range 3 {
			at[a] = 2e5 * (r.Float32() - 0.5)
		}
		objects = append(objects, soa.Object{Box: testkit.Cube(at[0], at[1], at[2], 1+float32(i%2))})
	}
	world := soa.AABB{Max: [3]float32{100, 100, 100}}
	tree := newTestTree(t, Config{World: world, Fixed: true})
	insertAll(t, tree, objects)
	testkit.Must(t, tree.EndFrame())
	for range 4 {
		tree.BeginChange()
		testkit.Must(t, tree.moveUnflushed([]uint32{0}, []soa.AABB{testkit.Cube(50, 50, 50, 1+r.Float32())}))
		testkit.Must(t, tree.EndFrame())
		check(t, tree)
	}
	all, near := soa.Empty(), soa.Empty()
	for id := range uint32(len(objects)) {
		slot, lane := tree.Locate(id)
		box := tree.Store.Packets.Box(slot, lane)
		all = all.Union(box)
		if tree.Code.Near(&box) {
			near = near.Union(box)
		}
	}
	if tree.Store.Extent != extentOf(all) || tree.Store.Near != extentOf(near) || !tree.Code.Outlier {
		t.Errorf("bounds %v and %v, want %v and %v, with far objects: %v", tree.Store.Near, tree.Store.Extent, extentOf(near), extentOf(all), tree.Code.Outlier)
	}
	h := tightener{t: tree, near: soa.Empty(), all: soa.Empty()}
	h.node(0)
	if h.packets > far/100 {
		t.Errorf("%d packets of %d far objects read", h.packets, far)
	}
}

// Moves of most of the objects that are left of many visit their packets, not all slots that the tree once had. The
// same moves in a tree that was never larger visit all slots.
func TestMovesOfFewLeft(t *testing.T) {
	const left = 500
	for _, n := range []int{left, 100 * left} {
		r := testkit.Rand(testkit.Seed(t))
		objects := someObjects(r, n, 100)
		tree := newTestTree(t, Config{Policy: PolicyIncremental})
		ids := insertAll(t, tree, objects)
		r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		tree.BeginChange()
		tree.RemoveAll(ids[left:])
		tree.ApplyRemovals()
		for range 3 {
			testkit.Must(t, tree.EndFrame())
		}
		var to []soa.AABB
		for _, id := range ids[:left/2] {
			box := objects[id].Box
			box.Max[0] += 0.25
			to = append(to, box)
		}
		testkit.Must(t, tree.moveUnflushed(ids[:left/2], to))
		check(t, tree)
		if all := len(tree.Buffers().away) > 0; all != (n == left) {
			t.Errorf("%d of %d objects left in %d slots, %d of them free: all visited: %v",
				left, n, len(tree.Store.Packets.Counts), tree.Free.Len(), all)
		}
	}
}

// If one object in ten is displaced at once, one rebuild places them all, and none becomes pending before. It does not
// if they are fewer, stay in their packets, or the tree has a tick budget or another policy.
func TestManyJump(t *testing.T) {
	const n = 10_000
	objects := testkit.SceneByName(t, "uniform").Make(n, testkit.Seed(t))
	for _, test := range []struct {
		cfg         Config
		oneIn       int
		near, balls bool
		rebuilt     bool
	}{
		{oneIn: 10, rebuilt: true},
		{oneIn: 10, rebuilt: true, balls: true},
		{oneIn: 10, rebuilt: true, cfg: Config{Frozen: true}},
		{oneIn: 15},
		{oneIn: 5, near: true},
		{oneIn: 5, cfg: Config{TickBudget: n}},
		{oneIn: 5, cfg: Config{Policy: PolicyIncremental}},
	} {
		r := testkit.Rand(testkit.Seed(t))
		tree := newTestTree(t, test.cfg)
		insertAll(t, tree, objects)
		testkit.Must(t, tree.EndFrame())
		var ids []uint32
		var to Bodies
		for i := r.IntN(test.oneIn); i < n; i += test.oneIn {
			b := objects[r.IntN(n)].Box
			if test.near {
				b = objects[i].Box
			}
			ids = append(ids, uint32(i))
			if c := b.Center(); test.balls && i >= n/2 {
				to.Spheres = append(to.Spheres, [4]float32{c[0], c[1], c[2], 0.1})
			} else {
				to.Boxes = append(to.Boxes, b)
			}
		}
		tree.BeginChange()
		d := new(Deferred)
		m, bad := d.AddBatch(tree, ids, &to, false)
		if bad >= 0 {
			t.Fatalf("body %d is invalid", bad)
		}
		tree.CountMoves(ids, &to, m)
		testkit.Must(t, tree.MakeMoves(d))
		if tree.Work.Rebuilt == n != test.rebuilt || tree.Pending > 0 != !(test.rebuilt || test.near) {
			t.Errorf("%+v: %d objects rebuilt, %d pending", test, tree.Work.Rebuilt, tree.Pending)
		}
		check(t, tree)
	}
}
