package occlude_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
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
