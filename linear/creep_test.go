package linear_test

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// When all objects creep, frame after frame, a tree is rebuilt every few frames. It does not also place displaced
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

// creep moves a box by a small part of its longest edge, at random on each axis.
func creep(r *rand.Rand, b *soa.AABB) {
	const reach = 0.25
	edge := max(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1], b.Max[2]-b.Min[2])
	for a := range 3 {
		step := edge * reach * (2*r.Float32() - 1)
		b.Min[a], b.Max[a] = b.Min[a]+step, b.Max[a]+step
	}
}
