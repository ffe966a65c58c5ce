package occlude_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

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
	for round := range testkit.Budget(t, 100, 20_000) {
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
	for round := range testkit.Budget(t, 50, 10_000) {
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
