package occlude_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// Random occluders do not reveal all terms of the formulas: these tests are built for one or a few terms. Each was
// visible to fail when the term was dropped:
//
//	dropped                                  caught by
//	max(m, 0) of left lines, min(m, 0)       TestPixelsOfBoxes, TestPixelsOfHulls
//	8u of lines                              TestEdgesThroughCorners
//	2^-49 of edges, off of lines             TestNarrowViews
//	level lines: width, rounding, off        TestLevelLines
//	least corner of planes, 8u of planes     TestPixelsOfBoxes, TestPixelsOfHulls
//	2^-120 of planes                         TestFarOccluders
//	the innermost corner, mirroring          TestBentHulls, TestHullOfBox
//	slack of the limit, the limit            TestPixelsOfBoxes, TestNearPlane
//	limits in the loops of 1, 2, 3 planes    TestPixelsOfBoxes, TestPixelsOfHulls
//	EX, EY, EW, ET, Lo           asm: TestRectangles
//	w0 for w, columns, ends, strictness      asm: TestRectangles, TestHides; TestGap, TestTouching
//	minima at the border of levels           asm: TestPyramid
//	checks of remembered occluders           TestStaleMemory, TestAllOccludersMove
//
// Not caught: the rounding of a hull under a transform, hullPoints.off in depths, and the error of g. They are less
// than 8u except where a corner is nearer to the viewpoint, or a hull smaller, than a millionth of the coordinates.

// The silhouette of a box passes through a corner of a pixel, to the last digit of float32: sometimes on
// this side, sometimes on the other.
func TestEdgesThroughCorners(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
	drawn := 0
	for range testkit.Budget(t, 2000, 100_000) {
		kind := kinds[rng.IntN(len(kinds))]
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()},
			[3]float64{50 * rng.NormFloat64(), 50 * rng.NormFloat64(), 20 * rng.NormFloat64()}, 0.1, 1e3)
		testkit.Must(t, v.look(culler))
		rays := culler.Rays()
		x, y := float64(1+rng.IntN(62)), float64(1+rng.IntN(34))
		depth := 5 + rng.Float64()*40
		b := solidBox(rng, [3]float64{}, 20)
		for a := range 3 { // a corner of the box is on the ray, so three edges pass by the corner of the pixel
			p := rays.Ref[a] + x*rays.DX[a] + y*rays.DY[a] + depth*rays.D0[a]
			if !rays.Parallel {
				p = rays.Ref[a] + depth*(x*rays.DX[a]+y*rays.DY[a]+rays.D0[a])
			}
			size := b.Max[a] - b.Min[a]
			if b.Min[a] = float32(p); rng.IntN(2) == 0 {
				b.Min[a] = float32(p) - size
			}
			b.Max[a] = b.Min[a] + size
		}
		if b.Check() != nil {
			continue
		}
		testkit.Must(t, culler.DrawBoxes(b))
		drawn += around(t, culler, boxBody(b), int(x), int(y), nearOf(culler, &v))
		if t.Failed() {
			t.Fatalf("%s, box %v", kind, b)
		}
	}
	if drawn < 100 {
		t.Errorf("%d pixels were drawn", drawn)
	}
}

// around checks the corners of the four pixels around a point, and returns how many are drawn.
func around(t *testing.T, culler *occlude.Culler, s body, x, y int, near float64) (drawn int) {
	t.Helper()
	pix, _, _, stride := culler.DepthBuffer()
	rays := culler.Rays()
	for k := range 4 {
		px, py := x-k&1, y-k>>1
		v := float64(pix[py*stride+px])
		if v == 0 && !rays.Parallel || math.IsInf(v, -1) {
			continue
		}
		drawn++
		for c := range 4 {
			r := ray{&rays, float64(px + c&1), float64(py + c>>1)}
			if ok, _ := r.stops(&s, v, near); !ok {
				t.Errorf("pixel %d, %d holds %v, but its ray through %v, %v does not enter the solid by then", px, py, v, r.x, r.y)
			}
		}
	}
	return drawn
}

