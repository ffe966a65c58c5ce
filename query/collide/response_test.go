package collide_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// respond is the response of a handler to a pair: a function of the two IDs and the frame.
func respond(p collide.Pair, frame int) int {
	return int((p.A*0x9e3779b1^p.B*0x85ebca6b^uint32(frame)*0xc2b2ae35)>>7) % 8
}

// While a handler records insertions, removals and moves, each pair of the frame is handled once,
// independent of the recorded changes. Afterwards the tree holds the objects of a model with the same
// changes, under the same IDs, frame by frame.
func TestResponse(t *testing.T) {
	seed := testkit.Seed(t)
	scene := testkit.SceneByName(t, "uniform").Make(2000, seed)
	tree := trees.Plant(t, scene[:1500], false)
	model := map[uint32]soa.Object{}
	for id, o := range tree.All() {
		model[id] = o
	}
	var b, twice linear.Batch // twice removes something a second time
	both := []*linear.Batch{&b, &twice}
	next, handled := 1500, 0
	for frame := range 60 {
		for _, b := range both {
			b.Reset()
		}
		var inserted []soa.Object
		changed := maps.Clone(model)
		seen := map[collide.Pair]bool{}
		for p := range collide.All(collide.Within(tree.View()), collide.Filter{StaticPairs: true}) {
			if seen[p] {
				t.Fatalf("frame %d: %v is handled twice", frame, p)
			}
			seen[p] = true
			handled++
			_, alive := changed[p.A]
			switch respond(p, frame) {
			case 0: // a new object somewhere
				o := scene[next%len(scene)]
				next++
				for _, b := range both {
					b.Insert(o)
				}
				inserted = append(inserted, o)
			case 1: // A is removed, once
				if alive {
					for _, b := range both {
						b.Remove(p.A)
					}
					delete(changed, p.A)
				}
			case 2: // A moves, the last time counts
				if alive {
					o := changed[p.A]
					o.Box = scene[(next+int(p.B))%len(scene)].Box
					for _, b := range both {
						b.Move(p.A, o.Box)
					}
					changed[p.A] = o
				}
			}
		}
		for p := range modelPairs(model) {
			if !seen[p] {
				t.Fatalf("frame %d: %v is lost", frame, p)
			}
			delete(seen, p)
		}
		if len(seen) > 0 {
			t.Fatalf("frame %d: %v do not overlap", frame, seen)
		}
		if victim, ok := firstOf(changed, model); ok {
			twice.Remove(victim)
			if _, err := tree.Apply(&twice); err == nil {
				t.Fatalf("frame %d: object %d was removed twice", frame, victim)
			}
			if !maps.Equal(maps.Collect(tree.All()), model) {
				t.Fatalf("frame %d: a refused batch changed the tree", frame)
			}
		}
		ids, err := tree.Apply(&b)
		testkit.Must(t, err)
		for i, id := range ids {
			if _, ok := changed[id]; ok {
				t.Fatalf("frame %d: the new object %d has the ID of a live one", frame, id)
			}
			changed[id] = inserted[i]
		}
		model = changed
		if len(ids) != len(inserted) || !maps.Equal(maps.Collect(tree.All()), model) {
			t.Fatalf("frame %d: the tree of %d objects is not the model of %d", frame, tree.Len(), len(model))
		}
		if frame%2 == 1 {
			testkit.Must(t, tree.Tick())
		}
	}
	if handled < 20_000 {
		t.Errorf("only %d pairs were handled", handled)

	}
}

// firstOf returns the smallest ID that is in the model and not in changed.
func firstOf(changed, model map[uint32]soa.Object) (id uint32, ok bool) {
	for _, id := range slices.Sorted(maps.Keys(model)) {
		if _, left := changed[id]; !left {
			return id, true
		}
	}
	return 0, false
}

// modelPairs returns the pairs of the objects of a model.
func modelPairs(model map[uint32]soa.Object) func(func(collide.Pair) bool) {
	ids := slices.Sorted(maps.Keys(model))
	objects := make([]soa.Object, len(ids))
	for i, id := range ids {
		objects[i] = model[id]
	}
	return func(yield func(collide.Pair) bool) {
		for _, p := range testkit.SweepAndPrune(objects) {
			if !yield(collide.Pair{A: ids[p.A], B: ids[p.B]}) {
				return
			}
		}
	}
}
