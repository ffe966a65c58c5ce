package occlude_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// Each pixel of the picture of a mesh is conservative, for surfaces and cameras of all kinds, under
// transforms of all kinds, near the origin and far from it, large and small.
func TestPixelsOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	pixels := map[string]int{}
	for round := 0; c.rays < samples(t)/3; round++ {
		kind := kinds[round%len(kinds)]
		unit, shift := 1.0, 0.0
		if kind == "camera" {
			unit = []float64{1, 1, 1e-6, 1e6}[rng.IntN(4)]
		}
		if round%5 == 4 && (kind == "camera" || kind == "origin") && unit == 1 {
			shift = 1e5
		}
		culler := newCuller(t, occlude.Config{Width: []int{64, 33}[round&1], Height: 36, Workers: 1 + round%3})
		from := [3]float64{shift + unit*rng.NormFloat64()*10, shift + unit*rng.NormFloat64()*10, unit * rng.NormFloat64() * 5}
		to := [3]float64{shift + unit*rng.NormFloat64()*3, shift + unit*rng.NormFloat64()*3, unit * rng.NormFloat64() * 3}
		near := unit * []float64{0.01, 1, 5}[rng.IntN(3)]
		far := 1e4 * unit
		if kind == "parallel" { // whose picture is as wide as it is deep
			far = 100
		}
		v := randomView(rng, kind, from, to, near, far)
		testkit.Must(t, v.look(culler))
		s := randomSurface(rng, unit*[]float64{0.5, 3, 10}[rng.IntN(3)])
		transform := randomTransform(t, rng, to)
		if round%4 == 0 {
			transform = linear.Transform{}
		}
		culler.DrawMesh(s.mesh(t), transform)
		before := c.pixels
		if !c.checkMesh(t, rng, culler, s.placed(transform), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s, %s under %v", round, kind, s.name, transform.Rows())
		}
		pixels[s.name] += c.pixels - before
		pixels[kind] += c.pixels - before
	}
	t.Logf("%d rays, pixels %v", c.rays, pixels)
	if !testkit.Long(t) {
		return
	}
	for _, kind := range append([]string{"terrain", "holes", "sphere", "tetrahedron", "soup", "fork", "strip"}, kinds...) {
		if pixels[kind] == 0 {
			t.Errorf("no pixel of %s", kind)
		}
	}
}

// An edge at which two triangles cannot be oriented alike is a border of both: neither covers pixels beyond
// it, though they are folded onto the same side.
func TestForkedSheets(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	forks := 0
	for round := range testkit.Budget(t, 300, 50_000) {
		culler := newCuller(t, occlude.Config{Width: 12, Height: 9})
		kind := kinds[round%len(kinds)]
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, [3]float64{9, 1, 2}, 0.01, 50)
		testkit.Must(t, v.look(culler))
		rays := culler.Rays()
		// A Möbius strip of five corners, anywhere on the picture.
		var s surface
		for range 5 {
			s.corners = append(s.corners, at(&rays, 12*rng.Float64(), 9*rng.Float64(), 3+0.1*rng.Float64()))
		}
		s.triangles = [][3]int32{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 0}, {4, 0, 1}}
		rng.Shuffle(len(s.triangles), func(i, k int) { s.triangles[i], s.triangles[k] = s.triangles[k], s.triangles[i] })
		m := s.mesh(t)
		forks += m.Counts().NonManifoldEdges
		culler.DrawMesh(m, linear.Transform{})
		if !c.checkMesh(t, rng, culler, s.placed(linear.Transform{}), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s: %v %v", round, kind, s.corners, s.triangles)
		}
	}
	t.Logf("%d forks, %d pixels", forks, c.pixels)
	if forks == 0 || c.pixels == 0 {
		t.Error("this tests nothing")
	}
}

// A point touches the columns whose squares are at most GridOff away from it.
func TestTouchedPixels(t *testing.T) {
	for x := int32(-1000); x <= 1000; x++ {
		x0, x1 := occlude.Touched(x)
		for n := int32(-6); n <= 6; n++ {
			left, right := n*occlude.GridSteps-occlude.GridOff, (n+1)*occlude.GridSteps+occlude.GridOff
			if want := left <= x && x <= right; want != (x0 <= n && n <= x1) {
				t.Fatalf("step %d touches columns %d to %d; column %d: %v", x, x0, x1, n, want)
			}
		}
	}
}