// Where the picture is so narrow that float64 has few digits left for it, occluders are drawn smaller, or
// not at all, but never larger.
func TestNarrowViews(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 200, 20_000) {
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
		fov := math.Pow(10, -11.5-2*rng.Float64())
		from := [3]float64{rng.NormFloat64() * 30, rng.NormFloat64() * 30, rng.NormFloat64() * 10}
		if round%4 >= 2 { // a hull, small for its distance: so are the products of its corners
			for a := range 3 {
				from[a] *= 100
			}
		}
		box := solidBox(rng, [3]float64{}, 3)
		var at [3]float64 // on an edge
		for a := range 3 {
			at[a] = []float64{float64(box.Min[a]), float64(box.Max[a])}[rng.IntN(2)]
		}
		along := rng.IntN(3)
		at[along] = float64(box.Min[along]) + rng.Float64()*float64(box.Max[along]-box.Min[along])
		dir := [3]float64{at[0] - from[0], at[1] - from[1], at[2] - from[2]}
		var err error
		if round%2 == 0 {
			err = culler.SetCamera(query.Camera{Eye: from, Forward: dir, Up: [3]float64{0.1, 0.2, 1}, FovY: fov, Aspect: 16. / 9, Near: 0.1, Far: 1e3})
		} else {
			err = viewOf("parallel", from, dir, fov, 16./9, 0.1, 1e3).lookExactly(culler)
		}
		if err != nil {
			continue // too narrow for a lens
		}
		var s body
		if round%4 < 2 {
			s = boxBody(box)
			culler.DrawBoxes(box)
		} else {
			shape := randomShape(t, rng)
			transform, err := linear.NewTransform([12]float64{1, 0, 0, at[0] - float64(shape.corners[0][0]), 0, 1, 0, at[1] - float64(shape.corners[0][1]), 0, 0, 1, at[2] - float64(shape.corners[0][2])})
			testkit.Must(t, err)
			s = shape.body(transform)
			culler.DrawHulls([]occlude.Hull{shape.hull}, []linear.Transform{transform})
			if len(shape.faces) == 2 {
				continue // the oracle is no better
			}
		}
		near := -1e-3
		if round%2 == 0 {
			near = 0.09
		}
		if !c.border(t, culler, &s, near) {
			t.Fatalf("round %d, field of view %v from %v, box %v", round, fov, from, box)
		}
	}
	t.Logf("%d rays through %d pixels", c.rays, c.pixels)
	if c.pixels < 100 {
		t.Errorf("only %d pixels", c.pixels)
	}
}

// lookExactly sets the camera from a matrix in float64.
func (v view) lookExactly(e *occlude.Culler) error {
	return e.SetViewProjectionColumnMajor64(v.wide, query.ClipZeroToOne, [3]float64{})
}

// Edges that are level on the picture, or nearly so, and at the border of a row.
func TestLevelLines(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 150, 40_000) {
		culler := newCuller(t, occlude.Config{Width: 640, Height: 16})
		from := [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
		roll := []float64{0, 1e-7, -1e-7, 3e-7, 1e-13}[rng.IntN(5)]
		fov := []float64{0.02, 1e-12}[rng.IntN(2)]
		camera := query.Camera{Eye: from, Forward: [3]float64{1, 0, float64(rng.IntN(3)-1) * rng.Float64()}, Up: [3]float64{0, roll, 1}, FovY: fov, Aspect: 40, Near: 0.1, Far: 1e4}
		testkit.Must(t, culler.SetCamera(camera))
		rays := culler.Rays()
		// the viewpoint moves until an edge of a box across the view is at the border of row y in float64
		y, depth := float64(1+rng.IntN(14)), float64(50+rng.IntN(50))
		b := soa.AABB{Min: [3]float32{0, -1e4, 0}, Max: [3]float32{0, 1e4, 0}}
		for a := 0; a < 3; a += 2 {
			p := from[a] + depth*(rays.D0[a]+y*rays.DY[a])
			b.Min[a], b.Max[a] = float32(p), float32(p)
			if camera.Eye[a] += float64(float32(p)) - p; rng.IntN(2) == 0 {
				b.Min[a] -= 5
			} else {
				b.Max[a] += 5
			}
		}
		testkit.Must(t, culler.SetCamera(camera))
		culler.DrawBoxes(b)
		s := boxBody(b)
		if c.rays += 8; !func() bool {
			rays := culler.Rays()
			pix, width, height, stride := culler.DepthBuffer()
			for row := range height {
				for _, col := range []int{0, width - 1} {
					v := float64(pix[row*stride+col])
					if v == 0 {
						continue
					}
					c.pixels++
					for k := range 4 {
						r := ray{&rays, float64(col + k&1), float64(row + k>>1)}
						if ok, _ := r.stops(&s, v, 0.09); !ok {
							t.Errorf("pixel %d, %d holds %v, but its ray through %v, %v does not enter the solid", col, row, v, r.x, r.y)
							return false
						}
					}
				}
			}
			return true
		}() {
			t.Fatalf("round %d: eye %v, roll %v, field of view %v, box %v", round, camera.Eye, roll, fov, b)
		}
	}
	if c.pixels < 200 {
		t.Errorf("only %d pixels", c.pixels)
	}
}

