package collide_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// A tracker that reads published versions, sometimes late, reports the same as one that reads the tree at
// the same moments, and checks the changes only.
func TestTrackerShared(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(500, 1)
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
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
				if err := tree.Remove(id); err != nil {
					t.Fatal(err)
				}
			} else {
				o.Box.Max[rng.IntN(3)] += rng.Float32()
				if err := tree.Move(id, o.Box); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := tree.Tick(); err != nil {
			t.Fatal(err)
		}
		shared.Publish()
		if frame%7 == 6 {
			continue // both miss a frame
		}
		held := shared.Acquire()
		if err := reader.Update(held.View()); err != nil {
			t.Fatal(err)
		}
		held.Release()
		if err := writer.Update(tree.View()); err != nil {
			t.Fatal(err)
		}
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
