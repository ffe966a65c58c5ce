package occlude_test

import (
	"fmt"
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

// view is a projection of some kind, and the depth of its near plane. The matrix and the near plane are
// computed by the test alone.
type view struct {
	kind string
	look func(e *occlude.Culler) error
	near float64
	eye  [3]float64
	far  float64
	dir  [3]float64  // forward
	m    [16]float64 // the matrix as given
	wide [16]float64 // the matrix before rounding, if it was rounded
}

var kinds = []string{"camera", "column", "off-centre", "parallel", "reversed", "mirrored", "origin"}

// viewOf returns a view of a kind from a viewpoint along dir.
func viewOf(kind string, eye, dir [3]float64, fovY, aspect, near, far float64) view {
	v := view{kind: kind, near: near, far: far, eye: eye}
	l := math.Sqrt(dir[0]*dir[0] + dir[1]*dir[1] + dir[2]*dir[2])
	f := [3]float64{dir[0] / l, dir[1] / l, dir[2] / l}
	up := [3]float64{0, 0, 1}
	if math.Abs(f[2]) > 0.99 {
		up = [3]float64{0, 1, 0}
	}
	r := crossOf(f, up)
	l = math.Sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2])
	r = [3]float64{r[0] / l, r[1] / l, r[2] / l}
	u := crossOf(r, f)
	v.dir = f
	if kind == "camera" {
		v.look = func(e *occlude.Culler) error {
			return e.SetCamera(query.Camera{Eye: eye, Forward: dir, Up: up, FovY: fovY, Aspect: aspect, Near: near, Far: far})
		}
	}
	ty := math.Tan(fovY / 2)
	tx := ty * aspect
	rows := [4][4]float64{}
	set := func(i int, n [3]float64, s, add float64) {
		at := 0.0
		for a := range 3 {
			rows[i][a] = n[a] * s
			at += n[a] * eye[a]
		}
		rows[i][3] = add - at*s
	}
	clip := query.ClipZeroToOne
	set(0, r, 1/tx, 0)
	set(1, u, 1/ty, 0)
	set(2, f, far/(far-near), -far*near/(far-near))
	set(3, f, 1, 0)
	switch kind {
	case "off-centre":
		for i := range 4 {
			rows[0][i] += 0.7 * rows[3][i]
			rows[1][i] -= 0.4 * rows[3][i]
		}
	case "mirrored":
		for i := range 4 {
			rows[0][i] = -rows[0][i]
		}
	case "reversed":
		clip = query.ClipReversedZ
		set(2, f, -near/(far-near), far*near/(far-near))
	case "parallel":
		half := near + (far-near)/10
		set(0, r, 1/(half*tx), 0)
		set(1, u, 1/(half*ty), 0)
		set(2, f, 1/(far-near), -near/(far-near))
		rows[3] = [4]float64{0, 0, 0, 1}
		v.near = 0 // depth begins at the near plane
	}
	var m32 [16]float32
	for i := range 16 {
		v.m[i] = rows[i%4][i/4]
		m32[i] = float32(v.m[i])
	}
	v.wide = v.m
	if v.look != nil {
		return v
	}
	if kind == "origin" {
		origin := [3]float64{4e6, -3e6, 1e6}
		m := v.m
		for i := range 4 {
			for a := range 3 {
				m[12+i] -= v.m[4*a+i] * origin[a]
			}
		}
		v.look = func(e *occlude.Culler) error { return e.SetViewProjectionColumnMajor64(m, clip, origin) }
		return v
	}
	for i, x := range m32 {
		v.m[i] = float64(x)
	}
	v.look = func(e *occlude.Culler) error { return e.SetViewProjectionColumnMajor(m32, clip) }
	return v
}

