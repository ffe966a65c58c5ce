package occlude_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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
	panics(t, "DrawMesh before SetCamera", func() { blind.DrawMesh(&occlude.Mesh{}, linear.Transform{}) })
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

// sameWithoutParts draws a mesh with the parts outside the picture, and without them, and compares the
// pictures.
func sameWithoutParts(t *testing.T, culler *occlude.Culler, v *view, m *occlude.Mesh, transform linear.Transform) (parts, kept int) {
	t.Helper()
	var pictures [2][]byte
	for i, m := range []*occlude.Mesh{m.Whole(), m} {
		testkit.Must(t, v.look(culler))
		culler.DrawMesh(m, transform)
		pictures[i] = bytesOf(culler)
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		t.Error("the picture differs if parts are left out")
	}
	return culler.KeptParts()
}

// Rejected parts change nothing: surfaces of all kinds and of many parts, closed and open, about the camera
// and before it, under any transform.
func TestPartsOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	parts, kept := map[string]int{}, map[string]int{}
	all := append([]string{"grid", "sphere", "terrain"}, kinds...)
	little := func(of string) bool { return kept[of] == 0 || kept[of] >= parts[of] }
	rounds := testkit.Budget(t, 500, 100_000)
	for round := 0; round < rounds || round < 10*rounds && slices.ContainsFunc(all, little); round++ {
		kind := kinds[round%len(kinds)]
		s := randomSurface(rng, []float64{1, 8, 40}[rng.IntN(3)])
		if rng.IntN(2) == 0 {
			size, turn := 0.5+2*rng.Float64(), rng.Float64()
			s = gridMesh(16, func(i, j int) [3]float32 {
				x, y := size*float64(i-8), size*float64(j-8)
				return [3]float32{float32(x - turn*y), float32(y + turn*x), float32(rng.Float64())}
			})
			s.name = "grid"
		}
		at := [3]float64{rng.NormFloat64() * 10, rng.NormFloat64() * 10, rng.NormFloat64()}
		transform := randomTransform(t, rng, at)
		if round%4 == 0 {
			transform = linear.Transform{}
		}
		v := randomView(rng, kind, [3]float64{rng.NormFloat64() * 10, rng.NormFloat64() * 10, rng.NormFloat64() * 5}, at, []float64{0.01, 1, 8}[rng.IntN(3)], 200)
		culler := newCuller(t, occlude.Config{Width: 48, Height: 27})
		n, k := sameWithoutParts(t, culler, &v, s.mesh(t), transform)
		if t.Failed() {
			t.Fatalf("round %d, %s, %s under %v", round, kind, s.name, transform.Rows())
		}
		for _, of := range []string{kind, s.name} {
			parts[of], kept[of] = parts[of]+n, kept[of]+k
		}
	}
	t.Log(kept, "of", parts)
	for _, of := range all {
		if little(of) {
			t.Errorf("of %s %d of %d parts are kept: this tests nothing", of, kept[of], parts[of])
		}
	}
}

