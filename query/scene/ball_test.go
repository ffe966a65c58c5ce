package scene_test

import (
	"math"
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

// A ball of radius 2^110 moves by 2^112 and hits a point off its path at the time 0.35, later than the box around it
// does, and after another point. In a part that is smaller by 2^20 the way of the ball from one to the other is longer
// than the largest float32. The time is the same there, also of an ellipsoid.
func TestLongMotionOfBall(t *testing.T) {
	const size, time = 0x1p110, 0.35 // at -3/5, since (3/5)^2 + (4/5)^2 = 1
	ball := queries.SweptSphere(t, [3]float32{-2 * size, 0.8 * size}, size, [3]float32{4 * size})
	for _, scale := range [][3]float64{{1, 1, 1}, {0x1p-20, 0x1p-20, 0x1p-20}, {0x1p-20, 1, 1}, {0x1p-100, 0x1p-100, 0x1p-100}} {
		transform, err := linear.NewTransform([12]float64{0: scale[0], 5: scale[1], 10: scale[2]})
		testkit.Must(t, err)
		objects := []soa.Object{{Mask: 1}, {Mask: 1}}
		x := float32(max(-size/16/scale[0], -0x1p126)) // reached before
		objects[1].Box.Min[0], objects[1].Box.Max[0] = x, x
		tree, s := trees.Plant(t, objects, false), newScene(t)
		place(t, s, tree, transform, linear.InstanceOptions{})
		testkit.EachTier(t, func(t *testing.T) {
			hits := scene.AppendHits(nil, ball, s.View(), query.Filter{})
			i := slices.IndexFunc(hits, func(h scene.Hit) bool { return h.ID == 0 })
			if len(hits) != 2 || i < 0 || math.Abs(float64(hits[i].Dist)-time) > time*0x1p-20 {
				t.Errorf("scale %v: hits %+v, want one of 0 at the time %v", scale, hits, time)
			}
		})
	}
}

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