// The plane of a triangle is nowhere above its corners in exact arithmetic, however long and narrow it is;
// if float64 lacks the digits, the plane is flat.
func TestPlanesOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	flats, sloping := 0, 0
	for range testkit.Budget(t, 5000, 1_000_000) {
		size := 1 << (8 + rng.IntN(20))
		var c [3]occlude.MeshCorner
		for i := range c {
			c[i] = occlude.MeshCorner{X: int32(rng.IntN(size)), Y: int32(rng.IntN(size)), Depth: float32(1 + rng.Float64()*float64(rng.IntN(2)*rng.IntN(1000)))}
		}
		if rng.IntN(2) == 0 { // the third is a few steps away from the middle of the others
			c[2].X, c[2].Y = (c[0].X+c[1].X)/2+int32(rng.IntN(5)-2), (c[0].Y+c[1].Y)/2+int32(rng.IntN(5)-2)
		}
		s := int64(c[1].X-c[0].X)*int64(c[2].Y-c[0].Y) - int64(c[2].X-c[0].X)*int64(c[1].Y-c[0].Y)
		if s == 0 {
			continue
		}
		px, py, p0, flat := occlude.MeshPlane(c)
		if flat {
			flats++
			continue
		}
		sloping++
		left, top := min(c[0].X, c[1].X, c[2].X), min(c[0].Y, c[1].Y, c[2].Y)
		x0, y0 := (left-occlude.GridOff-1)>>8, (top-occlude.GridOff-1)>>8
		for i, p := range c { // in the pixel of a corner, whose depth is one of the depths in it
			x, y := float32(p.X>>8-x0), float32(p.Y>>8-y0)
			if got := float32(px*x) + (float32(py*y) + p0); got > p.Depth {
				t.Fatalf("corner %d of %+v: the plane is at %v in its pixel", i, c, got)
			}
		}
		longest := int64(0)
		for i := range c {
			dx, dy := int64(c[(i+1)%3].X-c[i].X), int64(c[(i+1)%3].Y-c[i].Y)
			longest = max(longest, dx*dx, dy*dy)
		}
		if float64(longest) > 1<<23*math.Abs(float64(s)) {
			t.Fatalf("%+v is not flat: twice its area is %d", c, s)
		}
	}
	if flats == 0 || sloping == 0 {
		t.Errorf("%d flat and %d sloping triangles", flats, sloping)
	}
}

// needle returns a closed mesh with a separate size along each axis, possibly below the grid's resolution:
// a speck, a wire or a leaf.
func needle(rng *rand.Rand) (s surface) {
	s.name = "needle"
	var size [3]float64
	for a := range size {
		size[a] = math.Pow(10, -6*rng.Float64())
	}
	if rng.IntN(2) == 0 {
		size[rng.IntN(3)] = 20
	}
	corner := func(x, y, z float64) [3]float32 {
		return [3]float32{float32(x * size[0]), float32(y * size[1]), float32(z * size[2])}
	}
	if rng.IntN(2) == 0 {
		s.corners = [][3]float32{corner(0, 0, 0), corner(1, 0, 0), corner(0, 1, 0), corner(0, 0, 1)}
		s.triangles = [][3]int32{{0, 1, 2}, {0, 1, 3}, {2, 1, 3}, {2, 0, 3}}
		return s
	}
	for i := range 8 {
		s.corners = append(s.corners, corner(float64(i&1), float64(i>>1&1), float64(i>>2)))
	}
	for _, f := range boxFaces {
		s.triangles = append(s.triangles, [3]int32{f[0], f[1], f[2]}, [3]int32{f[0], f[2], f[3]})
	}
	return s
}