// Depths that are nearly denormal.
func TestFarOccluders(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	pixels := 0
	for round := range 40 {
		culler := newCuller(t, occlude.Config{Width: 512, Height: 8})
		camera := query.Camera{Forward: [3]float64{1, 0.3, 0.1}, Up: [3]float64{0, 0, 1}, FovY: 0.5, Aspect: 3, Near: 1, Far: math.Inf(1)}
		testkit.Must(t, culler.SetCamera(camera))
		d := float32(math.Pow(10, 30+8*rng.Float64()))
		b := soa.AABB{Min: [3]float32{d, -d * 2, -d * 2}, Max: [3]float32{d * 1.01, d * 2, d * 2}}
		if round%2 == 0 {
			b = soa.AABB{Min: [3]float32{-d, d * 0.3, -d}, Max: [3]float32{d * 2, d * 0.4, d}}
		}
		culler.DrawBoxes(b)
		var c tally
		s := boxBody(b)
		if !c.check(t, rng, culler, &s, 0.9) {
			t.Fatalf("box %v", b)
		}
		pixels += c.pixels
	}
	if pixels == 0 {
		t.Error("nothing was drawn")
	}
}

// A face whose corners are not quite on a plane is as far inside as the innermost of them.
func TestBentHulls(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	pixels := 0
	for range 200 {
		dent := float32(1 - 0x1p-20*rng.Float64())
		corners := [][3]float32{}
		for i := range 8 {
			c := [3]float32{float32(i&1*2 - 1), float32(i&2 - 1), float32(i >> 2 & 1 * 2)}
			if c[2]--; rng.IntN(3) == 0 {
				c[2] *= dent
			}
			corners = append(corners, c)
		}
		hull, err := occlude.NewHull(corners, boxFaces)
		testkit.Must(t, err)
		culler := newCuller(t, occlude.Config{Width: 8, Height: 8})
		// From near by along z: the depth is that of the dent.
		v := viewOf("camera", [3]float64{0, 0, -1.0001}, [3]float64{0, 0.001, 1}, 0.9, 1, 1e-6, 100)
		testkit.Must(t, v.look(culler))
		culler.DrawHulls([]occlude.Hull{hull}, nil)
		rays := culler.Rays()
		pix, width, height, stride := culler.DepthBuffer()
		for y := range height {
			for x := range width {
				v := float64(pix[y*stride+x])
				if v == 0 {
					continue
				}
				pixels++
				for k := range 4 {
					if depth := entry(&rays, float64(x+k&1), float64(y+k>>1), corners); v*depth > 1+1e-12 {
						t.Fatalf("a pixel holds %v, a ray enters at depth %v, or 1/%v\n%v", v, depth, 1/depth, corners)
					}
				}
			}
		}
	}
	if pixels == 0 {
		t.Error("nothing was drawn")
	}
}

// entry returns the depth at which a ray enters the hull of four corners, of the face 0 1 3 2: the face is
// folded along the nearer one of its diagonals.
func entry(r *occlude.Rays, x, y float64, c [][3]float32) float64 {
	first := math.Inf(1)
	for _, tri := range [4][3]int{{0, 1, 2}, {3, 2, 1}, {0, 1, 3}, {0, 3, 2}} {
		p, q, s := wide(c[tri[0]]), wide(c[tri[1]]), wide(c[tri[2]])
		n := crossOf([3]float64{q[0] - p[0], q[1] - p[1], q[2] - p[2]}, [3]float64{s[0] - p[0], s[1] - p[1], s[2] - p[2]})
		num, den := 0.0, 0.0
		var d [3]float64
		for a := range 3 {
			d[a] = r.D0[a] + x*r.DX[a] + y*r.DY[a]
			num += n[a] * (p[a] - r.Ref[a])
			den += n[a] * d[a]
		}
		depth := num / den
		at := [2]float64{r.Ref[0] + depth*d[0], r.Ref[1] + depth*d[1]}
		inside, sign := true, math.Copysign(1, n[2])
		for i := range 3 {
			e, f := wide(c[tri[i]]), wide(c[tri[(i+1)%3]])
			inside = inside && sign*((f[0]-e[0])*(at[1]-e[1])-(f[1]-e[1])*(at[0]-e[0])) >= -1e-9
		}
		if inside {
			first = min(first, depth)
		}
	}
	return first
}