func crossOf(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// randomView returns a view from a random point towards another point.
func randomView(rng *rand.Rand, kind string, eye, to [3]float64, near, far float64) view {
	dir := [3]float64{to[0] - eye[0], to[1] - eye[1], to[2] - eye[2]}
	return viewOf(kind, eye, dir, []float64{0.3, 1, 1.5, 2.5}[rng.IntN(4)], []float64{0.5, 1, 16. / 9}[rng.IntN(3)], near, far)
}

// Rays agree with the matrix: a point on a ray projects to the ray's column, row and depth.
func TestRaysOfCameras(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, kind := range kinds {
		for i := range 50 {
			culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
			v := randomView(rng, kind, [3]float64{rng.Float64() * 90, -70, 20}, [3]float64{10, rng.Float64() * 50, 3}, 0.5, 500)
			if err := v.look(culler); err != nil {
				t.Fatal(kind, err)
			}
			r := culler.Rays()
			tolerance := 1e-6 // of float32 matrices about viewpoints at 100, whose near plane is at 0.5
			for range 10 {
				x, y, depth := rng.Float64()*64, rng.Float64()*36, 1+rng.Float64()*200
				var p [4]float64
				for a := range 3 {
					across := x*r.DX[a] + y*r.DY[a]
					if p[a] = r.Ref[a] + across + depth*r.D0[a]; !r.Parallel {
						p[a] = r.Ref[a] + depth*(across+r.D0[a])
					}
				}
				p[3] = 1
				var clip [4]float64
				for k := range 4 {
					for a := range 4 {
						clip[k] += v.m[4*a+k] * p[a]
					}
				}
				gotX, gotY := (clip[0]/clip[3]+1)*32, (1-clip[1]/clip[3])*18
				if math.Abs(gotX-x) > tolerance*64 || math.Abs(gotY-y) > tolerance*64 {
					t.Fatalf("%s, %d: the ray of %v %v passes %v %v", kind, i, x, y, gotX, gotY)
				}
				along := 0.0 // from the viewpoint, or the near plane of a parallel view
				for a := range 3 {
					along += v.dir[a] * (p[a] - v.eye[a])
				}
				if r.Parallel {
					along -= 0.5
				}
				// rows of w are scaled by a power of two
				scale := math.Ldexp(1, int(math.Round(math.Log2(along/depth))))
				if math.Abs(along/depth/scale-1) > 1e-4 {
					t.Fatalf("%s, %d: depth %v is %v along the view", kind, i, depth, along)
				}
				want := 1 / (v.near * 1)
				if r.Parallel {
					want = 0
				}
				if got := r.Limit / scale; math.Abs(got-want) > 2e-3 || kind == "camera" && got > want {
					t.Fatalf("%s, %d: the limit is %v, want %v", kind, i, got, want)
				}
			}
		}
	}
}

// The rays do not depend on a power of two that all numbers of a projection are multiplied with.
func TestRaysOfScaledMatrices(t *testing.T) {
	for _, m := range [][16]float64{
		{0, 0.02, 0, 0.1, 0, 0, 0.03, 0.2, 0.005, 0, 0, 0, 0, 0, 0, 1}, // parallel
		{0.1, 1.5, 0, 2, 0, 0.2, 2.5, 1, 1, 0, 0, -0.1, 1, 0, 0, 0},
	} {
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
		testkit.Must(t, culler.SetViewProjectionRowMajor64(m, query.ClipZeroToOne, [3]float64{}))
		want := culler.Rays()
		for e := -800; e <= 800; e += 100 {
			scaled := m
			for i := range scaled {
				scaled[i] = math.Ldexp(m[i], e)
			}
			if err := culler.SetViewProjectionRowMajor64(scaled, query.ClipZeroToOne, [3]float64{}); err != nil {
				t.Errorf("a projection times 2^%d: %v", e, err)
			} else if got := culler.Rays(); want.Parallel && got != want || got.Ref != want.Ref || got.Limit <= 0 != (want.Limit <= 0) {
				t.Errorf("a projection times 2^%d: rays %+v, want %+v", e, got, want)
			}
		}
	}
}

// A size of zero follows the aspect ratio of the camera.
func TestSizeOfPicture(t *testing.T) {
	for _, c := range []struct{ width, height, wantWidth, wantHeight int }{
		{0, 0, 320, 180}, {512, 0, 512, 288}, {0, 144, 256, 144}, {100, 100, 100, 100}, {1, 0, 1, 1}, {4096, 0, 4096, 2304},
	} {
		for _, kind := range []string{"camera", "parallel", "off-centre"} {
			culler := newCuller(t, occlude.Config{Width: c.width, Height: c.height})
			testkit.Must(t, viewOf(kind, [3]float64{1, 2, 3}, [3]float64{1, 1, 0}, 1, 16./9, 1, 100).look(culler))
			pix, width, height, stride := culler.DepthBuffer()
			if width != c.wantWidth || height != c.wantHeight || stride < width || len(pix) != stride*height {
				t.Errorf("%s, %+v: %d x %d, stride %d, %d numbers", kind, c, width, height, stride, len(pix))
			}
		}
	}
	for _, bad := range []occlude.Config{{Width: -1}, {Height: -1}, {Width: 4097}, {Height: 5000}, {MaxOccluders: -1}, {MinPixels: -2}, {Workers: -1}} {
		if _, err := occlude.New(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		} else if fmt.Sprint(err) == "" {
			t.Error("an error without words")
		}
	}
}

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
