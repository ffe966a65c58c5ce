package occlude_test

import (
	"math"
	"testing"

	world "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// boundedCity is a city of which every third object is an occluder, every third one a diagonal pole in its box,
// and every third one a ball.
func boundedCity(t testing.TB, n int) (*linear.Tree, []soa.Object) {
	objects := testkit.SceneByName(t, "city").Make(n, 1)
	for i := range objects {
		objects[i].Mask = 2
		if i%3 == 0 {
			objects[i].Mask = walls
		}
	}
	tree := plant(t, objects, linear.Config{Frozen: true})
	for i := range objects {
		var middle, half [3]float64
		for a := range 3 {
			lo, hi := float64(objects[i].Box.Min[a]), float64(objects[i].Box.Max[a])
			middle[a], half[a] = (lo+hi)/2, (hi-lo)/2*0.999
		}
		id, least := uint32(i), min(half[0], half[1], half[2])
		switch i % 3 {
		case 1:
			l := math.Hypot(half[0], half[1])
			box := turnedBox(middle, [3]float64{0.9 * l, 0.09 * min(half[0], half[1]), half[2]}, math.Atan2(half[1], half[0]))
			testkit.Must(t, tree.SetOriented(id, box))
		case 2:
			testkit.Must(t, tree.SetSphere(id, [4]float32{float32(middle[0]), float32(middle[1]), float32(middle[2]), float32(least)}))
		}
	}
	return tree, objects
}

// The share of the objects with hidden bounds that are found by their boxes, and by their bounds, against an
// ID buffer of their bounds.
func TestSharesOfBounds(t *testing.T) {
	tree, objects := boundedCity(t, 100_000)
	v := tree.View()
	views, seeds := testkit.Budget(t, 1, 6), testkit.Budget(t, 1, 4)
	var street []world.Camera
	for seed := range seeds {
		street = append(street, world.Street(objects, views, uint64(seed)+1)...)
	}
	for name, cameras := range map[string][]world.Camera{"street": street, "bench": world.Cameras(objects, 0.1, seeds*views, 1)} {
		t.Run(name, func(t *testing.T) {
			culler := newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
			var byBox, exact share
			for i := range cameras {
				var visible [2][]uint32
				for k, f := range []query.Filter{{}, {Exact: true}} {
					culler.Reset()
					testkit.Must(t, culler.SetCamera(lookAt(&cameras[i])))
					visible[k] = culler.Append(nil, v, f)
				}
				all := culler.Frustum().Append(nil, v, query.Filter{Exact: true})
				is := setOf(all)
				n := 0
				for _, id := range visible[0] {
					if is[id] {
						visible[0][n] = id
						n++
					}
				}
				testkit.NothingLost(t, all, visible[1])
				testkit.NothingLost(t, visible[0][:n], visible[1])
				var things []thing
				for _, id := range all {
					o := objects[id]
					at := boxThing(id, &[2][3]float32{o.Box.Min, o.Box.Max}, o.Mask&walls != 0)
					if box, ok := v.Oriented(id); ok {
						cube := soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}
						at.body = imageBody(afterTurned([12]float64{0: 1, 5: 1, 10: 1}, box), cube)
					}
					if ball, ok := v.Sphere(id); ok {
						at.ball = &ball
					}
					things = append(things, at)
				}
				ideal := idealSet(culler.Rays(), cameras[i].Near, things, nil)
				is = setOf(visible[1])
				for id := range ideal {
					if !is[id] {
						t.Fatalf("object %d is not visible, but the ID buffer shows it", id)
					}
				}
				byBox.frustum, byBox.ideal, byBox.visible = byBox.frustum+len(all), byBox.ideal+len(ideal), byBox.visible+n
				exact.frustum, exact.ideal, exact.visible = exact.frustum+len(all), exact.ideal+len(ideal), exact.visible+len(visible[1])
			}
			byBox.reach(t, 0)
			exact.reach(t, byBox.found())
		})
	}
}

// BenchmarkExactBounds is the mean of a frame of cameras in a city of objects with bounds: by boxes, and with the
// exact test of the frustum and of the depth buffer.
func BenchmarkExactBounds(b *testing.B) {
	tree, objects := boundedCity(b, 100_000)
	cameras := append(world.Street(objects, 12, 1), world.Cameras(objects, 0.1, 12, 1)...)
	culler := newCuller(b, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
	dst := make([]uint32, 0, len(objects)+16)
	for _, c := range []struct {
		name  string
		query func(flt query.Filter)
		flt   query.Filter
	}{
		{"culler/exact=false", func(f query.Filter) { dst = culler.Append(dst[:0], tree.View(), f) }, query.Filter{}},
		{"culler/exact=true", func(f query.Filter) { dst = culler.Append(dst[:0], tree.View(), f) }, query.Filter{Exact: true}},
		{"frustum/exact=false", func(f query.Filter) { dst = culler.Frustum().Append(dst[:0], tree.View(), f) }, query.Filter{}},
		{"frustum/exact=true", func(f query.Filter) { dst = culler.Frustum().Append(dst[:0], tree.View(), f) }, query.Filter{Exact: true}},
	} {
		b.Run("of="+c.name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for i := range cameras {
					culler.Reset()
					testkit.Must(b, culler.SetCamera(lookAt(&cameras[i])))
					c.query(c.flt)
					found += len(dst)
				}
			}
			report(b, len(cameras), found)
		})
	}
}
