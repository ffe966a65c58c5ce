package occlude_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/occlude"
)

// The picture is the same for any order of meshes, for 1 to 8 workers, and for any number of tiles that are listed
// together.
func TestOrderOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var meshes []*occlude.Mesh
	var transforms []linear.Transform
	for range 20 {
		meshes = append(meshes, randomSurface(rng, 8).mesh(t))
		transforms = append(transforms, randomTransform(t, rng, [3]float64{rng.Float64() * 60, rng.Float64() * 60, 3}))
	}
	for _, kind := range []string{"camera", "parallel"} {
		v := randomView(rng, kind, [3]float64{-20, 30, 4}, [3]float64{30, 30, 2}, 0.1, 200)
		var picture []byte
		for _, workers := range []int{1, 2, 3, 4, 5, 6, 7, 8, 1} {
			culler := newCuller(t, occlude.Config{Width: 200, Height: 113, Workers: workers})
			culler.SetMeshRoom([]int{0, 1, 100}[workers%3])
			testkit.Must(t, v.look(culler))
			for _, i := range rng.Perm(len(meshes)) {
				culler.DrawMesh(meshes[i], transforms[i])
			}
			if got := bytesOf(culler); picture == nil {
				picture = got
			} else if !bytes.Equal(got, picture) {
				t.Fatalf("%s, %d workers: the picture differs", kind, workers)
			}
		}
	}
}

// The parts of a mesh are counted, and invalid meshes are rejected with an error.
func TestNewMesh(t *testing.T) {
	cube := [][3]float32{}
	for i := range 8 {
		cube = append(cube, [3]float32{float32(i & 1), float32(i >> 1 & 1), float32(i >> 2)})
	}
	sides := [][3]int32{}
	for _, f := range boxFaces {
		sides = append(sides, [3]int32{f[0], f[1], f[2]}, [3]int32{f[0], f[3], f[2]})
	}
	minusZero := float32(math.Copysign(0, -1))
	for name, c := range map[string]struct {
		corners   [][3]float32
		triangles [][3]int32
		want      occlude.MeshCounts
	}{
		"nothing":            {nil, nil, occlude.MeshCounts{}},
		"triangle":           {cube, [][3]int32{{0, 1, 2}}, occlude.MeshCounts{Corners: 3, Triangles: 1, BoundaryEdges: 3}},
		"cube":               {cube, sides, occlude.MeshCounts{Corners: 8, Triangles: 12}},
		"open":               {cube, sides[1:], occlude.MeshCounts{Corners: 8, Triangles: 11, BoundaryEdges: 3}},
		"flat":               {cube, [][3]int32{{0, 0, 1}, {0, 1, 0}, {7, 7, 7}}, occlude.MeshCounts{Degenerate: 3}},
		"a line":             {[][3]float32{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, [][3]int32{{0, 1, 2}}, occlude.MeshCounts{Degenerate: 1}},
		"a fork":             {cube, [][3]int32{{0, 1, 2}, {0, 1, 4}, {1, 0, 6}}, occlude.MeshCounts{Corners: 5, Triangles: 3, BoundaryEdges: 6, NonManifoldEdges: 1}},
		"twice":              {cube, [][3]int32{{0, 1, 2}, {0, 1, 2}}, occlude.MeshCounts{Corners: 3, Triangles: 2}},
		"a strip of Moebius": {cube[:5], [][3]int32{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}}, occlude.MeshCounts{Corners: 5, Triangles: 5, BoundaryEdges: 5, NonManifoldEdges: 1}},
		"welded": {[][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, minusZero, 0}, {0, 1, minusZero}, {1, 1, 0}}, [][3]int32{{0, 1, 2}, {3, 4, 5}},
			occlude.MeshCounts{Corners: 4, Triangles: 2, BoundaryEdges: 4}},
	} {
		m, err := occlude.NewMesh(c.corners, c.triangles)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := m.Counts(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		corners   [][3]float32
		triangles [][3]int32
		says      string
	}{
		"not there": {cube, [][3]int32{{0, 1, 2}, {0, 1, 8}}, "triangle 1 of a mesh of 8 corners, [0 1 8]"},
		"negative":  {cube, [][3]int32{{-1, 1, 2}}, "[-1 1 2]"},
		"NaN":       {[][3]float32{{0, 0, 0}, {0, nan, 0}}, nil, "corner 1"},
		"infinite":  {[][3]float32{{-inf, 0, 0}}, nil, "corner 0"},
		"many":      {cube, make([][3]int32, occlude.MaxTriangles+1), "1048577"},
	} {
		if _, err := occlude.NewMesh(c.corners, c.triangles); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want it to mention %q", name, err, c.says)
		}
	}
	// The zero Mesh draws nothing, and SetCamera must be called before DrawMesh.
	culler := newCuller(t, occlude.Config{})
	testkit.Must(t, culler.SetCamera(audience))
	culler.DrawMesh(&occlude.Mesh{}, linear.Transform{})
	blind := newCuller(t, occlude.Config{})
	defer func() {
		if recover() == nil {
			t.Error("a mesh is drawn before Look")
		}
	}()
	blind.DrawMesh(&occlude.Mesh{}, linear.Transform{})
}

