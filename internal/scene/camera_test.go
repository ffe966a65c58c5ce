package scene_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func planesOf(cameras []scene.Camera) (planes [][6][4]float32) {
	for i := range cameras {
		planes = append(planes, cameras[i].Planes())
	}
	return planes
}

// The planes and the matrix of a camera are derived apart from each other. A
// point is inside the planes iff its clip coordinates are within the clip range.
func TestPlanesAgainstMatrices(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	number := func() float64 { return rng.Float64()*20 - 10 }
	inside := 0
	for range 2000 {
		c := scene.NewCamera([3]float64{number(), number(), number()}, [3]float64{number(), number(), number()}, 0.5, 5+number()/3)
		planes := c.Planes()
		for range 20 {
			p := [3]float64{number(), number(), number()}
			var dist [6]float64
			for i, n := range planes {
				dist[i] = float64(n[0])*p[0] + float64(n[1])*p[1] + float64(n[2])*p[2] + float64(n[3])
			}
			// The first five planes hold for the infinite conventions too.
			finite, infinite := slices.Min(dist[:]), slices.Min(dist[:5])
			if finite >= 0 {
				inside++
			}
			for clip, want := range map[scene.Clip]float64{
				scene.ClipMinusOneToOne: finite, scene.ClipZeroToOne: finite, scene.ClipReversed: finite,
				scene.ClipInfinite: infinite, scene.ClipReversedInfinite: infinite,
			} {
				if math.Abs(want) > 1e-4 && inClip(c.ViewProjection(clip), clip, p) != (want > 0) {
					t.Fatalf("clip %d: camera %+v, point %v at %v", clip, c, p, want)
				}
			}
		}
	}
	if inside < 200 {
		t.Fatalf("only %d points were inside", inside)
	}
}

func inClip(m [16]float64, clip scene.Clip, p [3]float64) bool {
	var q [4]float64
	for i := range q {
		q[i] = m[i]*p[0] + m[4+i]*p[1] + m[8+i]*p[2] + m[12+i]
	}
	low := 0.0
	if clip == scene.ClipMinusOneToOne {
		low = -q[3]
	}
	return math.Abs(q[0]) <= q[3] && math.Abs(q[1]) <= q[3] && low <= q[2] && q[2] <= q[3]
}

// The ends of the depth range lie where the convention says.
func TestClipDepths(t *testing.T) {
	for _, up := range [][3]float64{{0, 0, 1}, {1, 2, 3}, {0, 0, -1}, {1, 0, 0}} {
		c := scene.NewCamera([3]float64{1, 2, 3}, up, 0.5, 20)
		depth := func(clip scene.Clip, d float64) float64 {
			m := c.ViewProjection(clip)
			p := [3]float64{c.Eye[0] + d*c.Forward[0], c.Eye[1] + d*c.Forward[1], c.Eye[2] + d*c.Forward[2]}
			z := m[2]*p[0] + m[6]*p[1] + m[10]*p[2] + m[14]
			w := m[3]*p[0] + m[7]*p[1] + m[11]*p[2] + m[15]
			return z / w
		}
		for clip, want := range map[scene.Clip][2]float64{
			scene.ClipMinusOneToOne: {-1, 1}, scene.ClipZeroToOne: {0, 1}, scene.ClipReversed: {1, 0},
			scene.ClipInfinite: {0, 1 - 0.5/20}, scene.ClipReversedInfinite: {1, 0.5 / 20},
		} {
			for i, d := range []float64{c.Near, c.Far} {
				if got := depth(clip, d); math.Abs(got-want[i]) > 1e-12 {
					t.Errorf("clip %d: depth %v at distance %v, want %v", clip, got, d, want[i])
				}
			}
		}
	}
}

// A camera at the origin that faces along y: z up, x to the right.
func TestCameraKnown(t *testing.T) {
	c := scene.NewCamera([3]float64{}, [3]float64{0, 2, 0}, 1, 10)
	if c.Right != [3]float64{1, 0, 0} || c.Up != [3]float64{0, 0, 1} {
		t.Fatalf("right %v, up %v", c.Right, c.Up)
	}
	p := c.Planes()
	if p[4] != [4]float32{0, 1, 0, -1} || p[5] != [4]float32{0, -1, 0, 10} {
		t.Errorf("near %v, far %v", p[4], p[5])
	}
	// 60 degrees vertical: the lower plane is inclined by 30 degrees.
	if n := p[2]; math.Abs(float64(n[1])-0.5) > 1e-6 || math.Abs(float64(n[2])-math.Sqrt(3)/2) > 1e-6 {
		t.Errorf("bottom %v", n)
	}
	c.Far = math.Inf(1)
	if p := c.Planes(); p[5] != [4]float32{0, 0, 0, 1} {
		t.Errorf("infinite far plane %v", p[5])
	}
}

