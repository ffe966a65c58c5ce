package occlude_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// share counts objects over several views, for the share of hidden objects that the culler finds.
type share struct {
	frustum, ideal, visible int
}

// found returns the share in per cent.
func (s *share) found() float64 {
	return 100 * float64(s.frustum-s.visible) / float64(s.frustum-s.ideal)
}

// add compares a result with the ID buffer: every object shown there is in the result, and the result is a
// subset of the frustum's. The buffer is made of more and of the objects in the frustum.
func (s *share) add(t *testing.T, culler *occlude.Culler, near float64, v linear.View, solid uint32, visible []uint32, more []thing) {
	t.Helper()
	s.addIdeal(t, culler, v, visible, idealOf(culler, near, v, solid, more, nil))
}

// idealOf returns the objects of a view that the ID buffer of a camera shows, in front of a ground, given by the depth
// in each pixel of the buffer, unless that is nil.
func idealOf(culler *occlude.Culler, near float64, v linear.View, solid uint32, more []thing, ground []float64) map[uint32]bool {
	things := append([]thing(nil), more...)
	for _, id := range culler.Frustum().Append(nil, v, query.Filter{}) {
		o, _ := v.Object(id)
		things = append(things, boxThing(id, &[2][3]float32{o.Box.Min, o.Box.Max}, o.Mask&solid != 0))
	}
	ideal := idealSet(culler.Rays(), near, things, ground)
	for _, o := range more {
		delete(ideal, o.id)
	}
	return ideal
}

// addIdeal is add with the objects in the ID buffer.
func (s *share) addIdeal(t *testing.T, culler *occlude.Culler, v linear.View, visible []uint32, ideal map[uint32]bool) {
	t.Helper()
	all := culler.Frustum().Append(nil, v, query.Filter{})
	testkit.NothingLost(t, all, visible)
	is := setOf(visible)
	for id := range ideal {
		if o, _ := v.Object(id); !is[id] {
			t.Fatalf("object %d is not visible, but the ID buffer shows it: box %v, rays %+v", id, o.Box, culler.Rays())
		}
	}
	s.frustum += len(all)
	s.ideal += len(ideal)
	s.visible += len(visible)
}

// reach fails a test below a share.
func (s *share) reach(t *testing.T, least float64) {
	t.Helper()
	t.Logf("%d in the frustum, %d in the ID buffer, %d visible: %.2f %% of what is hidden was found", s.frustum, s.ideal, s.visible, s.found())
	if !(s.found() >= least) {
		t.Errorf("%.2f %% of what is hidden was found, want %v %%", s.found(), least)
	}
}

func lookAt(c *scene.Camera) query.Camera {
	return query.Camera{Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: 2 * math.Atan(c.TanY), Aspect: c.TanX / c.TanY, Near: c.Near, Far: c.Far}
}

// ofCity is the share over cameras in a city all of whose objects are occluders, each queried twice:
// without memory, and with the memory of the first query.
func ofCity(t *testing.T, cameras []scene.Camera, v linear.View, least float64) {
	t.Helper()
	const solid = ^uint32(0)
	culler := newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: solid})
	var cold, warm share
	for i := range cameras {
		culler.Reset()
		var ideal map[uint32]bool
		for _, s := range []*share{&cold, &warm} {
			testkit.Must(t, culler.SetCamera(lookAt(&cameras[i])))
			visible := culler.Append(nil, v, query.Filter{})
			if ideal == nil {
				ideal = idealOf(culler, cameras[i].Near, v, solid, nil, nil)
			}
			s.addIdeal(t, culler, v, visible, ideal)
		}
	}
	cold.reach(t, least)
	warm.reach(t, least)
}

