package linear_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Off and every other negative number turn a feature off, and 0 means the default, which Tree.Config returns.
func TestConfigOff(t *testing.T) {
	for name, field := range map[string]struct {
		of    func(c *linear.Config) *int
		zero  int
		wrong int
	}{
		"GrowShare":   {func(c *linear.Config) *int { return &c.GrowShare }, 16, 1},
		"ShrinkShare": {func(c *linear.Config) *int { return &c.ShrinkShare }, 4, 1},
		"Lifespan":    {func(c *linear.Config) *int { return &c.Lifespan }, 8, 65},
		"Slack":       {func(c *linear.Config) *int { return &c.Slack }, linear.DefaultSlack, 101},
	} {
		for given, want := range map[int]int{0: field.zero, linear.Off: linear.Off, -7: linear.Off, 2: 2} {
			var cfg linear.Config
			*field.of(&cfg) = given
			tree, err := linear.New(cfg)
			must(t, err)
			got := tree.Config()
			if n := *field.of(&got); n != want {
				t.Errorf("%s %d is %d, want %d", name, given, n, want)
			}
		}
		var cfg linear.Config
		*field.of(&cfg) = field.wrong
		if _, err := linear.New(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s %d: %v, want an error", name, field.wrong, err)
		}
	}
}

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

// The placement box of a packet is its tight box grown by Config.Slack. An object is displaced exactly when its
// box leaves the placement box.
func TestSlackDefinition(t *testing.T) {
	for _, c := range []struct{ slack, percent int }{{60, 60}, {0, linear.DefaultSlack}, {-1, 0}} {
		r := testkit.Rand(testkit.Seed(t))
		objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
		tree := newTree(t, linear.Config{Slack: c.slack, Policy: linear.PolicyIncremental, PendingMin: 1 << 20})
		insert(t, tree, objects)
		tick(t, tree)

		var ids []uint32
		var boxes []soa.AABB
		want := 0
		v := tree.View()
		for p := range tree.Packets() {
			home := p.Tight
			var side [3]float32
			for a := range 3 {
				side[a] = home.Max[a] - home.Min[a]
			}
			mean := (side[0] + side[1] + side[2]) / 3
			for a := range 3 {
				by := float32(float32(c.percent) / 100 * max(side[a], mean))
				home.Min[a], home.Max[a] = home.Min[a]-by, home.Max[a]+by
			}
			if home != p.Stay {
				t.Fatalf("slack %d: the home box of %v is %v, want %v", c.slack, p.Tight, p.Stay, home)
			}
			for l, id := range v.IDs(p.Slot) {
				b := v.Box(p.Slot, l)
				for a := range 3 {
					by := (r.Float32()*2 - 1) * (float32(c.percent)/100 + 0.2) * mean
					b.Min[a], b.Max[a] = b.Min[a]+by, b.Max[a]+by
				}
				ids, boxes = append(ids, id), append(boxes, b)
				if !home.Contains(b) {
					want++
				}
			}
		}
		must(t, tree.MoveBatch(ids, boxes))
		if got := tree.Stats().Displaced; got != want || want < 500 || len(ids)-want < 500 {
			t.Errorf("slack %d: %d strays of %d, want %d", c.slack, got, len(ids), want)
		}
		valid(t, tree)
		tick(t, tree)
		valid(t, tree)
	}
}

// Emptied nodes are freed after the configured number of ticks.
func TestLifespanConfig(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(4000, 1)
	for lifespan, want := range map[int]int{-1: 0, 1: 1, 0: 8, 20: 20, 64: 64} {
		tree := newTree(t, linear.Config{Lifespan: lifespan})
		ids := insert(t, tree, objects)
		tick(t, tree)
		var gone []uint32
		for i, id := range ids {
			if objects[i].Box.Min[0] < 20 {
				gone = append(gone, id)
			}
		}
		must(t, tree.RemoveBatch(gone))
		first := -1
		for i := 0; i < 70 && first < 0; i++ {
			tick(t, tree)
			valid(t, tree)
			if tree.Work().Freed > 0 {
				first = i
			}
		}
		if first != want {
			t.Errorf("Lifespan %d: the first node is freed %d ticks after it was emptied, want %d", lifespan, first, want)
		}
	}
}

