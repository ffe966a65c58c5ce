package linear_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// visited returns the number of nodes and packets that small balls visit.
func visited(t *testing.T, tree *linear.Tree, objects []soa.Object) (sum int) {
	t.Helper()
	for i := range 200 {
		ball, err := query.NewSphere(objects[i*7919%len(objects)].Box.Center(), 5)
		must(t, err)
		c := ball.Explain(tree.View(), query.Filter{}, nil)
		sum += c.Nodes + c.Packets
	}
	return sum
}

// Ticks partition the nodes of a build in space, one object in 16 a tick, and queries then visit as much as after
// a build in space.
func TestTicksCutBuilds(t *testing.T) {
	for _, name := range []string{"uniform", "city", "points", "plane"} {
		for _, n := range []int{1, 14, 15, 300, 40_000} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				objects := sceneOf(t, name, n)
				space := newTree(t, linear.Config{Cut: linear.CutSpace})
				insert(t, space, objects)
				tree := newTree(t, linear.Config{})
				ids := insert(t, tree, objects)
				tick(t, tree)
				left := tree.Stats().Uncut
				if left == 0 || space.Stats().Uncut != 0 || tree.Work().Recut != 0 {
					t.Fatalf("%d nodes are uncut, in space %d; %d cut in the first tick", left, space.Stats().Uncut, tree.Work().Recut)
				}
				ticks, cut := 0, 0
				for ; tree.Stats().Uncut > 0; ticks++ {
					tick(t, tree)
					valid(t, tree)
					w := tree.Work()
					if cut += w.Recut; w.Shifted >= max(n/16, 1024)+224 || tree.Stats().Uncut >= left {
						t.Fatalf("%+v: %d nodes left of %d", w, tree.Stats().Uncut, left)
					}
					left = tree.Stats().Uncut
				}
				if ticks > 16 {
					t.Errorf("the cut took %d ticks", ticks)
				}
				if nodes := leavesOf(tree); cut != nodes {
					t.Errorf("%d nodes cut, want %d", cut, nodes)
				}
				if a, b := visited(t, tree, objects), visited(t, space, objects); n > 224 && 100*a > 103*b {
					t.Errorf("queries visit %d, and %d after a build in space", a, b)
				}
				check(t, tree, ids, objects)
				tick(t, tree)
				if tree.Work().Recut != 0 {
					t.Errorf("%d nodes cut after the last one", tree.Work().Recut)
				}
			})
		}
	}
}

// leavesOf returns the number of nodes with two or more packets.
func leavesOf(tree *linear.Tree) (count int) {
	n := &tree.View().Store().Nodes
	for node := range n.Hot {
		if n.Height[node] == 0 && n.Used[node] > 1 {
			count++
		}
	}
	return count
}

// A tree that is rebuilt in each frame stays along the curve. What removes the nodes ends their cut.
func TestTicksCutNoMore(t *testing.T) {
	objects := sceneOf(t, "uniform", 5000)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	for range 5 {
		must(t, tree.Rebuild(nil, linear.RebuildOptions{}))
		tick(t, tree)
		if tree.Work().Recut != 0 || tree.Stats().Uncut == 0 {
			t.Fatalf("%d nodes cut, %d left", tree.Work().Recut, tree.Stats().Uncut)
		}
	}
	for what, end := range map[string]func(tree *linear.Tree) error{
		"frozen": func(tree *linear.Tree) error { return tree.Rebuild(nil, linear.RebuildOptions{Frozen: true}) },
		"space":  func(tree *linear.Tree) error { return tree.Rebuild(nil, linear.RebuildOptions{Cut: linear.CutSpace}) },
		"curve":  func(tree *linear.Tree) error { return tree.Rebuild(nil, linear.RebuildOptions{Cut: linear.CutCurve}) },
		"clear":  func(tree *linear.Tree) error { tree.Clear(); return nil },
		"remove": func(tree *linear.Tree) error {
			must(t, tree.RemoveBatch(ids))
			return tree.Tick()
		},
	} {
		c := tree.Clone()
		must(t, end(c))
		if got := c.Stats().Uncut; got != 0 {
			t.Errorf("%s: %d nodes are left", what, got)
		}
	}
}