// The shares of hidden objects that are found at 512 x 288, against an ID buffer of 1920 x 1080. The ID
// buffer counts objects thinner than its pixels as hidden, so the true shares are higher.
func TestShares(t *testing.T) {
	views, seeds := testkit.Budget(t, 1, 6), testkit.Budget(t, 1, 4)
	objects := testkit.SceneByName(t, "city").Make(100_000, 1)
	tree := plant(t, objects, linear.Config{})
	t.Run("street", func(t *testing.T) {
		var cameras []scene.Camera
		for seed := range seeds {
			cameras = append(cameras, scene.Street(objects, views, uint64(seed)+1)...)
		}
		ofCity(t, cameras, tree.View(), 99.5)
	})
	t.Run("bench", func(t *testing.T) { ofCity(t, scene.Cameras(objects, 0.1, seeds*views, 1), tree.View(), 98) })
	t.Run("spheres", func(t *testing.T) {
		culler := newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: scene.PartitionMask})
		var s share
		for frame := range views {
			tree := plant(t, scene.Partition(7*frame), linear.Config{})
			c := scene.Audience()
			c.Eye[0] = float64(frame) - 2
			testkit.Must(t, culler.SetCamera(lookAt(&c)))
			visible := culler.Append(nil, tree.View(), query.Filter{})
			s.add(t, culler, c.Near, tree.View(), scene.PartitionMask, visible, nil)
		}
		s.reach(t, 97)
	})
	t.Run("town", func(t *testing.T) {
		prisms, small := scene.PrismTown(testkit.Budget(t, 900, 10_000), testkit.Budget(t, 10_000, 200_000), 1)
		rng := rand.New(rand.NewPCG(1, 23))
		bounds := scene.Bounds(small)
		ofTown(t, prisms, small, views*seeds+2, 300, 98, func() (at [3]float64) {
			for a := range 2 {
				lo, hi := float64(bounds.Min[a]), float64(bounds.Max[a])
				at[a] = lo + (hi-lo)*(0.3+0.4*rng.Float64())
			}
			return at
		})
	})
}

// ofTown is the share over views between the houses of a town, at random positions outside all houses. The
// houses within reach are drawn as hulls; the small objects hide nothing.
func ofTown(t *testing.T, prisms []scene.Prism, small []soa.Object, views int, reach, least float64, place func() [3]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 24))
	tree := plant(t, small, linear.Config{})
	hulls := make([]occlude.Hull, len(prisms))
	houses := make([]thing, len(prisms))
	for i, p := range prisms {
		var err error
		if hulls[i], err = occlude.NewPrism(p.Base, p.Z0, p.Z1); err != nil {
			t.Fatal(err)
		}
		houses[i] = prismThing(uint32(len(small)+i), &p)
	}
	culler := newCuller(t, occlude.Config{Width: 512, Height: 288})
	var s share
	drawn := 0
	for views > 0 {
		at := place()
		at[2] = 1.7
		if slices.ContainsFunc(houses, func(h thing) bool { return h.within(at, 1) }) {
			continue
		}
		views--
		turn := rng.Float64() * 2 * math.Pi
		c := scene.NewCamera(at, [3]float64{math.Cos(turn), math.Sin(turn), 0}, 0.1, math.Inf(1))
		testkit.Must(t, culler.SetCamera(lookAt(&c)))
		for i := range houses {
			if p := houses[i].corners[0]; math.Hypot(p[0]-at[0], p[1]-at[1]) < reach {
				culler.DrawHulls(hulls[i:i+1], nil)
			}
		}
		visible := culler.Append(nil, tree.View(), query.Filter{})
		drawn += culler.Explain(tree.View(), query.Filter{}, nil).Drawn
		s.add(t, culler, c.Near, tree.View(), 0, visible, houses)
	}
	t.Logf("%d houses were drawn", drawn)
	s.reach(t, least)
}

// prismThing returns a house in the form that the ID buffer takes.
func prismThing(id uint32, p *scene.Prism) (t thing) {
	t.id, t.solid = id, true
	t.body.planes = [][4]float64{{0, 0, -1, -float64(p.Z0)}, {0, 0, 1, float64(p.Z1)}}
	for i, c := range p.Base {
		x, y := float64(c[0]), float64(c[1])
		next := p.Base[(i+1)%len(p.Base)]
		nx, ny := float64(next[1])-y, x-float64(next[0])
		t.body.planes = append(t.body.planes, [4]float64{nx, ny, 0, nx*x + ny*y})
		t.corners = append(t.corners, [3]float64{x, y, float64(p.Z0)}, [3]float64{x, y, float64(p.Z1)})
	}
	return t
}

// within reports whether a point is in a thing, or within rounding of it.
func (o *thing) within(at [3]float64, near float64) bool {
	for _, p := range o.body.planes {
		if p[0]*at[0]+p[1]*at[1]+p[2]*at[2]-p[3] > near*math.Sqrt(p[0]*p[0]+p[1]*p[1]+p[2]*p[2]) {
			return false
		}
	}
	return true
}
