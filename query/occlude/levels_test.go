package occlude_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
)

// The levels of what a culler finds visible are those of its frustum, in trees and scenes, also of parallel
// projections: an object of a level below a minimum size is left out by a culler with it.
func TestLevels(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	counts := map[uint8]int{}
	for round := range testkit.Budget(t, 10, 200) {
		objects := town(rng, 40, 600, 200)
		tree := plant(t, objects, linear.Config{})
		v := tree.View()
		s := newScene(t)
		turn, err := linear.Similarity([3]float64{10, 5, 0}, [4]float64{0, 0, 0.5, 1}, 1.5)
		testkit.Must(t, err)
		_, err = s.AddInstance(tree, turn, linear.InstanceOptions{})
		testkit.Must(t, err)
		testkit.Must(t, s.Tick())
		least := float32(math.Ldexp(1+rng.Float64(), -3-rng.IntN(4)))
		at := [3]float64{200 * rng.Float64(), 200 * rng.Float64(), 1 + 20*rng.Float64()}
		view := randomView(rng, []string{"camera", "origin", "reversed"}[round%3], at, [3]float64{100, 100, 0}, 0.5, 1000)
		var cullers [2]*occlude.Culler
		for i := range cullers {
			cfg := occlude.Config{Width: 160, Height: 90, MinSize: []float32{0, least}[i]}
			cullers[i], err = occlude.New(cfg)
			testkit.Must(t, err)
			testkit.Must(t, view.look(cullers[i]))
			cullers[i].DrawBoxes(linear.AABB{Min: [3]float32{90, 90, 0}, Max: [3]float32{95, 110, 30}})
		}
		levels, err := cullers[0].Frustum().Levels(0, least*2, least)
		testkit.Must(t, err)

		ids := cullers[0].Append(nil, v, query.Filter{})
		large := cullers[1].Append(nil, v, query.Filter{})
		for i, level := range levels.Append(nil, v, ids, nil) {
			counts[level]++
			if slices.Contains(large, ids[i]) != (level < 2) {
				t.Fatalf("object %d of level %d is left by the minimum size: %v", ids[i], level, level == 2)
			}
		}
		var a, b scene.Answer
		cullers[0].AppendScene(&a, s.View(), query.Filter{})
		cullers[1].AppendScene(&b, s.View(), query.Filter{})
		for i, level := range scene.AppendLevels(nil, &a, &levels, s.View(), nil) {
			counts[level]++
			if slices.Contains(b.IDs, a.IDs[i]) != (level < 2) {
				t.Fatalf("object %d of a part, of level %d, is left by the minimum size: %v", a.IDs[i], level, level == 2)
			}
		}
	}
	if len(counts) < 3 {
		t.Errorf("levels %v", counts)
	}
	c := newCuller(t, occlude.Config{})
	testkit.Must(t, c.SetViewProjectionColumnMajor([16]float32{0: 1. / 64, 5: 1. / 64, 10: -0.01, 15: 1}, query.ClipZeroToOne))
	levels, err := c.Frustum().Levels(0, 4, 1)
	testkit.Must(t, err)
	tree := plant(t, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{0, 0, -50}, Max: [3]float32{4, 1, -50}}},
		{Box: linear.AABB{Min: [3]float32{0, 0, -20}, Max: [3]float32{1, 3, -19}}},
		{Box: linear.AABB{Min: [3]float32{0, 0, -1}, Max: [3]float32{0.5, 0, -1}}},
	}, linear.Config{})
	ids := c.Append(nil, tree.View(), query.Filter{})
	slices.Sort(ids)
	if got := levels.Append(nil, tree.View(), ids, nil); !slices.Equal(got, []uint8{0, 1, 2}) {
		t.Errorf("levels %d of %d", got, ids)
	}
}
