package linear_test

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// When all objects creep, frame after frame, a tree is rebuilt every some frames. It does not also place displaced
// objects one by one in many frames.
func TestCreep(t *testing.T) {
	for _, name := range []string{"city", "uniform"} {
		const frames = 60
		r := rand.New(rand.NewPCG(testkit.Seed(t), 33))
		placing, rebuilds := 0, 0
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 30_000, 100_000), testkit.Seed(t))
		tree := newTree(t, linear.Config{})
		ids := insert(t, tree, objects)
		tick(t, tree)
		boxes := make([]soa.AABB, len(objects))
		for i := range objects {
			boxes[i] = objects[i].Box
		}
		for range frames {
			for i := range boxes {
				creep(r, &boxes[i])
			}
			must(t, tree.MoveBatch(ids, boxes))
			tick(t, tree)
			if tree.Work().Placed > 0 {
				placing++
			}
			rebuilds += tree.Work().Rebuilt / len(ids)
		}
		must(t, tree.Validate())
		t.Logf("%s: %d frames placed objects, %d rebuilds", name, placing, rebuilds)
		if placing > frames/10 || rebuilds == 0 || rebuilds > frames/5 {
			t.Errorf("%s: of %d frames %d have placed objects, and %d have rebuilt the tree", name, frames, placing, rebuilds)
		}
	}
}

// One object in 10 lies on the floor of the world, and sinks while all move. The world grows, and then no objects are
// placed: they move on with their packets.
func TestSink(t *testing.T) {
	const side, share = 1000, 10
	r := rand.New(rand.NewPCG(testkit.Seed(t), 34))
	objects := make([]soa.Object, 20_000)
	boxes := make([]soa.AABB, len(objects))
	for i := range boxes {
		for a := range 3 {
			boxes[i].Min[a] = side * r.Float32()
		}
		if i%share == 0 {
			boxes[i].Min[2] = 0
		}
		boxes[i].Max = boxes[i].Min
		objects[i].Box = boxes[i]
	}
	world := soa.AABB{Max: [3]float32{side, side, side}}
	tree := newTree(t, linear.Config{World: world})
	ids := insert(t, tree, objects)
	tick(t, tree)
	grown := 0
	for frame := range 10 {
		for i := 0; i < len(boxes); i += share {
			boxes[i].Min[2]--
			boxes[i].Max = boxes[i].Min
		}
		must(t, tree.MoveBatch(ids, boxes))
		tick(t, tree)
		w := tree.Work()
		grown += w.Grown
		if w.Placed+w.Rebuilt > 0 {
			t.Errorf("frame %d: %d objects have been placed, and %d rebuilt", frame, w.Placed, w.Rebuilt)
		}
		must(t, tree.Validate())
	}
	if grown != 1 {
		t.Errorf("the world has grown %d times", grown)
	}
}

// All objects move far, by single moves. They are placed together, by one rebuild, like those of one batch.
func TestFarSingleMoves(t *testing.T) {
	const n, frames = 10_000, 4
	r := rand.New(rand.NewPCG(testkit.Seed(t), 35))
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, testkit.SceneByName(t, "uniform").Make(n, testkit.Seed(t)))
	tick(t, tree)
	world := tree.Bounds()
	for frame := range frames {
		for _, id := range ids {
			var at [3]float32
			for a := range 3 {
				at[a] = world.Min[a] + (world.Max[a]-world.Min[a])*r.Float32()
			}
			must(t, tree.Move(id, soa.AABB{Min: at, Max: at}))
		}
		if frame%2 == 0 {
			tree.View() // flushes instead of the tick
		}
		tick(t, tree)
		if w := tree.Work(); w.Placed > 0 || w.Rebuilt != n {
			t.Errorf("frame %d: %d objects have been placed one by one, %d by rebuilds", frame, w.Placed, w.Rebuilt)
		}
		must(t, tree.Validate())
	}
}