// A closed mesh that is a point or a line on the grid, all of it or in a tile, covers no pixel there.
func TestSpecksOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	specks := 0
	few := func() bool { return specks < 500 || c.pixels < 500 }
	rounds := testkit.Budget(t, 1000, 200_000)
	for round := 0; round < rounds || round < 10*rounds && few(); round++ {
		kind := kinds[round%len(kinds)]
		culler := newCuller(t, occlude.Config{Width: 24, Height: 16})
		v := randomView(rng, kind, [3]float64{}, [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, 0.1, 100)
		testkit.Must(t, v.look(culler))
		s := needle(rng)
		far := 1 + 20*rng.Float64()
		transform := randomTransform(t, rng, [3]float64{v.dir[0] * far, v.dir[1] * far, v.dir[2] * far})
		m := s.mesh(t)
		if n := m.Counts(); n.BoundaryEdges+n.NonManifoldEdges > 0 {
			continue // a triangle is flat
		}
		culler.DrawMesh(m, transform)
		if !c.checkMesh(t, rng, culler, s.placed(transform), s.triangles, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s: %v", round, kind, s.corners)
		}
		specks++
	}
	if few() {
		t.Errorf("%d specks, %d pixels", specks, c.pixels)
	}
}

// rational numbers, which are never rounded

func rat(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }

func ratSum(terms ...*rational.Rat) *rational.Rat {
	s := new(rational.Rat)
	for _, t := range terms {
		s.Add(s, t)
	}
	return s
}

func ratMul(a, b *rational.Rat) *rational.Rat { return new(rational.Rat).Mul(a, b) }

// ratDet returns u · v x w.
func ratDet(u, v, w [3]*rational.Rat) *rational.Rat {
	det := new(rational.Rat)
	for a := range 3 {
		b, c := (a+1)%3, (a+2)%3
		det.Add(det, ratMul(u[a], new(rational.Rat).Sub(ratMul(v[b], w[c]), ratMul(v[c], w[b]))))
	}
	return det
}

func rats(p [3]float64) [3]*rational.Rat { return [3]*rational.Rat{rat(p[0]), rat(p[1]), rat(p[2])} }

// projected returns the exact position of a transformed corner on the picture, and the number of its depth.
func projected(r *occlude.Rays, rows *[12]float64, corner [3]float32) (x, y, number *rational.Rat) {
	var p [3]*rational.Rat // from the reference point
	for k := range 3 {
		p[k] = ratSum(rat(rows[4*k+3]), new(rational.Rat).Neg(rat(r.Ref[k])))
		for a := range 3 {
			p[k].Add(p[k], ratMul(rat(rows[4*k+a]), rat(float64(corner[a]))))
		}
	}
	// p = u*dx + v*dy + w*d0
	dx, dy, d0 := rats(r.DX), rats(r.DY), rats(r.D0)
	det := ratDet(dx, dy, d0)
	u, v, w := ratDet(p, dy, d0), ratDet(dx, p, d0), ratDet(dx, dy, p)
	for _, c := range []*rational.Rat{u, v, w} {
		c.Quo(c, det)
	}
	if r.Parallel || w.Sign() == 0 {
		return u, v, w.Neg(w)
	}
	return u.Quo(u, w), v.Quo(v, w), new(rational.Rat).Inv(w)
}

