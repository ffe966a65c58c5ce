package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// deepTree is a tree whose height exceeds the length of a trail: of many cells, each for a few objects.
func deepTree(t *testing.T, n int) *Tree {
	t.Helper()
	tree, err := New(Config{Policy: PolicyIncremental, SplitAbove: 2, PendingMin: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r := testkit.Rand(1)
	objects := make([]soa.Object, n)
	for i := range objects {
		at := math.Ldexp(1, -i*40/n) // around a corner
		for a := range 3 {
			x := float32(at * (1 + r.Float64()))
			objects[i].Box.Min[a], objects[i].Box.Max[a] = x, x
		}
	}
	for part := range slices.Chunk(objects, 100) {
		if _, err := tree.InsertBatch(nil, part); err != nil {
			t.Fatal(err)
		}
		if err := tree.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// A trail leads ascending keys, at any distance, to their cells.
func TestTrail(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	s := deepTree(t, 20_000).store
	above := 0
	for steps := range uint64(60) {
		way, at := newTrail(), uint64(0)
		for range 200 {
			if got, want := way.cell(s, at), lastCell(s, at); got != want {
				t.Fatalf("key %#x: cell %d, want %d", at, got, want)
			}
			above = max(above, way.last)
			if at = at + r.Uint64N(1<<steps); at > uint64(morton.MaxKey) {
				break
			}
		}
	}
	if above < 2 {
		t.Errorf("cells are %d nodes below the root", above)
	}
}

// laneOf is the last lane whose first key is not larger.
func TestLaneOf(t *testing.T) {
	for used := 1; used <= soa.Fan; used++ {
		keys := soa.NoKeys
		for l := range used {
			keys[l] = uint64(10 * l)
		}
		for key := range uint64(10*used + 5) {
			if got, want := laneOf(&keys, key), min(int(key/10), used-1); got != want {
				t.Fatalf("%d lanes, key %d: lane %d, want %d", used, key, got, want)
			}
		}
	}
}

// A flush that splits many cells puts each object into the cell of its key, also the objects whose cell was
// found before it was split.
func TestFlushIntoPartedCells(t *testing.T) {
	for number, sc := range scene.All() {
		objects := sc.Make(6000, 1)
		for _, c := range testkit.Turn(t, number, []struct {
			built  int
			frozen bool
		}{{600, false}, {2000, false}, {4000, false}, {600, true}, {4000, true}}) {
			tree, err := New(Config{Policy: PolicyIncremental, PendingMin: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tree.InsertBatch(nil, objects[:c.built]); err != nil {
				t.Fatal(err)
			}
			if err := tree.Rebuild(nil, RebuildOptions{Frozen: c.frozen}); err != nil {
				t.Fatal(err)
			}
			for _, o := range objects[c.built:] {
				if _, err := tree.Insert(o); err != nil {
					t.Fatal(err)
				}
			}
			if err := tree.Flush(); err != nil {
				t.Fatal(err)
			}
			for id := range uint32(tree.Len()) {
				slot, lane := tree.locate(id)
				box := tree.store.Packets.Box(slot, lane)
				cell := tree.store.Nodes.Cells[tree.cellAbove(slot)]
				if key := tree.code.key(&box); key < cell.Low || key > cell.High {
					t.Fatalf("%s, frozen %v: object %d has the key %#x and is in the cell of %#x to %#x", sc.Name, c.frozen, id, key, cell.Low, cell.High)
				}
			}
			if err := tree.Validate(); err != nil {
				t.Fatalf("%s: %v", sc.Name, err)
			}
		}
	}
}

// The fast bounds accept a box only if the full checks accept it and it extends no recorded bound.
func TestFastBounds(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	tree, err := New(Config{PendingMin: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if tree.fastBounds.contains(&soa.AABB{}) {
		t.Error("a door that nobody has opened lets a box pass")
	}
	if _, err := tree.InsertBatch(nil, scene.All()[0].Make(500, 1)); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for i := range testkit.Budget(t, 30_000, 100_000) {
		box := testkit.RandomBoxes(r, 1, testkit.BoxKinds()[i%len(testkit.BoxKinds())])[0]
		side, from := tree.world.Side(), tree.world.Origin()
		for a := range 3 {
			if i%3 > 0 { // somewhere in the world, or about there
				at := (float64(from[a]) * float64(tree.world.CellSide())) + side*(r.Float64()*1.5-0.25)
				box.Min[a] = float32(at)
				box.Max[a] = float32(at + side*(r.Float64()-0.2)*0.1)
			}
			if r.IntN(50) == 0 {
				box.Min[a] = float32(math.NaN())
			}
			if r.IntN(50) == 0 {
				box.Max[a] = float32(math.Inf(1))
			}
		}
		centres, far, near, extent := tree.centres, tree.code.outlier, tree.store.Near, tree.store.Extent
		if tree.fastBounds.contains(&box) {
			passed++
			c := box.Center()
			tree.fastBounds = none
			tree.widenBounds(&box)
			switch {
			case box.Check() != nil:
				t.Fatalf("%v passes: %v", box, box.Check())
			case !tree.world.Inside(c):
				t.Fatalf("%v passes, its centre is not in %v", box, tree.world)
			case tree.centres != centres, tree.store.Near != near, tree.store.Extent != extent, tree.code.outlier != far:
				t.Fatalf("%v passes, and widens what is known", box)
			}
		} else if tree.admitMove(&box) == nil && i%7 == 0 {
			tree.widenBounds(&box)
			if !tree.fastBounds.contains(&box) && tree.code.near(&box) && tree.world.Inside(box.Center()) {
				t.Fatalf("%v does not pass when it is known", box)
			}
		}
	}
	if passed < 1000 {
		t.Errorf("%d boxes passed", passed)
	}
}
