package octree

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
	tree := newTestTree(t, Config{Policy: PolicyIncremental, SplitAbove: 2, PendingMin: 1 << 20})
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
		insertAll(t, tree, part)
		testkit.Must(t, tree.Flush())
	}
	return tree
}

// A trail leads ascending keys, at any distance, to their cells.
func TestTrail(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	s := deepTree(t, 20_000).Store
	above := 0
	for steps := range uint64(60) {
		way, at := newTrail(), uint64(0)
		for range 200 {
			if got, want := way.cell(s, at), LastCell(s, at); got != want {
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
			tree := newTestTree(t, Config{Policy: PolicyIncremental, PendingMin: 1 << 20})
			insertAll(t, tree, objects[:c.built])
			testkit.Must(t, tree.Rebuild(nil, BuildParams{Frozen: c.frozen}))
			for i := range objects[c.built:] {
				tree.InsertOne(&objects[c.built+i], &NoSphere)
			}
			testkit.Must(t, tree.Flush())
			for id := range uint32(tree.IDs.Len()) {
				slot, lane := tree.Locate(id)
				box := tree.Store.Packets.Box(slot, lane)
				cell := tree.Store.Nodes.Cells[tree.cellAbove(slot)]
				if key := tree.Code.Key(&box); key < cell.Low || key > cell.High {
					t.Fatalf("%s, frozen %v: object %d has the key %#x and is in the cell of %#x to %#x", sc.Name, c.frozen, id, key, cell.Low, cell.High)
				}
			}
			check(t, tree)
		}
	}
}