// A large strip folded many times is a mesh of one part, whose triangles are all oriented alike.
func TestLargeMesh(t *testing.T) {
	n := testkit.Budget(t, 100, 724)
	s := gridMesh(n, func(i, j int) [3]float32 { return [3]float32{float32(i), float32(j), float32(i * j % 7)} })
	for i := range s.triangles {
		if i%3 == 0 {
			s.triangles[i][0], s.triangles[i][1] = s.triangles[i][1], s.triangles[i][0]
		}
	}
	if got := s.mesh(t).Counts(); got.Triangles != 2*n*n || got.BoundaryEdges != 4*n || got.NonManifoldEdges+got.Degenerate != 0 {
		t.Errorf("%+v", got)
	}
	// A fan whose edges all share one corner.
	fan := surface{corners: [][3]float32{{}}}
	for i := range 10_000 {
		sin, cos := math.Sincos(float64(i) * 1e-4)
		fan.corners = append(fan.corners, [3]float32{float32(cos), float32(sin), 0})
		fan.triangles = append(fan.triangles, [3]int32{0, int32(i), int32(i + 1)})
	}
	if got := fan.mesh(t).Counts(); got.Triangles != 9999 || got.Degenerate != 1 || got.NonManifoldEdges != 0 || got.BoundaryEdges != 10_001 {
		t.Errorf("%+v", got)
	}
}

// For any numbers, a mesh is made or rejected, and a drawn mesh is conservative.
func FuzzNewMesh(f *testing.F) {
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 9, 0, 9, 9, 1}, []byte{0, 1, 2, 2, 1, 3}, uint8(0))
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 9, 0}, []byte{0, 1, 2, 0, 1, 2, 1, 0, 2, 7, 7, 7}, uint8(3))
	f.Add([]byte{0, 1, 2, 48, 48, 48, 48, 0x8a, 0x81}, []byte{0, 1, 2}, uint8(13)) // the near plane is at 2^-44
	f.Fuzz(func(t *testing.T, points, indices []byte, form uint8) {
		var s surface
		scale := float32(math.Ldexp(1, int(form>>2%64)*2-50))
		for i := 0; i+2 < min(len(points), 90); i += 3 {
			p := [3]float32{float32(int8(points[i])), float32(int8(points[i+1])), float32(int8(points[i+2]))}
			for a := range 3 {
				if p[a] *= scale; points[i+a] == 0x80 {
					p[a] = float32(math.NaN())
				}
			}
			s.corners = append(s.corners, p)
		}
		for i := 0; i+2 < min(len(indices), 90); i += 3 {
			s.triangles = append(s.triangles, [3]int32{int32(int8(indices[i])), int32(int8(indices[i+1])), int32(int8(indices[i+2]))})
		}
		m, err := occlude.NewMesh(s.corners, s.triangles)
		if err != nil {
			return
		}
		if c := m.Counts(); c.Triangles+c.Degenerate != len(s.triangles) || c.Corners > len(s.corners) {
			t.Fatalf("%+v", c)
		}
		kind := kinds[int(form)%len(kinds)]
		if kind == "origin" && scale < 0x1p-8 {
			return // 2^-30, the rounding of a matrix about an origin at 4e6, moves the near plane
		}
		culler := newCuller(t, occlude.Config{Width: 16, Height: 9})
		v := viewOf(kind, [3]float64{-60 * float64(scale), 3 * float64(scale), 1 * float64(scale)}, [3]float64{1, 0.01, 0.02}, 1.5, 1, float64(scale), 500*float64(scale))
		if v.look(culler) != nil {
			return
		}
		culler.DrawMesh(m, linear.Transform{})
		var c tally
		rng := testkit.Rand(1)
		c.checkMesh(t, rng, culler, s.placed(linear.Transform{}), s.triangles, nearOf(culler, &v))
	})
}
