package occlude_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// Each term of the formulas of meshes was seen to fail a test when it was dropped:
//
//	dropped                                       caught by
//	offSteps in furthest, wrong corner there      TestMeshesThroughCorners, TestGapOfMeshes
//	offSteps in line                              TestPixelsOfMeshes
//	least corner of planes, offSteps there        TestPixelsOfMeshes, TestMeshesThroughCorners
//	8u of planes                                  TestMeshesThroughCorners
//	flatness of narrow triangles                  TestPlanesOfMeshes
//	farthest corner                               TestPixelsOfMeshes
//	rounding of depth in projection               TestCornersOfMeshes
//	rounding under a transform                    TestCornersOfMeshes
//	flatness on the grid where one side is drawn  TestSpecksOfMeshes
//	slip                                          TestMeshesInNarrowViews
//	either side of an edge of two triangles that  TestNewMesh, TestForkedSheets
//	cannot be oriented alike
//	rows of long edges by themselves              TestLongEdgesOfMeshes
//	besideBy of each side, near plane of parts    TestStripsBesidePictures
//	all corners of closed meshes                  TestPartsOfClosedMeshes
//
// Not caught: the slack of the determinant, which is less than the rounding of a projected point except in pictures
// of more than 120 degrees; the rounding in the rejection of parts, which is less than the margins of the sides and
// of the near plane except far from the origin.

// at returns the point of the ray of x, y at a depth.
func at(r *occlude.Rays, x, y, depth float64) (p [3]float32) {
	for a := range 3 {
		across := x*r.DX[a] + y*r.DY[a]
		if r.Parallel {
			p[a] = float32(r.Ref[a] + across + depth*r.D0[a])
		} else {
			p[a] = float32(r.Ref[a] + depth*(across+r.D0[a]))
		}
	}
	return p
}

// Edges pass by corners of pixels at distances about the grid's rounding of corners, and triangles have all
// slopes of depth, also triangles seen edge-on.
func TestMeshesThroughCorners(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 3000, 300_000) {
		culler := newCuller(t, occlude.Config{Width: 8, Height: 6})
		kind := kinds[round%len(kinds)]
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, [3]float64{9, 1, 2}, 0.01, 50)
		testkit.Must(t, v.look(culler))
		rays := culler.Rays()
		x, y := float64(1+rng.IntN(7)), float64(1+rng.IntN(5))
		step := func() float64 { return rng.NormFloat64() * []float64{0, 1e-4, 2e-3, 1e-2}[rng.IntN(4)] }
		angle := rng.Float64() * 2 * math.Pi
		if rng.IntN(3) == 0 {
			angle = math.Pi / 2 * float64(rng.IntN(4))
		}
		sin, cos := math.Sincos(angle)
		depth := func() float64 { return 3 * math.Exp(rng.NormFloat64()*[]float64{0, 0.3, 1}[rng.IntN(3)]) }
		p, q := 2+rng.Float64()*20, 2+rng.Float64()*20
		var s surface
		s.corners = [][3]float32{
			at(&rays, x+p*cos+step(), y+p*sin+step(), depth()),
			at(&rays, x-q*cos+step(), y-q*sin+step(), depth()),
			at(&rays, x-p*sin+step(), y+p*cos+step(), depth()),
		}
		s.triangles = [][3]int32{{0, 1, 2}}
		if rng.IntN(2) == 0 { // another on the edge: on the other side of it, or folded back
			side := float64(rng.IntN(2)*2-1) * []float64{1, 1e-3, 1e-2}[rng.IntN(3)]
			s.corners = append(s.corners, at(&rays, x+side*p*sin+step(), y-side*p*cos+step(), depth()))
			s.triangles = append(s.triangles, [3]int32{0, 1, 3})
		}
		culler.DrawMesh(s.mesh(t), linear.Transform{})
		if !c.checkMesh(t, rng, culler, s.placed(linear.Transform{}), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s: %v", round, kind, s.corners)
		}
	}
	if c.pixels < 1000 {
		t.Errorf("only %d pixels", c.pixels)
	}
}

