package scene_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Runs of instances of parts of about 1 to 20 packets, old and new ones, have the objects that the iterator has, which
// enters the instances one by one, in the same order.
func TestRuns(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng, found := testkit.Rand(seed), 0
		for range testkit.Budget(t, 8, 100) {
			s := newScene(t)
			for range 1 + rng.IntN(40) { // more than are kept ready
				part := planted(t, rng, rng.IntN(8)*rng.IntN(30))
				for id := range uint32(rng.IntN(30)) {
					if _, ok := part.View().Object(id); ok && rng.IntN(2) == 0 {
						if err := part.Remove(id); err != nil {
							t.Fatal(err)
						}
					}
				}
				for range 1 + rng.IntN(12) {
					family := []string{"steps", "turned", "affine", "identity", "aligned"}[rng.IntN(5)]
					place(t, s, part, transformOf(rng, family), linear.InstanceOptions{})
				}
			}
			if rng.IntN(2) == 0 {
				if err := s.Tick(); err != nil {
					t.Fatal(err)
				}
			}
			v := s.View()
			b := v.Bounds()
			var a scene.Answer
			for range 20 {
				var box soa.AABB
				for k := range 3 {
					x, y := rng.Float32(), rng.Float32()
					box.Min[k] = b.Min[k] + (b.Max[k]-b.Min[k])*min(x, y)
					box.Max[k] = b.Min[k] + (b.Max[k]-b.Min[k])*max(x, y)
				}
				var planes [][4]float32
				for range 1 + rng.IntN(4) {
					n := [3]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64())}
					planes = append(planes, [4]float32{n[0], n[1], n[2], -n[0]*box.Min[0] - n[1]*box.Min[1] - n[2]*box.Min[2]})
				}
				convex, err := query.ConvexPlanes(planes)
				if err != nil {
					t.Fatal(err)
				}
				a.Reset()
				scene.Append(&a, queries.Box(t, box), v, query.Filter{})
				found += sameOrder(t, &a, queries.Box(t, box), v)
				a.Reset()
				scene.Append(&a, convex, v, query.Filter{})
				found += sameOrder(t, &a, convex, v)
			}
		}
		if found < 1000 {
			t.Errorf("%d objects found", found)
		}
	})
}

// sameOrder compares an answer with the objects of the iterator, and returns their number.
func sameOrder[V query.Volume](t *testing.T, a *scene.Answer, volume V, v linear.SceneView) (n int) {
	run := 0
	for path, id := range scene.All(volume, v, query.Filter{}) {
		for run < len(a.Runs) && n == a.Runs[run].End {
			run++
		}
		if n >= a.Len() || a.IDs[n] != id || a.Path(a.Runs[run].Instance) != path {
			t.Fatalf("object %d of %d is not %d at the path %v", n, a.Len(), id, path)
		}
		n++
	}
	if n != a.Len() {
		t.Fatalf("%d objects, want %d", a.Len(), n)
	}
	return n
}
