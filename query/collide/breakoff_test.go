package collide_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// TestBreakOff interrupts all searches for pairs that take a callback or a context.
func TestBreakOff(t *testing.T) {
	defer collide.SharePairsFrom(300, 20)()
	scene := testkit.SceneByName(t, "city")
	n := testkit.Budget(t, 400, 5000)
	a, b := trees.Plant(t, scene.Make(n, 1), false).View(), trees.Plant(t, scene.Make(n, 2), true).View()
	tree := trees.New(t, linear.Config{Log: true})
	trees.Insert(t, tree, scene.Make(n, 1))
	var tracker collide.Tracker
	for frame := range 3 {
		for id := range uint32(n / 4) {
			o, _ := tree.Object(id)
			o.Box.Max[0] += float32(frame) / 4
			testkit.Must(t, tree.Move(id, o.Box))
		}
		testkit.Must(t, tree.Tick())
		testkit.Must(t, tracker.Update(tree.View()))
	}
	operations := []testkit.Operation{
		testkit.Iteration("All", collide.All(collide.Between(a, b), collide.Filter{})),
		testkit.Iteration("Tracker.Pairs", tracker.Pairs()),
		testkit.Iteration("Tracker.Stayed", tracker.Stayed()),
		testkit.Iteration("Tracker.Of", tracker.Of(firstPair(t, &tracker).A)),
		{Name: "Batch.Append", Of: []string{"Batch.Append", "Batch.Progress"}, Context: true, New: func(t *testing.T, workers int) testkit.Call {
			batch := &collide.Batch{Workers: workers}
			before := []collide.Pair{{A: 1, B: 2}}
			return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
				batch.Progress = func(float64) { back() }
				pairs, err := batch.Append(ctx, before[:1:1], collide.Between(a, b), collide.Filter{})
				if err != nil && len(pairs) != 1 {
					return nil, fmt.Errorf("%d pairs after the error %v", len(pairs), err)
				}
				return pairs, err
			}}
		}},
		{Name: "Batch.Nearest", Of: []string{"Batch.Nearest", "Batch.Progress"}, Context: true, New: func(t *testing.T, workers int) testkit.Call {
			batch := &collide.Batch{Workers: workers}
			before := []collide.Neighbor{{A: 1, B: 2}}
			return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
				batch.Progress = func(float64) { back() }
				found, err := batch.Nearest(ctx, before[:1:1], a, b, 3, collide.Filter{StaticPairs: true})
				if err != nil && len(found) != 1 {
					return nil, fmt.Errorf("%d neighbours after the error %v", len(found), err)
				}
				return found, err
			}}
		}},
	}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

func firstPair(t *testing.T, tracker *collide.Tracker) collide.Pair {
	for p := range tracker.Pairs() {
		return p
	}
	t.Fatal("there is no pair")
	return collide.Pair{}
}