// Strips, each of which is a part, end at the border of the picture, or outside by the error bound of a
// corner on the grid. A strip that touches a pixel is drawn; one that is a pixel outside, or before the
// near plane, is not.
func TestStripsBesidePictures(t *testing.T) {
	const width, height = 64, 36
	rng := testkit.Rand(testkit.Seed(t))
	left := 0
	for round := range testkit.Budget(t, testkit.Again(100, 25), 20_000) {
		across := round&1 == 0
		length := float64(height)
		if across {
			length = width
		}
		// The border of a pixel is a unit wide at distance 32, and the strips are across it.
		beside := []float64{0, 1e-3, 2e-3, 4e-3, 2e-2, 1. / 16, 0.2, 1.5}[rng.IntN(8)] * float64(rng.IntN(3)-1)
		sign := float64(round>>1&1*2 - 1)
		origin := [3]float32{float32(rng.IntN(3)-1) * 1000, float32(rng.IntN(3)-1) * 1000, 0}
		s := gridMesh(32, func(i, j int) [3]float32 {
			along, over := float64(i-16)*4, sign*(length/2+beside+float64(j-16)*2)
			if !across {
				return [3]float32{origin[0] + float32(along), origin[1] + 32, float32(over)}
			}
			return [3]float32{origin[0] + float32(over), origin[1] + 32, float32(along)}
		})
		v := viewOf("camera", wide(origin), [3]float64{0, 1, 0}, 2*math.Atan(height/2/32.), float64(width)/height, 0.1, 1000)
		culler := newCuller(t, occlude.Config{Width: width, Height: height})
		n, k := sameWithoutParts(t, culler, &v, s.mesh(t), linear.Transform{})
		if t.Failed() {
			t.Fatalf("round %d: across %v, %v beside, at %v", round, across, beside*sign, origin)
		}
		left += n - k
	}
	if left == 0 {
		t.Error("no part is left out")
	}
	// A wall, and a floor whose strips are one behind the other, on both sides of the near plane.
	left = 0
	for round := range testkit.Budget(t, testkit.Again(50, 12), 10_000) {
		near := 10 + float64(rng.IntN(7)-3)*[]float64{0, 1e-6, 1e-4, 1e-3, 1}[rng.IntN(5)]
		s := gridMesh(32, func(i, j int) [3]float32 {
			if round%2 == 0 { // a wall in the near plane, about
				return [3]float32{float32(i - 16), 10, float32(j - 16)}
			}
			return [3]float32{float32(i-16) * 4, float32(j - 10), -3}
		})
		v := viewOf("camera", [3]float64{}, [3]float64{0, 1, 0}, 1, 16./9, near, 1000)
		culler := newCuller(t, occlude.Config{Width: width, Height: height})
		n, k := sameWithoutParts(t, culler, &v, s.mesh(t), linear.Transform{})
		if t.Failed() {
			t.Fatalf("a near plane at %v", near)
		}
		left += n - k
	}
	if left == 0 {
		t.Error("no part is left out before the near plane")
	}
}

// For a closed mesh around the viewpoint the sides seen from within are drawn, although the parts that
// decide this are rejected.
func TestPartsOfClosedMeshes(t *testing.T) {
	var cube surface // of faces of two parts each
	for face := range 6 {
		s := gridMesh(8, func(i, j int) (p [3]float32) {
			a := face % 3
			p[a], p[(a+1)%3], p[(a+2)%3] = float32(face/3*18-9), float32(i-4)*9/4, float32(j-4)*9/4
			return p
		})
		n := int32(len(cube.corners))
		cube.corners = append(cube.corners, s.corners...)
		for _, k := range s.triangles {
			cube.triangles = append(cube.triangles, [3]int32{k[0] + n, k[1] + n, k[2] + n})
		}
	}
	room := cube.mesh(t)
	if c := room.Counts(); c.BoundaryEdges+c.NonManifoldEdges > 0 {
		t.Fatalf("%+v", c)
	}
	culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
	for turn := range 4 {
		sin, cos := math.Sincos(float64(turn) * math.Pi / 2)
		camera := query.Camera{Eye: [3]float64{1, 2, 1}, Forward: [3]float64{cos, sin, 0}, Up: [3]float64{0, 0, 1}, FovY: 0.3, Aspect: 16. / 9, Near: 0.1, Far: 100}
		testkit.Must(t, culler.SetCamera(camera))
		culler.DrawMesh(room, linear.Transform{})
		if parts, kept := culler.KeptParts(); parts != 12 || kept > 2 {
			t.Errorf("turn %d: %d of %d parts are kept: more than the wall that is looked at", turn, kept, parts)
		}
		pix, width, height, stride := culler.DepthBuffer()
		if pix[height/2*stride+width/2] == 0 {
			t.Errorf("turn %d: a room about the eye covers nothing", turn)
		}
	}
}