func wide(p [3]float32) [3]float64 { return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])} }

// Occluders through the near plane are drawn where they are entered beyond it, and nowhere else.
func TestNearPlane(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := range testkit.Budget(t, 200, 10_000) {
		kind := kinds[round%len(kinds)]
		culler := newCuller(t, occlude.Config{Width: 48, Height: 32})
		near := 5.0
		v := randomView(rng, kind, [3]float64{}, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, near, 100)
		testkit.Must(t, v.look(culler))
		var at [3]float64
		for a := range 3 {
			at[a] = v.dir[a]*near*(0.5+rng.Float64()) + rng.NormFloat64()
		}
		b := solidBox(rng, at, 3)
		culler.DrawBoxes(b)
		s := boxBody(b)
		if !c.check(t, rng, culler, &s, nearOf(culler, &v)) {
			t.Fatalf("%s, box %v", kind, b)
		}
	}
	if c.pixels < 1000 {
		t.Errorf("only %d pixels", c.pixels)
	}
	// The viewpoint in a box, on its face, on its edge, in the plane of a face.
	for _, b := range []soa.AABB{
		testkit.CubeAt([3]float32{}, 3), {Min: [3]float32{0, -1, -1}, Max: [3]float32{2, 1, 1}}, {Min: [3]float32{0, 0, -1}, Max: [3]float32{2, 1, 1}},
		{Min: [3]float32{0, 0, 0}, Max: [3]float32{2, 1, 1}}, {Min: [3]float32{0, 0, 0}, Max: [3]float32{0, 0, 0}}, {Min: [3]float32{0, -1, -1}, Max: [3]float32{0, 1, 1}},
		{Min: [3]float32{1, 0, -1}, Max: [3]float32{2, 0, 1}},
	} {
		culler := newCuller(t, occlude.Config{Width: 48, Height: 32})
		testkit.Must(t, culler.SetCamera(query.Camera{Forward: [3]float64{1, 0.2, 0.1}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.5, Near: 0, Far: 10}))
		culler.DrawBoxes(b)
		s, c := boxBody(b), tally{}
		if !c.check(t, rng, culler, &s, 0) || c.pixels > 0 && b.Min[0] <= 0 {
			t.Errorf("box %v: %d pixels", b, c.pixels)
		}
	}
}

// Two occluders with a narrow gap between them never hide objects behind it, at any resolution (compare
// Godot's issue 53288, culling at sampled pixels). Without a gap they do, when they overlap by a pixel.
func TestGap(t *testing.T) {
	every := testkit.Budget(t, 10, 1)
	for step := 0; step <= 3000; step += every {
		gap := float64(step) / 1000 // in pixels
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36, OccluderMask: walls, MinPixels: 1})
		// A pixel is a unit wide at distance 32.
		testkit.Must(t, culler.SetCamera(query.Camera{Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}, FovY: 2 * math.Atan(18./32), Aspect: 64. / 36, Near: 0.1, Far: 1000}))
		at := float32(step%7) / 3
		objects := []soa.Object{
			{Mask: walls, Box: soa.AABB{Min: [3]float32{-60, 32, -60}, Max: [3]float32{at, 33, 60}}},
			{Mask: walls, Box: soa.AABB{Min: [3]float32{at + float32(gap), 32, -60}, Max: [3]float32{60, 33, 60}}},
			{Box: soa.AABB{Min: [3]float32{-40, 100, -5}, Max: [3]float32{40, 101, 5}}},
			{Box: soa.AABB{Min: [3]float32{-40, 100, -5}, Max: [3]float32{-30, 101, 5}}},
		}
		tree := plant(t, objects, linear.Config{})
		visible := setOf(culler.Append(nil, tree.View(), query.Filter{}))
		if !visible[2] {
			t.Fatalf("a gap of %v pixels at %v is closed", gap, at)
		}
		if visible[3] {
			t.Fatalf("a gap of %v pixels at %v opens the wall beside it", gap, at)
		}
	}
	culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
	testkit.Must(t, culler.SetCamera(query.Camera{Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 64. / 36, Near: 0.1, Far: 1000}))
	culler.DrawBoxes(soa.AABB{Min: [3]float32{-60, 32, -60}, Max: [3]float32{1, 33, 60}}, soa.AABB{Min: [3]float32{-1, 32, -60}, Max: [3]float32{60, 33, 60}})
	if !culler.Occluded(soa.AABB{Min: [3]float32{-40, 100, -5}, Max: [3]float32{40, 101, 5}}) {
		t.Error("two walls that overlap by two pixels do not hide")
	}
}

