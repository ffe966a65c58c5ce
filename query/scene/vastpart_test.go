package scene_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// A part with an object at 1e17 raises the faces of a box query in it by some 100, far more than the query is large.
// So the faces contain all of a small part in it, but the query does not: objects beyond a side of the box around the
// query are left out, in a part that is turned back, under the identity and deeper, and when its instance has outgrown
// its box.
func TestBoxInVastPart(t *testing.T) {
	at := func(x float32) soa.Object {
		return soa.Object{Box: soa.AABB{Min: [3]float32{x, -0.1, -0.1}, Max: [3]float32{x + 0.1, 0.1, 0.1}}, Mask: 1}
	}
	turn, err := linear.NewTransform([12]float64{0.6, -0.8, 0, 0, 0.8, 0.6, 0, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	back, err := linear.NewTransform([12]float64{0.6, 0.8, 0, 0, -0.8, 0.6, 0, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	q := queries.Box(t, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
	for _, c := range []struct {
		name       string
		transforms []linear.Transform // from the part outwards
		outside    float32            // beyond a side of the box around the query: of 1, or 1.4
	}{
		{"turned back", []linear.Transform{back}, 1.2},
		{"identity", []linear.Transform{{}}, 1.5},
		{"deeper", []linear.Transform{turn, back}, 1.5},
		{"turned back, below", []linear.Transform{back}, -1.3},
	} {
		for _, outgrown := range []bool{false, true} {
			for _, far := range []float32{1e2, 1e17} {
				tree, inner, outer := trees.Plant(t, []soa.Object{at(0)}, false), newScene(t), newScene(t)
				trees.Insert(t, inner.Tree(), []soa.Object{at(far)})
				if !outgrown {
					trees.Insert(t, tree, []soa.Object{at(c.outside)})
				}
				var part linear.Part = tree
				for i, transform := range c.transforms {
					s := inner
					if i+1 < len(c.transforms) {
						s = newScene(t)
					}
					place(t, s, part, transform, linear.InstanceOptions{})
					part = s
				}
				place(t, outer, inner, turn, linear.InstanceOptions{})
				testkit.Must(t, outer.Tick())
				if outgrown {
					trees.Insert(t, tree, []soa.Object{at(c.outside)})
				}
				testkit.EachTier(t, func(t *testing.T) {
					var a scene.Answer
					scene.Append(&a, q, outer.View(), query.Filter{})
					if !slices.Equal(a.IDs, []uint32{0}) {
						t.Errorf("%s, outgrown %v, with an object at %g: %v are found, want only 0", c.name, outgrown, far, a.IDs)
					}
				})
			}
		}
	}
}