// Nodes are cut while objects move, one by one and all at once, are inserted and removed. Displaced objects remain
// displaced, so that they are reinserted when the bulk motion ends.
func TestTicksCutUnderChanges(t *testing.T) {
	for _, bulk := range []bool{false, true} {
		t.Run(fmt.Sprintf("bulk=%v", bulk), func(t *testing.T) {
			r := testkit.Rand(testkit.Seed(t))
			objects := sceneOf(t, "uniform", 20_000)
			world := scene.Bounds(objects)
			tree := newTree(t, linear.Config{})
			ids := insert(t, tree, objects)
			tick(t, tree)
			moving := len(ids) / 100
			if bulk {
				moving = len(ids)
			}
			recut := 0
			for ticks := 0; tree.Stats().Uncut > 0; ticks++ {
				if ticks > 20 {
					t.Fatalf("%d nodes are uncut after %d ticks", tree.Stats().Uncut, ticks)
				}
				boxes := make([]soa.AABB, moving)
				first := r.IntN(len(ids) - moving + 1)
				for i := range boxes {
					o := &objects[first+i]
					o.Box = drift(r, o.Box, 0.2, world, 0)
					boxes[i] = o.Box
				}
				must(t, tree.MoveBatch(ids[first:first+moving], boxes))
				if !bulk {
					k := r.IntN(len(ids))
					must(t, tree.Remove(ids[k]))
					id, err := tree.Insert(objects[k])
					must(t, err)
					ids[k] = id
				}
				tick(t, tree)
				valid(t, tree)
				if bulk != tree.Stats().BulkMotion {
					t.Fatalf("bulk motion is %v", tree.Stats().BulkMotion)
				}
				recut += tree.Work().Recut
			}
			if recut < 80 {
				t.Errorf("only %d nodes cut", recut)
			}
			check(t, tree, ids, objects)
			for range 2 { // ends bulk motion
				tick(t, tree)
				valid(t, tree)
			}
			check(t, tree, ids, objects)
			now := newTree(t, linear.Config{Cut: linear.CutSpace})
			insert(t, now, objects)
			if a, b := visited(t, tree, objects), visited(t, now, objects); 100*a > 125*b {
				t.Errorf("queries visit %d, and %d in a new tree", a, b)
			}
		})
	}
}

// A saved tree continues the cut where it was.
func TestSnapshotOfUncut(t *testing.T) {
	tree := newTree(t, linear.Config{})
	objects := sceneOf(t, "city", 20_000)
	insert(t, tree, objects)
	for range 4 {
		tick(t, tree)
	}
	loaded := loaded(t, written(t, tree), linear.CheckFull)
	if a, b := tree.Stats().Uncut, loaded.Stats().Uncut; a == 0 || a != b {
		t.Fatalf("%d nodes are uncut, and %d after loading", a, b)
	}
	for tree.Stats().Uncut > 0 {
		tick(t, tree)
		tick(t, loaded)
		if tree.LayoutDigest() != loaded.LayoutDigest() {
			t.Fatal("the trees differ")
		}
	}
}

// A tick of a frame with moves cuts four fifths of one object in 16, to the nearest node, or about as many objects as
// the budget, and at least one node.
func TestTicksCutFewerWithMoves(t *testing.T) {
	const n = 20_000
	objects := sceneOf(t, "uniform", n)
	for _, budget := range []int{0, 20, 300} {
		tree := newTree(t, linear.Config{TickBudget: budget})
		ids := insert(t, tree, objects)
		tick(t, tree)
		most := n/16*4/5 + 112
		if budget > 0 {
			most = budget + 223
		}
		for left := tree.Stats().Uncut; left > 0; left = tree.Stats().Uncut {
			must(t, tree.Move(ids[0], objects[0].Box))
			tick(t, tree)
			w := tree.Work()
			if now := tree.Stats().Uncut; w.Shifted > most || w.Recut == 0 && now > 0 || now >= left {
				t.Fatalf("budget %d: %+v, %d nodes of %d are left", budget, w, tree.Stats().Uncut, left)
			}
		}
	}
}

// A tree that is to be frozen is cut in space by rebuilds in each frame. Another one is left along the curve.
func TestRebuildInEachFrame(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		const n = 5000
		r := testkit.Rand(testkit.Seed(t))
		tree := newTree(t, linear.Config{Frozen: frozen})
		ids := insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, testkit.Seed(t)))
		world, to := tree.Bounds(), make([]soa.AABB, n)
		for frame := range 5 {
			for i := range to {
				for a := range 3 {
					to[i].Min[a] = world.Min[a] + (world.Max[a]-world.Min[a])*r.Float32()
				}
				to[i].Max = to[i].Min
			}
			must(t, tree.MoveBatch(ids, to))
			tick(t, tree)
			if w, left := tree.Work(), tree.Stats().Uncut; w.Rebuilt < n || frozen != (left == 0) {
				t.Errorf("frozen %v, frame %d: %d objects rebuilt, %d nodes are uncut", frozen, frame, w.Rebuilt, left)
			}
			must(t, tree.Validate())
		}
	}
}