// An object that touches an occluder from behind is hidden only if it is strictly behind; an occluder hides
// neither itself nor objects on its face.
func TestTouching(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for round := range 500 {
		culler := newCuller(t, occlude.Config{Width: 128, Height: 72})
		v := randomView(rng, kinds[round%len(kinds)], [3]float64{rng.NormFloat64() * 30, -40, rng.NormFloat64() * 10}, [3]float64{}, 0.1, 1000)
		testkit.Must(t, v.look(culler))
		wall := soa.AABB{Min: [3]float32{-30, -1, -30}, Max: [3]float32{30, 1, 30}}
		culler.DrawBoxes(wall)
		decal := soa.AABB{Min: [3]float32{-2, -1, -2}, Max: [3]float32{2, -1, 2}}
		if culler.Occluded(wall) || culler.Occluded(decal) {
			t.Fatalf("%s: the wall hides itself, or what is on it: %v %v", v.kind, culler.Occluded(wall), culler.Occluded(decal))
		}
	}
}

// twoColumns is a culler at the origin. The last row of its matrix is w*x, and its picture has the columns
// 0 and 1 of y/x; a box covers the first one.
func twoColumns(t *testing.T, w float32) *occlude.Culler {
	t.Helper()
	culler := newCuller(t, occlude.Config{Width: 2, Height: 1})
	err := culler.SetViewProjectionRowMajor([16]float32{
		-w, w, 0, 0,
		0, 0, w, 0,
		0, 0, 0, w,
		w, 0, 0, 0,
	}, query.ClipReversedZ|query.ClipInfiniteFar)
	testkit.Must(t, err)
	culler.DrawBoxes(soa.AABB{Min: [3]float32{10, -90, -90}, Max: [3]float32{11, 10.2, 90}})
	return culler
}

// For a box so far away that a depth in the unit of the matrix is beyond float32, the rectangle is correct.
func TestFarBoxes(t *testing.T) {
	for _, w := range []float32{0.25, 0.9, 1, 1.5, 2, 3.9, 4, 8} {
		culler := twoColumns(t, w)
		for _, far := range []float32{1e3, 1e20, 0.5e38, 0.875e38, 1e38} {
			box := soa.AABB{Min: [3]float32{far, 0.4 * far, 0}, Max: [3]float32{far, 1.4 * far, 0}}
			if culler.Occluded(box) {
				t.Errorf("w %v, far %v: a box of two columns is hidden by a solid in one", w, far)
			}
			if box.Max[1] = 0.9 * far; !culler.Occluded(box) && far < 1e30 {
				t.Errorf("w %v, far %v: a box of one column is not hidden", w, far)
			}
		}
	}
}

// In a sheared part the terms of a depth are beyond float32, and the depth is not.
func TestFarBoxesInParts(t *testing.T) {
	const s = 1 << 40
	transform, err := linear.NewTransform([12]float64{1.6 * s, 0.3 * s, -1.4 * s, 0, 0, 1.45 * s, -s, 0, 0, 0, s / 4, 0})
	testkit.Must(t, err)
	for _, far := range []float32{1e10, 1e30, 1e37, 1e38} {
		at, half := 2*far/s, 0.345*far/s
		part := plant(t, []soa.Object{{Mask: 2, Box: soa.AABB{Min: [3]float32{at, at - half, at}, Max: [3]float32{at, at + half, at}}}}, linear.Config{})
		scene := newScene(t)
		place(t, scene, part, transform)
		culler := twoColumns(t, 1)
		if n := culler.CountScene(scene.View(), query.Filter{}); n != 1 {
			t.Errorf("far %v: %d objects of two columns are visible beside a solid in one", far, n)
		}
	}
}
