package occlude_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/query/occlude"
)

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
