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
