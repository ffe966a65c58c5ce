package occlude_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// No point of a box or an ellipsoid is outside a side of its outline or in front of a front; each side and most
// fronts touch it.
func TestOutline(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	made, sides, fronts, loose := 0, 0, 0, 0
	for round := range testkit.Budget(t, 300, 10_000) {
		kind := kinds[round%len(kinds)]
		culler := newCuller(t, occlude.Config{Width: 160, Height: 90})
		v := randomView(rng, kind, [3]float64{rng.NormFloat64(), rng.NormFloat64(), 2}, [3]float64{30, 5 * rng.NormFloat64(), 2}, 0.1, 300)
		if v.look(culler) != nil {
			t.Fatal("no view")
		}
		transform, _ := partPose(rng, transformKinds[rng.IntN(len(transformKinds)-3)], [3]float64{30, 10 * rng.NormFloat64(), 5 * rng.NormFloat64()})
		var box *soa.OrientedBox
		var ball *[4]float32
		if round%2 == 0 {
			box = &soa.OrientedBox{}
			for i, r := range testkit.Rotation(rng) {
				half := 5 * rng.Float64()
				box.Center[i] = float32(rng.NormFloat64())
				for a := range 3 {
					box.Axes[i][a] = float32(r[a] * half)
				}
			}
		} else {
			ball = &[4]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64()), 5 * rng.Float32()}
		}
		side, front := culler.Outline(box, ball, transform)
		if front == nil {
			continue
		}
		made++
		rays := culler.Rays()
		pixels := pixelsOf(&rays)
		least := make([]float64, len(side)+len(front)) // of the value of a side, of how far a front is beyond
		size := make([]float64, len(least))
		for i := range least {
			least[i] = math.Inf(1)
		}
		check := func(p [3]float64) {
			x, y, depth := pixels(transform.Point(p))
			z := 1 / depth
			if rays.Parallel {
				z = -depth
			}
			for i, f := range side {
				u := f(x, y)
				least[i], size[i] = min(least[i], u), max(size[i], math.Abs(u))
			}
			for i, f := range front {
				k := i + len(side)
				u := f(x, y) - z
				least[k], size[k] = min(least[k], u), max(size[k], math.Abs(u), math.Abs(z))
			}
		}
		for k := range 3000 {
			var q, p [3]float64
			if box != nil {
				for a := range 3 {
					q[a] = 2*rng.Float64() - 1
					if k < 8 {
						q[a] = float64(k>>a&1*2 - 1)
					}
				}
				for a := range 3 {
					p[a] = float64(box.Center[a])
					for i := range 3 {
						p[a] += q[i] * float64(box.Axes[i][a])
					}
				}
			} else {
				d := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
				l := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
				for a := range 3 {
					p[a] = float64(ball[a]) + float64(ball[3])*d[a]/l
				}
			}
			check(p)
		}
		for i := range least {
			if least[i] < -1e-9*size[i] {
				t.Fatalf("round %d, %s, box %v, ball %v under %v: a point is outside of %d of %d sides and %d fronts by %g of %g",
					round, kind, box, ball, transform.Rows(), i, len(side), len(front), least[i], size[i])
			}
			close := 1e-6
			if ball != nil {
				close = 0.03 // the nearest of the points
			}
			if i < len(side) {
				sides++
			} else {
				fronts++
			}
			if least[i] > close*size[i] {
				loose++
				if i < len(side) {
					t.Errorf("round %d, %s, box %v, ball %v: side %d is off by %g of %g", round, kind, box, ball, i, least[i], size[i])
				}
			}
		}
	}
	t.Logf("%d outlines of %d sides and %d fronts, %d of these do not touch", made, sides, fronts, loose)
	if made == 0 || loose*4 > fronts {
		t.Errorf("%d of %d fronts do not touch", loose, fronts)
	}
}