// The moves of a frame give the same tree whether they are made by one batch, by two, or one by one.
func TestSameMovesByAnyCalls(t *testing.T) {
	const n = 6000
	objects := testkit.SceneByName(t, "city").Make(n, testkit.Seed(t))
	var trees [3]*linear.Tree
	for i := range trees {
		trees[i] = newTree(t, linear.Config{})
		insert(t, trees[i], objects)
		tick(t, trees[i])
	}
	r := rand.New(rand.NewPCG(testkit.Seed(t), 37))
	for frame, share := range []int{100, 10, 3, 2, 1, 2, 100, 1, 1, 3} {
		var ids []uint32
		var to []soa.AABB
		for i := r.IntN(share); i < n; i += share {
			b := &objects[i].Box
			if creep(r, b); r.IntN(10) == 0 {
				*b = objects[r.IntN(n)].Box
			}
			ids, to = append(ids, uint32(i)), append(to, *b)
		}
		half := len(ids) / 2
		must(t, trees[0].MoveBatch(ids, to))
		must(t, trees[1].MoveBatch(ids[:half], to[:half]))
		must(t, trees[1].MoveBatch(ids[half:], to[half:]))
		for i, id := range ids {
			must(t, trees[2].Move(id, to[i]))
		}
		var works [3]linear.Work
		for i, tree := range trees {
			if frame%3 == 0 {
				tree.View()
			}
			tick(t, tree)
			must(t, tree.Validate())
			works[i] = tree.Work()
			works[i].Views = 0
		}
		for i := range trees[1:] {
			if a, b := trees[0].LayoutDigest(), trees[i+1].LayoutDigest(); a != b || works[0] != works[i+1] {
				t.Fatalf("frame %d, tree %d: digests %#x and %#x, work %+v and %+v", frame, i+1, a, b, works[0], works[i+1])
			}
		}
	}
}

// A program that makes single moves and never calls Tick has few displaced objects after a read.
func TestSingleMovesWithoutTicks(t *testing.T) {
	const n, step = 10_000, 2
	tree := newTree(t, linear.Config{})
	objects := testkit.SceneByName(t, "uniform").Make(n, testkit.Seed(t))
	ids := insert(t, tree, objects)
	tick(t, tree)
	for frame := range 4 {
		for i, id := range ids[:n/4] {
			b := &objects[i].Box
			b.Min[0], b.Max[0] = b.Min[0]+step, b.Max[0]+step
			must(t, tree.Move(id, *b))
		}
		tree.View()
		if got := tree.Stats().Displaced; got > n/64 {
			t.Errorf("frame %d: %d objects are displaced after a view", frame, got)
		}
		must(t, tree.Validate())
	}
}

// A tree that is to be frozen is cut in space by rebuilds in each frame. Another one is left along the curve.
func TestRebuildInEachFrame(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		const n = 5000
		r := rand.New(rand.NewPCG(testkit.Seed(t), 36))
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

// creep moves a box by a small part of its longest edge, at random on each axis.
func creep(r *rand.Rand, b *soa.AABB) {
	const reach = 0.25
	edge := max(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1], b.Max[2]-b.Min[2])
	for a := range 3 {
		step := edge * reach * (2*r.Float32() - 1)
		b.Min[a], b.Max[a] = b.Min[a]+step, b.Max[a]+step
	}
}

// Far from the origin the world is much larger than all objects, and cannot shrink. Moves there need no more checks
// than elsewhere, in the frames after changes, too.
func TestKnownMovesFarAway(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, testkit.Seed(t))
	for i := range objects {
		b := &objects[i].Box
		for a := range 3 {
			b.Min[a], b.Max[a] = b.Min[a]+500_000, b.Max[a]+500_000
		}
	}
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	for frame := range 40 {
		must(t, tree.Move(ids[frame], objects[frame+100].Box))
		tick(t, tree)
		if known := tree.KnownBefore(objects[frame].Box); !known {
			t.Fatalf("frame %d: a box that was there is checked again", frame)
		}
	}
	must(t, tree.Validate())
}
