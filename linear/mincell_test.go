package linear_test

import (
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// smallest returns the first key of the smallest cell of a key with at least that side, by ascending cell by
// cell.
func smallest(w morton.World, key morton.Key, side float32) morton.Key {
	cell := key.At(morton.Levels)
	for at := float64(w.CellSide()); at < float64(side); at *= 2 {
		var ok bool
		if cell, ok = cell.Parent(); !ok {
			break
		}
	}
	return cell.First()
}

// Keys are keys of the smallest cells, also in a world that grows, shrinks and is fitted again; the objects of
// a cell have one key.
func TestMinCellKeys(t *testing.T) {
	for _, side := range []float32{0, 0x1p-30, 0.3, 0.5, 1, 5, 64, 1000, math.MaxFloat32} {
		tree, ids := steady(t, 1000, linear.Config{MinCell: side, GrowShare: 100})
		exps := map[int]bool{}
		look := func() {
			t.Helper()
			valid(t, tree)
			w := tree.World()
			exps[w.Exp()] = true
			for _, id := range ids {
				o, _ := tree.Object(id)
				want := smallest(w, w.KeyOfBox(o.Box.Min, o.Box.Max), side)
				if got := tree.Key(o.Box); got != want {
					t.Fatalf("MinCell %v: box %v in the world %v has the key %v, want %v", side, o.Box, w, got, want)
				}
			}
		}
		look()
		for _, id := range ids[:200] {
			must(t, tree.Move(id, cube(100, -50, 100, 1)))
		}
		tick(t, tree)
		look()
		r := testkit.Rand(3)
		for _, id := range ids {
			must(t, tree.Move(id, cube(1+r.Float32(), 40+r.Float32(), 20+r.Float32(), 0.1)))
		}
		for range 8 {
			tick(t, tree)
			look()
		}
		rebuild(t, tree, false)
		look()
		rebuild(t, tree, true)
		look()
		if len(exps) < 2 {
			t.Errorf("MinCell %v: the world had cells of one side only: %v", side, exps)
		}
	}
}

// Few objects that move within their smallest cells are relocated.
func TestMinCellStays(t *testing.T) {
	const side = 8
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	homed := func(cell float32) (n int) {
		tree := newTree(t, linear.Config{MinCell: cell, Policy: linear.PolicyIncremental})
		ids := insert(t, tree, objects)
		w := tree.World()
		bits := 3 * int(math.Log2(w.Side()/side))
		r := testkit.Rand(4)
		boxes := make([]soa.AABB, len(ids))
		for range 5 {
			for i := range objects {
				cell := morton.CellOf(smallest(w, w.Key(objects[i].Box.Center()), side), bits)
				lo, hi := w.CellBox(cell)
				for a := range 3 { // anywhere in the cell
					at := float32(lo[a] + float32((hi[a]-lo[a])*(0.01+0.98*r.Float32())))
					boxes[i].Min[a], boxes[i].Max[a] = at, at
				}
			}
			must(t, tree.MoveBatch(ids, boxes))
			tick(t, tree)
			valid(t, tree)
			n += tree.Work().Placed
		}
		return n
	}
	if few, all := homed(side), homed(0); few > all/4 || all < 10_000 {
		t.Errorf("%d objects found new homes with smallest cells, %d without", few, all)
	}
}

// A cell contains the centres of its objects and is at least as large as the smallest; objects in excess of its
// capacity are in several cells that share it.
func TestMinCellCells(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	for _, side := range []float32{0, 10, 30, 1e6} {
		for _, frozen := range []bool{false, true} {
			tree := newTree(t, linear.Config{MinCell: side, Frozen: frozen})
			insert(t, tree, objects)
			v, runs, last := tree.View(), 0, uint64(soa.NoKey)
			for c := range tree.Cells() {
				for slot := c.Slots.First; slot < c.Slots.End; slot++ {
					for l := range v.IDs(slot) {
						if p := v.Box(slot, l).Center(); !c.Box.Contains(soa.AABB{Min: p, Max: p}) {
							t.Fatalf("MinCell %v: node %d has the cell %v and holds an object at %v", side, c.Node, c.Box, p)
						}
					}
				}
				keys := v.Store().Nodes.Cells[c.Node]
				if keys.Low == last {
					runs++
				}
				last = keys.Low
				if d := c.Box.Max[0] - c.Box.Min[0]; float64(d) < min(float64(side), tree.World().Side()) {
					t.Fatalf("MinCell %v: a cell of the side %v", side, d)
				}
			}
			if (runs > 5) != (side >= 30 && !frozen) {
				t.Errorf("MinCell %v, frozen %v: %d cells begin with the key of the one before", side, frozen, runs)
			}
		}
	}
}

// Invalid values are rejected, with the number.
func TestMinCellErrors(t *testing.T) {
	for _, x := range []float32{-1, float32(math.NaN()), float32(math.Inf(1)), -0x1p-149} {
		if _, err := linear.New(linear.Config{MinCell: x}); err == nil || !strings.Contains(err.Error(), "MinCell") {
			t.Errorf("MinCell %v: error %v", x, err)
		}
	}
	fixed := linear.Config{World: cube(0, 0, 0, 10), Fixed: true, MinCell: 32}
	if _, err := linear.New(fixed); err != nil {
		t.Error(err)
	}
	fixed.MinCell = 33
	if _, err := linear.New(fixed); err == nil || !strings.Contains(err.Error(), "MinCell 33 is more than the side 32") {
		t.Errorf("error %v", err)
	}
}