// TestBoxCones makes cones of boxes by the kernel of each tier and by Go alone: the results are
// bit-identical. Boxes lie about the viewpoint, also flat, tiny and huge ones, in its planes and around it;
// viewpoints are near zero and far from it.
func TestBoxCones(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		drawn, level := 0, 0
		for range testkit.Budget(t, 200, 20_000) {
			scale := math.Ldexp(1, rng.IntN(24)-8)
			if rng.IntN(10) == 0 { // so that depths are nearly zero
				scale = 0x1p105
			}
			eye := [3]float64{(rng.Float64() - 0.5) * scale * 8, (rng.Float64() - 0.5) * scale * 8, (rng.Float64() - 0.5) * scale}
			if rng.IntN(3) == 0 { // where boxes may have a face
				eye = [3]float64{float64(float32(eye[0])), float64(float32(eye[1])), 0}
			}
			dir := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64() / 4}
			switch rng.IntN(4) {
			case 0:
				dir[2] = 0
			case 1:
				dir = [3]float64{1, 0, 0}
			}
			v := viewOf(kinds[rng.IntN(len(kinds))], eye, dir, 0.1+2.5*rng.Float64(), 0.3+3*rng.Float64(), scale/64, 64*scale)
			e := newCuller(t, occlude.Config{Width: 1 + rng.IntN(600), Height: 1 + rng.IntN(300)})
			if v.look(e) != nil {
				continue
			}
			for range 100 {
				b := boxAbout(rng, eye, scale)
				kernel, plain, ok, want := e.BoxCones(&b)
				if ok != want {
					t.Fatalf("%s: a box %v of an eye at %v is drawn: %v, without a kernel %v", v.kind, b, eye, ok, want)
				}
				if !ok {
					continue
				}
				drawn++
				if e.ConeUnknown(&b) {
					level++
				}
				if !sameCone(&kernel, &plain) {
					t.Fatalf("%s: a box %v of an eye at %v: cone\n%v, without a kernel\n%v", v.kind, b, eye, kernel, plain)
				}
			}
		}
		if drawn < 1000 {
			t.Fatalf("only %d boxes were drawn", drawn)
		}
		if cpu.Active == cpu.AVX512 && 2*level > drawn {
			t.Errorf("of %d boxes %d are left to Go", drawn, level)
		}
		t.Logf("%d boxes drawn, %d of them not by a kernel", drawn, level)
	})
}

// boxAbout returns a box about a viewpoint.
func boxAbout(rng *rand.Rand, eye [3]float64, scale float64) (b soa.AABB) {
	size := math.Ldexp(scale, rng.IntN(12)-8)
	for a := range 3 {
		lo := eye[a] + (rng.Float64()-0.5)*4*scale
		switch rng.IntN(12) {
		case 0:
			lo = eye[a] // a face in a plane of the viewpoint
		case 1:
			lo = eye[a] - size*rng.Float64()
		}
		hi := lo + size*rng.Float64()
		if rng.IntN(10) == 0 {
			hi = lo
		}
		b.Min[a], b.Max[a] = float32(lo), float32(hi)
		if rng.IntN(40) == 0 {
			b.Min[a] = -b.Max[a]
		}
		if b.Min[a] > b.Max[a] {
			b.Min[a], b.Max[a] = b.Max[a], b.Min[a]
		}
	}
	return b
}

// sameCone reports whether two cones are equal in the fields that count.
func sameCone(a, b *depth.Cone) bool {
	if a.Y0 != b.Y0 || a.Y1 != b.Y1 || a.Lefts != b.Lefts || a.Rights != b.Rights || a.Planes != b.Planes || a.Limit != b.Limit {
		return false
	}
	same := true
	for i := range a.Lefts {
		same = same && a.LM[i] == b.LM[i] && a.LC[i] == b.LC[i]
	}
	for i := range a.Rights {
		same = same && a.RM[i] == b.RM[i] && a.RC[i] == b.RC[i]
	}
	for i := range a.Planes {
		same = same && a.P0[i] == b.P0[i] && a.PX[i] == b.PX[i] && a.PY[i] == b.PY[i]
	}
	return same
}