// wayOf returns the method of splitting of the next rebuild: the method, of two, whose tree has the same bits.
func wayOf(t *testing.T, tree *linear.Tree, opt linear.RebuildOptions) linear.Cut {
	t.Helper()
	build := func(cut linear.Cut) map[string][]byte {
		c := tree.Clone()
		opt := opt
		opt.Cut = cut
		must(t, c.Rebuild(nil, opt))
		valid(t, c)
		return storeBits(c.View().Store())
	}
	auto, space, curve := build(opt.Cut), build(linear.CutSpace), build(linear.CutCurve)
	same := func(a, b map[string][]byte) bool {
		for name := range a {
			if !bytes.Equal(a[name], b[name]) {
				return false
			}
		}
		return true
	}
	switch {
	case same(space, curve):
		t.Fatal("the curve and space give one tree")
	case same(auto, space):
		return linear.CutSpace
	case same(auto, curve):
		return linear.CutCurve
	}
	t.Fatal("a tree that is cut in neither way")
	return 0
}

// The options decide how a build partitions, else the configuration; without either, only a frozen build does so in
// space. A first build and a rebuild decide alike.
func TestCutChoice(t *testing.T) {
	objects := sceneOf(t, "city", 3000)
	auto, curve, space := linear.CutAuto, linear.CutCurve, linear.CutSpace
	for _, c := range []struct {
		frozen         bool
		set, opt, want linear.Cut
	}{
		{false, auto, auto, curve}, {false, auto, curve, curve}, {false, auto, space, space},
		{false, curve, auto, curve}, {false, curve, space, space}, {false, space, auto, space}, {false, space, curve, curve},
		{true, auto, auto, space}, {true, auto, curve, curve}, {true, curve, auto, curve}, {true, curve, space, space},
	} {
		first := func(cut linear.Cut) []byte {
			tree := newTree(t, linear.Config{Cut: c.set})
			must(t, tree.Build(nil, objects, linear.RebuildOptions{Frozen: c.frozen, Cut: cut}))
			valid(t, tree)
			return bitsOf(tree.View().Store().Packets.IDs)
		}
		if got := first(c.opt); !bytes.Equal(got, first(c.want)) || bytes.Equal(got, first(curve+space-c.want)) {
			t.Errorf("%+v: a first build does something else", c)
		}
		tree := newTree(t, linear.Config{Cut: c.set})
		insert(t, tree, objects)
		if got := wayOf(t, tree, linear.RebuildOptions{Frozen: c.frozen, Cut: c.opt}); got != c.want {
			t.Errorf("%+v: a rebuild does %v", c, got)
		}
	}
}

// Along the curve, the objects of all packets, one after the other, are in the order of their keys.
func TestCurveOrder(t *testing.T) {
	for _, name := range []string{"uniform", "city", "points", "plane", "identical"} {
		for _, n := range []int{1, 16, 255, 256, 257, 5000} {
			for _, frozen := range []bool{false, true} {
				objects := sceneOf(t, name, n)
				tree := newTree(t, linear.Config{Cut: linear.CutCurve, Frozen: frozen})
				insert(t, tree, objects)
				valid(t, tree)
				grid := tree.World().Grid()
				var keys []uint64
				p := &tree.View().Store().Packets
				for slot, k := range p.Counts {
					for _, id := range p.IDs[slot][:k] {
						c := objects[id].Box.Center()
						keys = append(keys, grid.Key(c[0], c[1], c[2]))
					}
				}
				if len(keys) != n || !slices.IsSorted(keys) {
					t.Fatalf("%s of %d, frozen %v: %d keys, sorted: %v", name, n, frozen, len(keys), slices.IsSorted(keys))
				}
			}
		}
	}
}

// A rebuild rejects an unknown method of splitting, and leaves the tree unchanged.
func TestRebuildRefusesCut(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, sceneOf(t, "uniform", 300))
	before := storeBits(tree.View().Store())
	v := tree.View()
	err := tree.Rebuild(nil, linear.RebuildOptions{Cut: 3})
	if err == nil || err.Error() != "linear: RebuildOptions.Cut 3, want at most 2" {
		t.Fatalf("error %v", err)
	}
	for name, bits := range storeBits(v.Store()) {
		if !bytes.Equal(bits, before[name]) {
			t.Errorf("column %s has changed", name)
		}
	}
}
