package collide_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// A tracker that reads published versions, sometimes late, reports the same as one that reads the tree at
// the same moments, and checks the changes only.
func TestTrackerShared(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(500, 1)
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, objects)
	shared := linear.NewPublisher(tree)
	rng := testkit.Rand(testkit.Seed(t))
	var reader, writer collide.Tracker
	few := 0
	for frame := range 50 {
		for range 20 {
			id := uint32(rng.IntN(len(objects)))
			if o, ok := tree.Object(id); !ok {
				if _, err := tree.Insert(objects[id]); err != nil {
					t.Fatal(err)
				}
			} else if rng.IntN(8) == 0 {
				testkit.Must(t, tree.Remove(id))
			} else {
				o.Box.Max[rng.IntN(3)] += rng.Float32()
				testkit.Must(t, tree.Move(id, o.Box))
			}
		}
		testkit.Must(t, tree.Tick())
		shared.Publish()
		if frame%7 == 6 {
			continue // both miss a frame
		}
		held := shared.Acquire()
		testkit.Must(t, reader.Update(held.View()))
		held.Release()
		testkit.Must(t, writer.Update(tree.View()))
		if !slices.Equal(reader.Began(), writer.Began()) || !slices.Equal(reader.Ended(), writer.Ended()) ||
			!slices.Equal(slices.Collect(reader.Pairs()), slices.Collect(writer.Pairs())) {
			t.Fatalf("frame %d: %d pairs, %d began and %d ended in the published version; %d, %d and %d in the tree", frame,
				reader.Len(), len(reader.Began()), len(reader.Ended()), writer.Len(), len(writer.Began()), len(writer.Ended()))
		}
		if reader.Looked() < reader.Len()/4 {
			few++
		}
	}
	if few < 30 {
		t.Errorf("only %d updates looked at few pairs", few)
	}
}
