package scene_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Under the identity a ball is bit-identical to that of the caller: for parts of one packet or many, and
// for parts wholly inside.
func TestBallsUnderIdentity(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	met, missed := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		for round := range testkit.Budget(t, 600, 6000) {
			var center [3]float32
			radius := rng.Float32() + 0.5
			tree := trees.New(t, linear.Config{})
			objects := make([]soa.Object, []int{1, 1, 1, 12, 1, 100}[round%6])
			for i := range objects {
				// A point about as far away as the radius, by a few steps of float32 more.
				way := testkit.Rotation(rng)[0]
				far := float64(radius) * (1 + float64(rng.IntN(10)-1)*0x1p-24)
				for a := range 3 {
					objects[i].Box.Min[a] = float32(way[a] * far)
				}
				objects[i].Box.Max = objects[i].Box.Min
			}
			if rng.IntN(2) == 0 { // the far corner of the bounds is the point, or about that
				objects = append(objects, soa.Object{})
			}
			trees.Insert(t, tree, objects)
			s := newScene(t)
			if _, err := s.AddInstance(tree, linear.Transform{}, linear.InstanceOptions{}); err != nil {
				t.Fatal(err)
			}
			q, err := query.NewSphere(center, radius)
			testkit.Must(t, err)
			want := q.Append(nil, tree.View(), query.Filter{})
			var a scene.Answer
			scene.Append(&a, q, s.View(), query.Filter{})
			if !slices.Equal(a.IDs, want) {
				t.Fatalf("round %d, %d objects: %v of the tree, %v of the scene", round, len(objects), want, a.IDs)
			}
			met += len(want)
			missed += len(objects) - len(want)
		}
	})
	if met == 0 || missed == 0 {
		t.Errorf("%d met, %d missed", met, missed)
	}
}
