package occlude_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// groundBuffer returns, for each pixel of a buffer, the depth at which the ray through its middle first
// passes one of the triangles beyond the near plane; +Inf if it passes none. It uses no grids, tiles or
// sheets: for each triangle it tests all rays of a rectangle around it. A ray that misses a triangle by
// rounding passes it.
func groundBuffer(rays occlude.Rays, near float64, corners [][3]float32, triangles [][3]int32, width, height int) []float64 {
	depth := make([]float64, width*height)
	for i := range depth {
		depth[i] = math.Inf(1)
	}
	pixels := pixelsOf(&rays)
	sx, sy := float64(rays.Width)/float64(width), float64(rays.Height)/float64(height)
	for _, t := range triangles {
		var p [3][3]float64 // from the viewpoint
		x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		out, through := [5]bool{true, true, true, true, true}, false
		for i, k := range t {
			for a := range 3 {
				p[i][a] = float64(corners[k][a]) - rays.Ref[a]
			}
			x, y, d := pixels(wide(corners[k]))
			for i, o := range [5]bool{x*d < 0, y*d < 0, x*d > float64(rays.Width)*d, y*d > float64(rays.Height)*d, d < near} {
				out[i] = out[i] && o
			}
			through = through || d < near
			x0, y0, x1, y1 = min(x0, x/sx), min(y0, y/sy), max(x1, x/sx), max(y1, y/sy)
		}
		if slices.Contains(out[:], true) {
			continue
		}
		if through {
			x0, y0, x1, y1 = 0, 0, float64(width), float64(height)
		}
		// Products with the direction d of a ray: three edges, and the depth at which it passes the plane.
		var edges [3][3]float64
		for i := range 3 {
			edges[i] = crossOf(p[i], p[(i+1)%3])
		}
		var n [3]float64
		for a := range 3 {
			n[a] = edges[0][a] + edges[1][a] + edges[2][a]
		}
		at := n[0]*p[0][0] + n[1]*p[0][1] + n[2]*p[0][2]
		// The products as functions of the pixel, and bounds of their errors.
		var lines [4][3]float64
		var offs [3]float64
		for i, e := range [4][3]float64{edges[0], edges[1], edges[2], n} {
			for a := range 3 {
				lines[i][0] += e[a] * rays.D0[a]
				lines[i][1] += e[a] * rays.DX[a]
				lines[i][2] += e[a] * rays.DY[a]
				if i < 3 {
					offs[i] += 1e-10 * math.Abs(e[a]) * (math.Abs(rays.D0[a]) + math.Abs(rays.DX[a])*float64(rays.Width) + math.Abs(rays.DY[a])*float64(rays.Height))
				}
			}
		}
		for y := int(max(y0-1, 0)); y < int(min(y1+2, float64(height))); y++ {
			for x := int(max(x0-1, 0)); x < int(min(x1+2, float64(width))); x++ {
				u, v := (float64(x)+0.5)*sx, (float64(y)+0.5)*sy
				left, right := true, true
				for i, off := range offs {
					s := lines[i][0] + u*lines[i][1] + v*lines[i][2]
					left, right = left && s >= -off, right && s <= off
				}
				if left || right {
					if z := at / (lines[3][0] + u*lines[3][1] + v*lines[3][2]); z >= near && z < depth[y*width+x] {
						depth[y*width+x] = z
					}
				}
			}
		}
	}
	return depth
}

// ofGround is the share over views of ground with small objects on it, where nothing else hides.
func ofGround(t *testing.T, corners [][3]float32, triangles [][3]int32, objects []soa.Object, cameras []query.Camera, least float64) {
	t.Helper()
	mesh, err := occlude.NewMesh(corners, triangles)
	testkit.Must(t, err)
	tree := plant(t, objects, linear.Config{Frozen: true})
	culler := newCuller(t, occlude.Config{Width: 512, Height: 288})
	var s, best share
	bound := testkit.Budget(t, 0, 1) > 0 // it takes some time
	for _, c := range cameras {
		testkit.Must(t, culler.SetCamera(c))
		culler.DrawMesh(mesh, linear.Transform{})
		visible := culler.Append(nil, tree.View(), query.Filter{})
		ground := groundBuffer(culler.Rays(), c.Near, corners, triangles, screenWidth, screenHeight)
		ideal := idealOf(culler, c.Near, tree.View(), 0, nil, ground)
		s.addIdeal(t, culler, tree.View(), visible, ideal)
		if !bound {
			continue
		}
		testkit.Must(t, culler.SetCamera(c))
		culler.DrawMesh(mesh, linear.Transform{})
		culler.SetPicture(wholePixels(culler.Rays(), c.Near, corners, triangles))
		best.addIdeal(t, culler, tree.View(), culler.Append(nil, tree.View(), query.Filter{}), ideal)
	}
	s.reach(t, least)
	if bound {
		t.Log("as much as a picture of whole pixels of this size can find:")
		best.reach(t, least)
	}
}

// wholePixels returns an upper bound for every buffer whose pixels are either covered wholly or not at all:
// the farthest first hit of 64 rays of a pixel, whichever triangles these are, including triangles through
// the near plane.
func wholePixels(rays occlude.Rays, near float64, corners [][3]float32, triangles [][3]int32) func(x, y int) float32 {
	const side = 8
	width := rays.Width * side
	fine := groundBuffer(rays, near, corners, triangles, width, rays.Height*side)
	return func(x, y int) float32 {
		far := 0.0
		for i := range side {
			far = max(far, slices.Max(fine[(y*side+i)*width+x*side:][:side]))
		}
		return float32(1 / far)
	}
}

// groundCameras are cameras above the ground.
func groundCameras(g *scene.Terrain, above float64, views int) (cameras []query.Camera) {
	for view := range views {
		x, y := 200+float64(view%3)*300, 250+float64(view/3%2)*500
		sin, cos := math.Sincos(float64(view) * 1.1)
		cameras = append(cameras, query.Camera{Eye: [3]float64{x, y, g.Height(x, y) + above}, Forward: [3]float64{cos, sin, -0.05}, Up: [3]float64{0, 0, 1},
			FovY: math.Pi / 3, Aspect: 16. / 9, Near: 0.1, Far: 2000})
	}
	return cameras
}

// The share of scattered objects that hills hide.
func TestShareOfTerrain(t *testing.T) {
	ground := scene.NewTerrain(180, 6, 1)
	corners, triangles := ground.Triangles()
	objects := ground.Strewn(100_000, 1)
	views := testkit.Budget(t, 1, 6)
	t.Run("ground", func(t *testing.T) {
		ofGround(t, corners, triangles, objects, groundCameras(ground, 1.7, views), 84.5)
	})
	t.Run("above", func(t *testing.T) {
		ofGround(t, corners, triangles, objects, groundCameras(ground, 40, views), 53)
	})
}