func TestShares(t *testing.T) {
	names, count := []string{"uniform", "city", "surface", "clustered", "plane", "points", "far"}, 20
	if !testkit.Long(t) {
		names, count = names[:2], 4
	}
	for _, name := range names {
		objects := make20k(t, name)
		for _, share := range []float64{0.01, 0.1, 0.5} {
			cameras := scene.Cameras(objects, share, count, 1)
			cameras = append(cameras, scene.CameraPath(objects, share, count, 1)...)
			for i := range cameras {
				visible := len(testkit.DefinitionFrustum(objects, cameras[i].Planes()))
				if ratio := float64(visible) / 20000 / share; ratio < 0.8 || ratio > 1.2 {
					t.Errorf("%s: camera %d sees %d of 20000, want %v %%", name, i, visible, 100*share)
				}
			}
		}
	}
}

// Where no camera can see the share there are cameras all the same.
func TestCamerasWithoutChoice(t *testing.T) {
	for _, s := range scene.All() {
		for _, n := range []int{0, 1, 2, 16} {
			objects := s.Make(n, 1)
			for _, share := range []float64{0.01, 0.5, 1} {
				cameras := append(scene.Cameras(objects, share, 3, 1), scene.CameraPath(objects, share, 3, 1)...)
				if len(cameras) != 6 {
					t.Fatalf("%d cameras", len(cameras))
				}
				for _, planes := range planesOf(cameras) {
					for _, f := range slices.Concat(planes[0][:], planes[1][:], planes[2][:], planes[3][:], planes[4][:], planes[5][:]) {
						if math.Abs(float64(f)) > math.MaxFloat32 || f != f {
							t.Fatalf("%s of %d: planes %v", s.Name, n, planes)
						}
					}
				}
			}
		}
	}
}

// City cameras are level and tilted slightly down.
func TestCityCamerasLevel(t *testing.T) {
	for _, c := range scene.Cameras(make20k(t, "city"), 0.1, 20, 1) {
		if z := c.Forward[2]; z > -0.01 || z < -0.3 || math.Abs(c.Right[2]) > 1e-9 {
			t.Errorf("looks along %v, right %v", c.Forward, c.Right)
		}
	}
}

func TestPathMoves(t *testing.T) {
	path := scene.CameraPath(testkit.SceneByName(t, "uniform").Make(5000, 1), 0.1, 100, 1)
	still := 0
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		step, turn := 0.0, 0.0
		for k := range 3 {
			step += (a.Eye[k] - b.Eye[k]) * (a.Eye[k] - b.Eye[k])
			turn += a.Forward[k] * b.Forward[k]
		}
		if step == 0 {
			still++
		}
		if math.Sqrt(step) > 0.5 || turn < 0.999 {
			t.Errorf("frame %d: a step of %v, a turn of cosine %v", i, math.Sqrt(step), turn)
		}
	}
	if still > 5 {
		t.Errorf("%d of 100 frames stand still", still)
	}
}

func TestWorkersChangeNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	want := scene.Cameras(objects, 0.1, 16, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if !slices.Equal(scene.Cameras(objects, 0.1, 16, 1), want) {
		t.Error("one worker generates different cameras")
	}
}

func TestEdgeFrusta(t *testing.T) {
	names := make(map[string]bool)
	for _, s := range append(scene.All(), scene.Scene{Name: "largest", Make: largest}) {
		for _, n := range []int{0, 1, 100} {
			objects := s.Make(n, 1)
			for _, f := range scene.EdgeFrusta(objects) {
				names[f.Name] = true
				for _, p := range f.Planes {
					for _, v := range p {
						if !(math.Abs(float64(v)) <= math.MaxFloat32) {
							t.Fatalf("%s of %d, %s: coefficient %v", s.Name, n, f.Name, v)
						}
					}
				}
				hits := len(testkit.DefinitionFrustum(objects, f.Planes))
				switch f.Name {
				case "box: exactly the world", "box: the world with room", "no normal, distance zero",
					"no normal, negative zeros", "no normal, positive distance", "small normal, large distance":
					if hits != n {
						t.Errorf("%s of %d, %s: %d hits", s.Name, n, f.Name, hits)
					}
				case "facing away: a thin gap":
					// There is no float32 beyond the largest to put the gap at.
					if hits != 0 && s.Name != "largest" {
						t.Errorf("%s of %d, %s: %d hits", s.Name, n, f.Name, hits)
					}
				case "no normal, negative distance", "no normal, largest negative distance":
					if hits != 0 {
						t.Errorf("%s of %d, %s: %d hits", s.Name, n, f.Name, hits)
					}
				case "box: exactly an object", "box: inside an object", "box: a point of an object":
					if n > 0 && hits == 0 {
						t.Errorf("%s of %d, %s: no hit", s.Name, n, f.Name)
					}
				}
			}
		}
	}
	if len(names) != len(scene.EdgeFrusta(nil)) {
		t.Errorf("%d names for %d frusta", len(names), len(scene.EdgeFrusta(nil)))
	}
}

// largest is boxes that reach as far as float32 does.
func largest(n int, _ uint64) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i].Box = soa.AABB{
			Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
			Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
		}
	}
	return objects
}