// Edges of up to 2^19 pixels cross the picture, whose numbers do not all fit into 32 bits.
func TestLongEdgesOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 1000, 100_000) {
		culler := newCuller(t, occlude.Config{Width: 20, Height: 17})
		kind := kinds[round%len(kinds)]
		v := randomView(rng, kind, [3]float64{}, [3]float64{9, 1, 2}, 1e-9, 50)
		testkit.Must(t, v.look(culler))
		rays := culler.Rays()
		x, y := 20*rng.Float64(), 17*rng.Float64()
		sin, cos := math.Sincos(rng.Float64() * 2 * math.Pi)
		far := func() float64 { return math.Ldexp(1, 6+rng.IntN(14)) }
		p, q, r := far(), far(), far()
		s := surface{corners: [][3]float32{
			at(&rays, x+p*cos, y+p*sin, 3), at(&rays, x-q*cos, y-q*sin, 3), at(&rays, x-r*sin, y+r*cos, 3),
		}, triangles: [][3]int32{{0, 1, 2}}}
		culler.DrawMesh(s.mesh(t), linear.Transform{})
		if !c.checkMesh(t, rng, culler, s.placed(linear.Transform{}), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s: %v", round, kind, s.corners)
		}
	}
	t.Logf("%d pixels", c.pixels)
	if c.pixels < 10_000 {
		t.Errorf("only %d pixels", c.pixels)
	}
}

// Where float64 lacks the digits for a narrow picture, nothing is drawn.
func TestMeshesInNarrowViews(t *testing.T) {
	s := surface{triangles: [][3]int32{{0, 1, 2}, {2, 1, 3}}}
	for i := range 4 {
		s.corners = append(s.corners, [3]float32{float32(i&1*8 - 4), float32(i>>1*8 - 4), float32(i)})
	}
	m := s.mesh(t)
	for fov, want := range map[float64]bool{1e-1: true, 1e-5: true, 1e-12: false, 1e-13: false} {
		culler := newCuller(t, occlude.Config{Width: 12, Height: 9})
		camera := query.Camera{Eye: [3]float64{31, 17, 90}, Forward: [3]float64{-30.6, -16.5, -88.5}, Up: [3]float64{0.1, 0.2, 1}, FovY: fov, Aspect: 4. / 3, Near: 0.1, Far: 1e4}
		if err := culler.SetCamera(camera); err != nil {
			t.Fatal(fov, err)
		}
		// The corners are close to the picture, within the necessary number of pixels.
		size := 100 * fov
		transform, err := linear.NewTransform([12]float64{size, 0, 0, 0.4, 0, size, 0, 0.5, 0, 0, size, 1.5})
		testkit.Must(t, err)
		culler.DrawMesh(m, transform)
		pix, _, _, _ := culler.DepthBuffer()
		drawn := false
		for _, v := range pix {
			drawn = drawn || v > 0
		}
		if drawn != want {
			t.Errorf("field of view %v: drawn %v, want %v", fov, drawn, want)
		}
	}
}

// The part of a mesh before the near plane is clipped, and its neighbours end there.
func TestMeshesThroughNearPlane(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 50, 20_000) {
		kind := kinds[round%len(kinds)]
		culler := newCuller(t, occlude.Config{Width: 24, Height: 16})
		near := 5.0
		v := randomView(rng, kind, [3]float64{}, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, near, 100)
		testkit.Must(t, v.look(culler))
		s := randomSurface(rng, 4)
		transform := randomTransform(t, rng, [3]float64{v.dir[0] * near * 1.5, v.dir[1] * near * 1.5, v.dir[2] * near * 1.5})
		culler.DrawMesh(s.mesh(t), transform)
		if !c.checkMesh(t, rng, culler, s.placed(transform), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("%s, %s", kind, s.name)
		}
	}
	if c.pixels < 500 {
		t.Errorf("only %d pixels", c.pixels)
	}
}

// sheet is a wall across y at a distance, of cells of 1, from x = left to right and z = -20 to 20.
func sheet(left, right float32, y float32) (s surface) {
	const n = 8
	return gridMesh(n, func(i, j int) [3]float32 {
		return [3]float32{left + (right-left)*float32(i)/n, y, float32(j)*40/n - 20}
	})
}

// Through a gap between two sheets of 0 to 3 pixels, in steps of a thousandth, objects behind are visible:
// a sheet of two parts that share corners has no gap.
func TestGapOfMeshes(t *testing.T) {
	culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
	behind := soa.AABB{Min: [3]float32{-9, 100, -5}, Max: [3]float32{9, 101, 5}}
	aside := soa.AABB{Min: [3]float32{-40, 100, -5}, Max: [3]float32{-30, 101, 5}}
	draw := func(all ...surface) {
		// A pixel is a unit wide at distance 32.
		testkit.Must(t, culler.SetCamera(query.Camera{Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}, FovY: 2 * math.Atan(18./32), Aspect: 64. / 36, Near: 0.1, Far: 1000}))
		for _, s := range all {
			culler.DrawMesh(s.mesh(t), linear.Transform{})
		}
	}
	for step := 0; step <= 3000; step += testkit.Budget(t, 5, 1) {
		gap, at := float32(step)/1000, float32(step%7)/3
		left, right := sheet(-60, at, 32), sheet(at+gap, 60, 32)
		if step%2 == 0 { // one mesh
			n := int32(len(left.corners))
			left.corners = append(left.corners, right.corners...)
			for _, k := range right.triangles {
				left.triangles = append(left.triangles, [3]int32{k[0] + n, k[1] + n, k[2] + n})
			}
			draw(left)
		} else {
			draw(left, right)
		}
		if visible := !culler.Occluded(behind); visible != (gap > 0 || step%2 != 0) {
			t.Fatalf("a gap of %v pixels at %v: what is behind is visible: %v", gap, at, visible)
		}
		if !culler.Occluded(aside) {
			t.Fatalf("a gap of %v pixels at %v opens the sheet beside it", gap, at)
		}
	}
}

