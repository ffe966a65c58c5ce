package occlude_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// All occluders move each frame, and some are removed while others are inserted: results are right, walls
// that were large in the previous frame are drawn at their current position, and no tree is rebuilt for it.
func TestAllOccludersMove(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := town(rng, 150, 1500, 120)
	tree := plant(t, objects, linear.Config{Policy: linear.PolicyIncremental, Workers: 1})
	var ids []uint32 // of the occluders, which are first
	var boxes []soa.AABB
	velocity := map[uint32][2]float32{}
	for i := range 150 {
		ids, boxes = append(ids, uint32(i)), append(boxes, objects[i].Box)
		velocity[uint32(i)] = [2]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
	}
	culler, err := occlude.New(occlude.Config{Width: 160, Height: 90, OccluderMask: walls, MinPixels: 1})
	if err != nil {
		t.Fatal(err)
	}
	remembered, hidden, gone := 0, 0, map[uint32]bool{}
	seen := make([]uint32, 0, 4000)
	for frame := range testkit.Budget(t, 10, 200) {
		for i, id := range ids {
			for a := range 2 {
				boxes[i].Min[a] += velocity[id][a]
				boxes[i].Max[a] += velocity[id][a]
			}
			objects[id].Box = boxes[i]
		}
		// The profile of time shows whether a tree was built.
		spent := phase.Times(func() {
			if err := tree.MoveBatch(ids, boxes); err != nil {
				t.Fatal(err)
			}
			if err := tree.Tick(); err != nil {
				t.Fatal(err)
			}
		})
		if spent[phase.Sort]+spent[phase.Topology]+spent[phase.Fill] != 0 || spent[phase.Flush] == 0 {
			t.Errorf("frame %d: the tree was built anew: %v", frame, spent)
		}
		k := rng.IntN(len(ids)) // one is removed, and in the next frame inserted elsewhere, not an occluder any more or again
		if err := tree.Remove(ids[k]); err != nil {
			t.Fatal(err)
		}
		objects[ids[k]].Mask = 1 + uint32(rng.IntN(2))
		gone[ids[k]] = true
		ids[k], boxes[k] = ids[len(ids)-1], boxes[len(boxes)-1]
		ids, boxes = ids[:len(ids)-1], boxes[:len(boxes)-1]
		if frame%2 == 1 {
			for id := range uint32(150) {
				if !gone[id] {
					continue
				}
				// IDs are reused in the order of a stack: an inserted object takes the ID that was freed
				// last.
				got, err := tree.Insert(objects[id])
				if err != nil {
					t.Fatal(err)
				}
				objects[got] = objects[id]
				ids, boxes = append(ids, got), append(boxes, objects[got].Box)
				delete(gone, got)
				break
			}
		}
		if err := tree.Tick(); err != nil {
			t.Fatal(err)
		}
		v := viewOf("camera", [3]float64{-5, 60 + float64(frame)/10, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
		if err := v.look(culler); err != nil {
			t.Fatal(err)
		}
		seen = culler.Append(seen[:0], tree.View(), query.Filter{})
		all := culler.Frustum().Append(nil, tree.View(), query.Filter{})
		hidden += len(all) - len(seen)
		witness(t, rng, culler.Rays(), nearOf(culler, &v), objects, bodiesOf(objects), all, nil, setOf(seen), 200)
		if err := v.look(culler); err != nil {
			t.Fatal(err)
		}
		remembered += culler.Explain(tree.View(), query.Filter{}, nil).Remembered
		if t.Failed() {
			t.Fatalf("frame %d", frame)
		}
	}
	if remembered == 0 || hidden == 0 {
		t.Errorf("%d solids were remembered, %d objects hidden", remembered, hidden)
	}
}
