package occlude_test

import (
	"cmp"
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

// screen is the size of the ID buffer that results are compared with: of each of its pixels the ray through
// the middle.
const (
	screenWidth, screenHeight = 1920, 1080
	tile                      = 16
	tilesX, tilesY            = screenWidth / tile, (screenHeight + tile - 1) / tile
)

// thing is a convex body with corners and an ID.
type thing struct {
	id      uint32
	body    body
	corners [][3]float64
	ball    *[4]float32 // cuts the body, unless nil
	solid   bool

	x0, y0, x1, y1 int // pixels that the thing may cover
	nearest        float64
}

func boxThing(id uint32, b *[2][3]float32, solid bool) (t thing) {
	t.id, t.solid = id, solid
	for a := range 3 {
		var lo, hi [4]float64
		lo[a], lo[3] = -1, -float64(b[0][a])
		hi[a], hi[3] = 1, float64(b[1][a])
		t.body.planes = append(t.body.planes, lo, hi)
	}
	for i := range 8 {
		var p [3]float64
		for a := range 3 {
			p[a] = float64(b[i>>a&1][a])
		}
		t.corners = append(t.corners, p)
	}
	return t
}

// idBuffer is a plain ID buffer of a perspective, by ray casting, independent of cones, lenses and levels.
type idBuffer struct {
	rays  occlude.Rays
	near  float64
	depth []float64 // depth at which the first occluder is entered beyond the near plane
	owner []int32   // index of the visible thing, or -1
	far   []float64 // the largest depth of each tile
}

// idealSet returns the IDs of the things that are visible at the middle of at least one pixel: their part
// beyond the near plane, before any occluder is entered there, and before the depth of the ground in each
// pixel, unless that is nil.
func idealSet(rays occlude.Rays, near float64, things []thing, ground []float64) map[uint32]bool {
	b := &idBuffer{rays: rays, near: near}
	b.depth = make([]float64, screenWidth*screenHeight)
	b.owner = make([]int32, len(b.depth))
	b.far = make([]float64, tilesX*tilesY)
	for i := range b.depth {
		b.depth[i], b.owner[i] = math.Inf(1), -1
	}
	copy(b.depth, ground)
	for i := range b.far {
		b.far[i] = math.Inf(1)
		if ground != nil {
			b.far[i] = b.farthest(i)
		}
	}
	pixels := pixelsOf(&rays)
	for i := range things {
		b.place(&things[i], pixels)
	}
	slices.SortFunc(things, func(p, q thing) int {
		return cmp.Or(cmp.Compare(p.nearest, q.nearest), cmp.Compare(p.id, q.id))
	})
	for i := range things {
		if things[i].solid {
			b.draw(&things[i], int32(i))
		}
	}
	visible := map[uint32]bool{}
	for _, i := range b.owner {
		if i >= 0 {
			visible[things[i].id] = true
		}
	}
	for i := range things {
		if !visible[things[i].id] && b.shows(&things[i]) {
			visible[things[i].id] = true
		}
	}
	return visible
}

// place returns the pixels that a thing may cover: none if all corners are outside of one side of the
// picture, or before the near plane; all if it intersects that plane.
func (b *idBuffer) place(t *thing, pixels func(p [3]float64) (x, y, depth float64)) {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	t.nearest = math.Inf(1)
	out := [5]bool{true, true, true, true, true}
	for _, c := range t.corners {
		x, y, depth := pixels(c)
		u, v := x*depth, y*depth
		for i, o := range [5]bool{u < 0, v < 0, u > float64(b.rays.Width)*depth, v > float64(b.rays.Height)*depth, depth < b.near} {
			out[i] = out[i] && o
		}
		t.nearest = min(t.nearest, depth)
		x, y = x*screenWidth/float64(b.rays.Width), y*screenHeight/float64(b.rays.Height)
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
	}
	if slices.Contains(out[:], true) {
		t.x0, t.y0, t.x1, t.y1 = 0, 0, 0, 0
		return
	}
	if t.nearest < b.near {
		t.nearest = b.near
		x0, y0, x1, y1 = 0, 0, screenWidth, screenHeight
	}
	t.x0, t.y0 = int(max(x0-1, 0)), int(max(y0-1, 0))
	t.x1, t.y1 = int(min(x1+2, screenWidth)), int(min(y1+2, screenHeight))
}

// each calls f with the pixels of the tiles of a thing that may show an object as near as it, until f
// returns false.
func (b *idBuffer) each(t *thing, f func(i int, in, out float64) bool, done func(tile int)) {
	c := b.crossing(t)
	for ty := t.y0 / tile; ty*tile < t.y1; ty++ {
		for tx := t.x0 / tile; tx*tile < t.x1; tx++ {
			if k := ty*tilesX + tx; b.far[k] >= t.nearest {
				for y := max(ty*tile, t.y0); y < min((ty+1)*tile, t.y1); y++ {
					for x := max(tx*tile, t.x0); x < min((tx+1)*tile, t.x1); x++ {
						if in, out := b.meet(&c, x, y); in <= out && out > b.near && !f(y*screenWidth+x, in, out) {
							return
						}
					}
				}
				done(k)
			}
		}
	}
}

// crossing are products of the planes and the ball of a thing with the rays of the buffer. The direction of a ray is
// affine in its pixel.
type crossing struct {
	planes [][4]float64 // per plane: num, and den as a constant and by x and y
	ball   bool
	square float64 // of the distance of the centre less that of the radius
	center [3]float64
}

func (b *idBuffer) crossing(t *thing) (c crossing) {
	r := &b.rays
	dot := func(p, q [3]float64) float64 { return p[0]*q[0] + p[1]*q[1] + p[2]*q[2] }
	for _, p := range t.body.planes {
		n := [3]float64(p[:3])
		c.planes = append(c.planes, [4]float64{p[3] - dot(n, r.Ref), dot(n, r.D0), dot(n, r.DX), dot(n, r.DY)})
	}
	if c.ball = t.ball != nil; c.ball {
		for a := range 3 {
			c.center[a] = float64(t.ball[a]) - r.Ref[a]
		}
		c.square = dot(c.center, c.center) - float64(t.ball[3])*float64(t.ball[3])
	}
	return c
}

// meet returns the depths at which the ray of a pixel's middle enters and leaves a thing.
func (b *idBuffer) meet(t *crossing, x, y int) (in, out float64) {
	r := &b.rays
	u, v := (float64(x)+0.5)*float64(r.Width)/screenWidth, (float64(y)+0.5)*float64(r.Height)/screenHeight
	in, out = math.Inf(-1), math.Inf(1)
	if t.ball {
		dd, dc := 0.0, 0.0
		for a := range 3 {
			d := r.D0[a] + u*r.DX[a] + v*r.DY[a]
			dd, dc = dd+d*d, dc+d*t.center[a]
		}
		root := dc*dc - dd*t.square
		if root < 0 {
			return 1, 0
		}
		in, out = (dc-math.Sqrt(root))/dd, (dc+math.Sqrt(root))/dd
	}
	for i := range t.planes {
		p := &t.planes[i]
		num, den := p[0], p[1]+u*p[2]+v*p[3]
		switch {
		case den < 0:
			in = max(in, num/den)
		case den > 0:
			out = min(out, num/den)
		case num < 0:
			return 1, 0
		}
	}
	return in, out
}

// draw draws an occluder. An entry before the near plane does not count.
func (b *idBuffer) draw(t *thing, index int32) {
	b.each(t, func(i int, in, _ float64) bool {
		if in >= b.near && in < b.depth[i] {
			b.depth[i], b.owner[i] = in, index
		}
		return true
	}, func(k int) { b.far[k] = b.farthest(k) })
}

// farthest returns the largest depth of a tile.
func (b *idBuffer) farthest(k int) (far float64) {
	for y := k / tilesX * tile; y < min((k/tilesX+1)*tile, screenHeight); y++ {
		for _, d := range b.depth[y*screenWidth+k%tilesX*tile:][:tile] {
			far = max(far, d)
		}
	}
	return far
}

// shows reports whether a pixel shows a thing that owns none: it is in front of the pixel's occluder, by
// more than rounding.
func (b *idBuffer) shows(t *thing) (visible bool) {
	b.each(t, func(i int, in, _ float64) bool {
		visible = max(in, b.near) < b.depth[i]*(1-1e-9)
		return !visible
	}, func(int) {})
	return visible
}
