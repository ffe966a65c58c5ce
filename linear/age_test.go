package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A tree in which each object has moved several times has about as many nodes and packets as a new tree of the
// same objects.
func TestAge(t *testing.T) {
	n, frames := 20_000, 600
	if !testkit.Long(t) {
		n = 10_000
	}
	for _, name := range []string{"uniform", "city"} {
		objects := sceneOf(t, name, n)
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, objects)
		world := soa.Empty()
		for i := range objects {
			world = world.Union(objects[i].Box)
		}
		r := testkit.Rand(testkit.Seed(t))
		for range frames {
			for range n / 100 {
				i := r.IntN(n)
				objects[i].Box = drift(r, objects[i].Box, 1, world, 20)
				must(t, tree.Move(ids[i], objects[i].Box))
			}
			tick(t, tree)
		}
		valid(t, tree)
		fresh := newTree(t, linear.Config{})
		insert(t, fresh, objects)
		old, young := tree.Stats(), fresh.Stats()
		t.Logf("%s: %d nodes and %d packets, a new tree has %d and %d", name, old.Nodes, old.Packets, young.Nodes, young.Packets)
		if 4*old.Nodes > 5*young.Nodes || 4*old.Packets > 5*young.Packets || old.Depth > young.Depth+1 {
			t.Errorf("%s: %+v after %d frames, a new tree has %+v", name, old, frames, young)
		}
	}
}

// A drifting tree is rebuilt before its boxes have grown much, and its quality recovers.
func TestBulkMotion(t *testing.T) {
	objects := sceneOf(t, "uniform", testkit.Budget(t, 12_000, 36_000))
	tree := newTree(t, linear.Config{World: cube(-100, -100, -100, 300), Fixed: true})
	ids := insert(t, tree, objects)
	r := testkit.Rand(testkit.Seed(t))
	boxes := make([]soa.AABB, len(ids))
	drifted, rebuilt := 0, 0
	for range 40 {
		for i := range objects {
			objects[i].Box = drift(r, objects[i].Box, 0.8, soa.AABB{}, 0)
			boxes[i] = objects[i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
		check(t, tree, ids, objects)
		tick(t, tree)
		if tree.Stats().BulkMotion {
			drifted++
		}
		if tree.Work().Rebuilt > 0 {
			rebuilt++
		}
	}
	t.Logf("of 40 frames %d ended in a drift and %d with a rebuild", drifted, rebuilt)
	if drifted < 20 || rebuilt < 3 || rebuilt > 20 {
		t.Errorf("of 40 frames %d ended in a drift and %d with a rebuild", drifted, rebuilt)
	}
	for !tree.Stats().BulkMotion {
		for i := range boxes {
			objects[i].Box = drift(r, objects[i].Box, 0.8, soa.AABB{}, 0)
			boxes[i] = objects[i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
	}
	tick(t, tree)
	must(t, tree.Move(ids[0], boxes[1]))
	objects[0].Box = boxes[1]
	tick(t, tree)
	if tree.Work().Rebuilt == 0 && tree.Work().Placed == 0 || tree.Stats().BulkMotion {
		t.Error("the tree drifts on when the objects rest")
	}
	valid(t, tree)
	check(t, tree, ids, objects)
}

// swarm moves all objects for some frames, each with or without a tick, and returns the numbers of objects that
// rebuilds moved and that were placed one by one.
func swarm(t *testing.T, tree *linear.Tree, ids []uint32, objects []soa.Object, step float32, jumps int, ticks bool) (rebuilt, homed int) {
	t.Helper()
	r := testkit.Rand(testkit.Seed(t))
	boxes := make([]soa.AABB, len(ids))
	world := soa.Empty()
	for i := range objects {
		world = world.Union(objects[i].Box)
	}
	tick(t, tree) // completes the work of the build
	for range 20 {
		for i := range objects {
			objects[i].Box = drift(r, objects[i].Box, step, world, jumps)
			boxes[i] = objects[i].Box
		}
		must(t, tree.MoveBatch(ids, boxes))
		if ticks {
			tick(t, tree)
			rebuilt += tree.Work().Rebuilt
			homed += tree.Work().Placed
		}
	}
	if !ticks {
		tick(t, tree)
		rebuilt, homed = tree.Work().Rebuilt, tree.Work().Placed
	}
	valid(t, tree)
	return rebuilt, homed
}

// While all objects move slowly, a tree is only refitted; objects that jump are placed one by one; a fast
// motion causes a rebuild now and then, with or without ticks. Queries visit little more than in a new tree.
func TestBulkMotionFollows(t *testing.T) {
	n := testkit.Budget(t, 12_000, 36_000)
	for _, x := range []struct {
		name                    string
		step                    float32
		jumps                   int
		ticks                   bool
		rebuilds                [2]int // at least, at most
		homedLeast, homedAtMost int
	}{
		{"slow", 0.02, 0, true, [2]int{0, 0}, 0, 0},
		{"jumps", 0.02, 100, true, [2]int{0, 3}, 10 * n / 100, 20 * n / 24},
		{"many jump", 0.02, 12, true, [2]int{20, 20}, 0, 0},
		{"fast", 0.8, 0, true, [2]int{2, 10}, 0, 10 * n / 24},
		{"fast without ticks", 0.8, 0, false, [2]int{2, 10}, 0, 10 * n / 24},
	} {
		if !testkit.Long(t) && x.name != "jumps" && x.name != "fast without ticks" {
			continue
		}
		objects := sceneOf(t, "uniform", n)
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, objects)
		rebuilt, homed := swarm(t, tree, ids, objects, x.step, x.jumps, x.ticks)
		frusta, boxes := aged(t, tree, objects)
		t.Logf("%s: %d rebuilt, %d homed, visits %.2f and %.2f of a new tree's", x.name, rebuilt, homed, frusta, boxes)
		if rebuilt < x.rebuilds[0]*n || rebuilt > x.rebuilds[1]*n || homed < x.homedLeast || homed > x.homedAtMost {
			t.Errorf("%s: %d rebuilt, %d homed", x.name, rebuilt, homed)
		}
		if frusta > 1.2 || boxes > 1.3 {
			t.Errorf("%s: frusta visit %.2f, boxes %.2f times what they do in a new tree", x.name, frusta, boxes)
		}
	}
}
