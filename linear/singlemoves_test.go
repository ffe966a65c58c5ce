package linear_test

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

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

// The moves of a frame give the same tree whether they are made by one batch, by two, or one by one: also where objects
// move twice, and where some leave the world. (Not under PolicyIncremental, which flushes a batch before the tick.)
func TestSameMovesByAnyCalls(t *testing.T) {
	for _, cfg := range []linear.Config{{}, {Log: true}, {Frozen: true}, {Policy: linear.PolicyRefit}} {
		for _, leaving := range []bool{false, true} {
			checkSameMoves(t, cfg, leaving)
		}
	}
}

func checkSameMoves(t *testing.T, cfg linear.Config, leaving bool) {
	t.Helper()
	const n = 3000
	objects := testkit.SceneByName(t, "city").Make(n, testkit.Seed(t))
	var trees [3]*linear.Tree
	for i := range trees {
		trees[i] = newTree(t, cfg)
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
			if leaving && r.IntN(20) == 0 {
				b.Min[0], b.Max[0] = b.Min[0]-200, b.Max[0]-200
			}
			ids, to = append(ids, uint32(i)), append(to, *b)
			if share > 1 && r.IntN(10) == 0 { // with more moves than objects the calls would apply some
				creep(r, b)
				ids, to = append(ids, uint32(i)), append(to, *b)
			}
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
				t.Fatalf("%+v, leaving %v, frame %d, tree %d: digests %#x and %#x, work %+v and %+v", cfg, leaving, frame, i+1, a, b, works[0], works[i+1])
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