// Corners are within offSteps of their exact positions, and no nearer than these: under transforms that
// move the mesh far from the origin, where positions are rounded most; from viewpoints far from it, and in
// narrow pictures.
func TestCornersOfMeshes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	used, away := 0, 0
	for round := range testkit.Budget(t, 300, 100_000) {
		kind := kinds[round%len(kinds)]
		shift := []float64{0, 1e3, 1e6, 1e8}[rng.IntN(4)]
		about := func(s float64) (p [3]float64) {
			for a := range 3 {
				p[a] = s * rng.NormFloat64()
			}
			return p
		}
		var center [3]float64
		if kind == "camera" || kind == "origin" {
			center = about(shift)
		}
		from := about(3)
		for a := range 3 {
			from[a] += center[a]
		}
		v := axial{viewOf(kind, from, about(1), []float64{1, 1, 1e-3, 1e-5}[rng.IntN(4)], 1, 0.01, 100), -1}
		if kind == "camera" { // only the transform is rounded
			v = axisView(rng)
			center = v.eye
		}
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
		if v.look(culler) != nil {
			continue
		}
		rays := culler.Rays()
		transform := linear.Transform{}
		rows := [12]float64{0: 1, 5: 1, 10: 1}
		var s surface
		for range 16 {
			depth := 0.02 * math.Exp(4*rng.Float64())
			x, y := rng.Float64()*64, rng.Float64()*36
			s.corners = append(s.corners, at(&rays, x, y, depth))
		}
		if rng.IntN(3) > 0 {
			transform = farPose(t, rng, center, s.corners)
			rows = transform.Rows()
			if v.axis >= 0 {
				transform = closePose(t, rng, &rays, &rows, v.axis, s.corners[rng.IntN(len(s.corners))])
			}
		}
		for i := range int32(14) {
			s.triangles = append(s.triangles, [3]int32{i, i + 1, i + 2})
		}
		m := s.mesh(t)
		if m.Counts().Corners != len(s.corners) {
			continue
		}
		for i, c := range culler.Corners(m, transform) {
			if c.Away {
				away++
				continue
			}
			used++
			x, y, number := projected(&rays, &rows, s.corners[i])
			for a, got := range [2]int32{c.X, c.Y} {
				off := new(rational.Rat).Sub(ratMul([2]*rational.Rat{x, y}[a], rat(occlude.GridSteps)), rat(float64(got)))
				if off.Abs(off).Cmp(rat(occlude.GridOff)) > 0 {
					f, _ := off.Float64()
					t.Fatalf("round %d, %s: corner %d is %v steps beside where it is on axis %d", round, kind, i, f, a)
				}
			}
			if rat(float64(c.Depth)).Cmp(number) > 0 {
				f, _ := number.Float64()
				t.Fatalf("round %d, %s: corner %d has the number %v, is at %v, %v less", round, kind, i, c.Depth, f, float64(c.Depth)-f)
			}
		}
	}
	t.Logf("%d corners, %d away", used, away)
	if used < 1000 {
		t.Error("this tests nothing")
	}
}

// axial is a view along an axis, or a general one if axis is -1.
type axial struct {
	view
	axis int
}

// axisView returns a view along an axis from a point of few digits: in projecting, only quotients are
// rounded.
func axisView(rng *rand.Rand) axial {
	v := axial{view: view{kind: "camera", near: 0.01, far: 100}}
	for a := range 3 {
		v.eye[a] = float64(rng.IntN(64))
	}
	a := rng.IntN(3)
	v.axis, v.dir[a] = a, 1
	var up [3]float64
	up[(a+1)%3] = 1
	v.look = func(e *occlude.Culler) error {
		return e.SetCamera(query.Camera{Eye: v.eye, Forward: v.dir, Up: up, FovY: math.Pi / 2, Aspect: 64. / 36, Near: v.near, Far: v.far})
	}
	return v
}

// farPose returns a transform that rotates the given points, and moves them so that the first keeps its
// position: it takes them far away and back.
func farPose(t *testing.T, rng *rand.Rand, about [3]float64, corners [][3]float32) linear.Transform {
	t.Helper()
	r := testkit.Rotation(rng)
	var rows [12]float64
	// The corners become their differences from a position far away, rotated back by hand.
	far := math.Ldexp(1, 15+rng.IntN(6))
	for k := range 3 {
		for a := range 3 {
			rows[4*k+a] = r[k][a]
		}
	}
	var back [][3]float32
	for _, c := range corners {
		var p [3]float32
		for a := range 3 {
			v := 0.0
			for k := range 3 {
				v += r[k][a] * (float64(c[k]) - about[k])
			}
			p[a] = float32(v + far)
		}
		back = append(back, p)
	}
	copy(corners, back)
	for k := range 3 {
		rows[4*k+3] = about[k] - far*(r[k][0]+r[k][1]+r[k][2])
	}
	transform, err := linear.NewTransform(rows)
	testkit.Must(t, err)
	return transform
}

// closePose moves a transform along the axis of a view, so that the number of a corner is next to a
// float32.
func closePose(t *testing.T, rng *rand.Rand, rays *occlude.Rays, rows *[12]float64, axis int, corner [3]float32) linear.Transform {
	t.Helper()
	if _, _, number := projected(rays, rows, corner); number.Sign() > 0 {
		f, _ := number.Float32()
		far := new(rational.Rat).Sub(new(rational.Rat).Inv(rat(float64(f))), number.Inv(number))
		move, _ := far.Float64()
		at := &rows[4*axis+3]
		*at += move
		for range rng.IntN(4) { // further away, so that the number is less
			*at = math.Nextafter(*at, math.Inf(1))
		}
	}
	transform, err := linear.NewTransform(*rows)
	testkit.Must(t, err)
	return transform
}