// A sheet hides from both sides, and so does a closed mesh, by its visible side, under any rotation or
// mirroring, and from within.
func TestSidesOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for round := range 200 {
		ball := randomSurface(rng, 1)
		for ball.name != "sphere" {
			ball = randomSurface(rng, 1)
		}
		transform := linear.Transform{}
		if rng.IntN(2) == 0 {
			transform, _ = linear.NewTransform([12]float64{-10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0})
		} else {
			transform, _ = linear.NewTransform([12]float64{10, 0, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0})
		}
		kind := kinds[round%len(kinds)]
		v := viewOf(kind, [3]float64{0, -40, 0}, [3]float64{0, 1, 0}, 0.9, 1, 1, 90)
		culler := newCuller(t, occlude.Config{Width: 64, Height: 64})
		testkit.Must(t, v.look(culler))
		culler.DrawMesh(ball.mesh(t), transform)
		if inside := testkit.CubeAt([3]float32{0, 0, 0}, 1); !culler.Occluded(inside) && kind != "off-centre" {
			t.Fatalf("%s: a box in a ball is not hidden", kind)
		}
		v = viewOf("camera", [3]float64{}, [3]float64{rng.NormFloat64(), 1, 0}, 0.9, 1, 1, 90)
		testkit.Must(t, v.look(culler))
		culler.DrawMesh(ball.mesh(t), transform)
		if outside := testkit.CubeAt([3]float32{float32(20 * v.dir[0]), float32(20 * v.dir[1]), 0}, 1); !culler.Occluded(outside) {
			t.Fatalf("a box outside a ball is seen from within")
		}
	}
}

// An object that a ray reaches before all meshes and boxes is visible.
func TestContractOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	hidden, met := 0, 0
	for round := range testkit.Budget(t, testkit.Again(6, 2), 300) {
		objects := town(rng, 0, 800, 150)
		bodies := bodiesOf(objects)
		tree := plant(t, objects, linear.Config{})
		kind := kinds[round%len(kinds)]
		v := randomView(rng, kind, [3]float64{rng.Float64() * 150, -20, 6}, [3]float64{rng.Float64() * 150, 70, 3}, 0.5, 300)
		culler := newCuller(t, occlude.Config{Width: 128, Height: 72})
		testkit.Must(t, v.look(culler))
		var corners [][3]float64
		var triangles [][3]int32
		for range 6 {
			s := randomSurface(rng, 12)
			transform := randomTransform(t, rng, [3]float64{rng.Float64() * 150, rng.Float64() * 150, 3})
			culler.DrawMesh(s.mesh(t), transform)
			n := int32(len(corners))
			corners = append(corners, s.placed(transform)...)
			for _, k := range s.triangles {
				triangles = append(triangles, [3]int32{k[0] + n, k[1] + n, k[2] + n})
			}
		}
		visible := setOf(culler.Append(nil, tree.View(), query.Filter{}))
		all := culler.Frustum().Append(nil, tree.View(), query.Filter{})
		hidden += len(all) - len(visible)
		rays, near := culler.Rays(), nearOf(culler, &v)
		for range 300 {
			r := ray{&rays, rng.Float64() * float64(rays.Width), rng.Float64() * float64(rays.Height)}
			first := r.passes(corners, triangles, near)
			if !rays.Parallel {
				first = 1 / first // -0 if there is none
			} else {
				first = -first
			}
			for _, i := range all {
				in, out, ok := r.meets(&bodies[i])
				if !ok || out < near || first > 0 && max(in, near) > first-1e-9 {
					continue
				}
				if met++; !visible[i] {
					t.Fatalf("round %d, %s: the ray through %v, %v meets object %d at %v, the meshes at %v", round, kind, r.x, r.y, i, in, first)
				}
			}
		}
	}
	t.Logf("%d hidden, %d meetings", hidden, met)
	if hidden == 0 || met == 0 {
		t.Error("this tests nothing")
	}
}
