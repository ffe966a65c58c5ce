package linear_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

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

// The configuration decides how a build splits; without a setting, the decision is a function of the calls that
// changed the tree.
func TestCutChoice(t *testing.T) {
	const n = 3000
	objects := sceneOf(t, "uniform", n)
	move := func(share int, rounds int) func(t *testing.T, tree *linear.Tree) {
		return func(t *testing.T, tree *linear.Tree) {
			var ids []uint32
			var boxes []soa.AABB
			for id := range uint32(n * share / 100) {
				ids, boxes = append(ids, id), append(boxes, objects[n-1-id].Box)
			}
			for range rounds {
				must(t, tree.MoveBatch(ids, boxes))
			}
		}
	}
	ticks := func(n int) func(t *testing.T, tree *linear.Tree) {
		return func(t *testing.T, tree *linear.Tree) {
			for range n {
				tick(t, tree)
			}
		}
	}
	rebuild := func(opt linear.RebuildOptions) func(t *testing.T, tree *linear.Tree) {
		return func(t *testing.T, tree *linear.Tree) { must(t, tree.Rebuild(nil, opt)) }
	}
	look := func(t *testing.T, tree *linear.Tree) {
		for range 10 {
			if got := (query.Frustum{}).Count(tree.View(), query.Filter{}); got != n {
				t.Fatalf("%d of %d objects", got, n)
			}
		}
	}
	type calls = []func(t *testing.T, tree *linear.Tree)
	still := linear.Config{Policy: linear.PolicyIncremental, PendingMin: 1 << 20}
	curve, space := linear.CutCurve, linear.CutSpace
	set := func(cut linear.Cut) linear.Config { c := still; c.Cut = cut; return c }
	for _, c := range []struct {
		name  string
		cfg   linear.Config
		calls calls
		opt   linear.RebuildOptions
		want  linear.Cut
	}{
		{"at rest", still, nil, linear.RebuildOptions{}, space},
		{"most have moved", still, calls{move(100, 1)}, linear.RebuildOptions{}, curve},
		{"and some queries", still, calls{look, move(100, 1), look}, linear.RebuildOptions{}, curve},
		{"three tenths", still, calls{move(30, 1)}, linear.RebuildOptions{}, curve},
		{"less", still, calls{move(29, 1)}, linear.RebuildOptions{}, space},
		{"less, twice", still, calls{move(29, 1), ticks(1), move(2, 1)}, linear.RebuildOptions{}, curve},
		{"one tick", still, calls{move(50, 1), ticks(1)}, linear.RebuildOptions{}, curve},
		{"two ticks", still, calls{move(50, 1), ticks(2)}, linear.RebuildOptions{}, space},
		{"moves in two ticks", still, calls{move(15, 1), ticks(1), move(15, 1)}, linear.RebuildOptions{}, curve},
		{"moved before the last build", still, calls{move(100, 3), rebuild(linear.RebuildOptions{})}, linear.RebuildOptions{}, space},
		{"in the same tick again", still, calls{move(100, 1), rebuild(linear.RebuildOptions{}), move(30, 1)}, linear.RebuildOptions{}, curve},
		{"again, but few", still, calls{move(100, 1), rebuild(linear.RebuildOptions{}), ticks(1), move(29, 1)}, linear.RebuildOptions{}, space},
		{"frozen", still, calls{move(100, 1)}, linear.RebuildOptions{Frozen: true}, space},
		{"frozen along the curve", still, nil, linear.RebuildOptions{Frozen: true, Cut: curve}, curve},
		{"as the options say", still, calls{move(100, 1)}, linear.RebuildOptions{Cut: space}, space},
		{"the configuration: curve", set(curve), nil, linear.RebuildOptions{}, curve},
		{"the configuration: space", set(space), calls{move(100, 1)}, linear.RebuildOptions{}, space},
		{"the configuration: curve, frozen", set(curve), nil, linear.RebuildOptions{Frozen: true}, curve},
		{"options before the configuration", set(curve), nil, linear.RebuildOptions{Cut: space}, space},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := newTree(t, c.cfg)
			insert(t, tree, objects)
			for _, call := range c.calls {
				call(t, tree)
			}
			valid(t, tree)
			if got := wayOf(t, tree, c.opt); got != c.want {
				t.Errorf("cut %v, want %v", got, c.want)
			}
		})
	}
}

// A batch into an empty tree is split as configured, and in space by default, independent of the earlier
// contents.
func TestCutOfFirstBuild(t *testing.T) {
	objects := sceneOf(t, "city", 4000)
	bits := func(cfg linear.Config, before func(tree *linear.Tree)) []byte {
		tree := newTree(t, cfg)
		if before != nil {
			before(tree)
		}
		insert(t, tree, objects)
		valid(t, tree)
		return bitsOf(tree.View().Store().Packets.IDs)
	}
	restless := func(tree *linear.Tree) {
		ids := insert(t, tree, objects)
		must(t, tree.Move(ids[0], objects[1].Box))
		boxes := make([]soa.AABB, len(ids))
		for i := range boxes {
			boxes[i] = objects[len(ids)-1-i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
		tree.Clear()
	}
	for _, frozen := range []bool{false, true} {
		auto := bits(linear.Config{Frozen: frozen}, nil)
		again := bits(linear.Config{Frozen: frozen}, restless)
		space := bits(linear.Config{Frozen: frozen, Cut: linear.CutSpace}, nil)
		curve := bits(linear.Config{Frozen: frozen, Cut: linear.CutCurve}, nil)
		if !bytes.Equal(auto, space) || !bytes.Equal(again, space) || bytes.Equal(curve, space) {
			t.Errorf("frozen %v: auto is space: %v, after a restless tree: %v; curve is space: %v",
				frozen, bytes.Equal(auto, space), bytes.Equal(again, space), bytes.Equal(curve, space))
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
