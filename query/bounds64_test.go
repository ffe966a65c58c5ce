package query_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A sphere reaches an object even if float32 rounds its centre away from the object.
func TestSphere64ReachesFromItsCentre(t *testing.T) {
	const at = 1<<24 + 1 // float32 has its neighbours
	for axis := range 3 {
		for _, side := range []float64{-1, 1} {
			for _, radius := range []float64{1, 3, 11, 101} {
				var center [3]float64
				var p [3]float32
				center[axis] = side * at
				p[axis] = float32(side * (at + radius)) // exactly, and further than the rounded centre is wide
				if math.Abs(float64(p[axis])) != at+radius {
					t.Fatalf("%v is no float32", at+radius)
				}
				s, err := query.NewSphere64(center, radius, [3]float64{})
				testkit.Must(t, err)
				v := plant(t, []soa.Object{{Box: soa.AABB{Min: p, Max: p}, Mask: 1}}, true).View()
				if n := s.Count(v, query.Filter{}); n != 1 {
					t.Errorf("the sphere of radius %v about %v does not meet %v", radius, center, p)
				}
			}
		}
	}
}

// The far plane of a camera without end holds every point, and has the coefficients for it.
func TestNoFarPlane(t *testing.T) {
	for clip, eye := range map[query.Clip][16]float32{
		query.ClipZeroToOne: {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, -0.5, 0},
		query.ClipReversedZ: {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0.5, 0},
	} {
		f, err := query.FrustumColumnMajor(eye, clip|query.ClipInfiniteFar)
		testkit.Must(t, err)
		far := f.Planes()[5]
		if far[0] != 0 || far[1] != 0 || far[2] != 0 || !(far[3] > 0) {
			t.Errorf("clip %v: the far plane is %v", clip, far)
		}
	}
}

// A sphere that float32 represents exactly equals that of NewSphere: no rounding, no margin.
func TestSphere64Exact(t *testing.T) {
	for _, c := range [][3]float32{{}, {1, -2, 3}, {0x1.234p5, -0x1p-20, 1e10}} {
		want := sphere(t, scene.Sphere{Center: c, Radius: 0.75})
		got, err := query.NewSphere64([3]float64{float64(c[0]), float64(c[1]), float64(c[2])}, 0.75, [3]float64{})
		testkit.Must(t, err)
		if got != want {
			t.Errorf("about %v: %+v, want %+v", c, got, want)
		}
	}
}

// A plane at an origin is not inside of the exact one, and little outside.
func TestRebasedPlanes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	up := 0
	for range testkit.Budget(t, 1000, 20_000) {
		var p [4]float64
		var origin [3]float64
		d, size := exactly(0), 0.0
		for a := range 3 {
			// The sum of products about cancels d, so that its rounding shows.
			p[a], origin[a] = rng.NormFloat64(), rng.NormFloat64()*math.Ldexp(1, rng.IntN(40))
			d.Sub(d, new(big.Float).Mul(exactly(p[a]), exactly(origin[a])))
			size += math.Abs(p[a] * origin[a])
		}
		p[3], _ = d.Float64()
		p[3] += float64(rng.IntN(3)-1) * size * 0x1p-52
		exact := exactly(p[3])
		exact.Sub(exact, d)
		got := query.Rebase(p, origin)
		_, e := math.Frexp(max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2])))
		exact.SetMantExp(exact, -2-e)
		more, _ := new(big.Float).Sub(exactly(got[3]), exact).Float64()
		if most := math.Ldexp(size+math.Abs(p[3]), -2-e)*0x1p-48 + math.Abs(got[3])*0x1p-22; more < 0 || more > most {
			t.Fatalf("plane %x at %x is %x: d is %v above the exact one, want 0 to %v", p, origin, got, more, most)
		}
		if more > 0 {
			up++
		}
	}
	if up == 0 {
		t.Error("no plane was rounded")
	}
}

// exactly returns x with the precision for sums and products.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(x) }

// The ray of a pixel reaches its far plane in exact arithmetic.
func TestPixelsReachTheFarPlane(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 200, 5000) {
		near := math.Exp(4*rng.Float64() - 3)
		cam := query.Camera{
			Eye: [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, Forward: [3]float64{1, rng.NormFloat64(), rng.NormFloat64()},
			Up: [3]float64{0, 0, 1}, FovY: 0.3 + rng.Float64(), Aspect: 1.5, Near: near, Far: near * (2 + 1000*rng.Float64()),
		}
		v, err := cam.Viewport(800, 600)
		testkit.Must(t, err)
		start, along, length, fault := query.PixelLine(v, 800*rng.Float64(), 600*rng.Float64())
		if fault != "" {
			t.Fatal(fault)
		}
		far := query.FarPlane(v)
		height := exactly(far[3])
		for a := range 3 {
			at := new(big.Float).Mul(exactly(float64(float32(along[a]))), exactly(length))
			at.Add(at, exactly(float64(float32(start[a]))))
			height.Add(height, at.Mul(at, exactly(far[a])))
		}
		if height.Sign() > 0 {
			h, _ := height.Float64()
			t.Fatalf("%+v: the ray ends %v before the far plane", cam, h)
		}
	}
}
