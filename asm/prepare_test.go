package asm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

// The preparation of volumes and rays works on the bits of floats. These are the same formulas with package math; the
// formulas of MakePlanes are in testkit.

func roundUpRef(x float64) float32 {
	if x >= math.MaxFloat32 {
		return math.MaxFloat32
	}
	f := float32(x)
	if float64(f) < x {
		f = math.Nextafter32(f, math.MaxFloat32)
	}
	return f
}

func outwardRef(x, sign float64) float32 {
	if sign < 0 {
		return -roundUpRef(-x)
	}
	return roundUpRef(x)
}

func scalePlaneRef(p [4]float64) [4]float32 {
	if m := max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2])); m != 0 {
		_, e := math.Frexp(m)
		for i := range p {
			p[i] = math.Ldexp(p[i], -2-e)
		}
	}
	return [4]float32{float32(p[0]), float32(p[1]), float32(p[2]), float32(min(max(p[3], -math.MaxFloat32), math.MaxFloat32))}
}

func sphereRefOf(center [3]float32, radius float32) cull.Sphere {
	k := 127
	if radius > 0 {
		_, e := math.Frexp(float64(radius))
		k = min(61-e, 127)
	}
	r := math.Ldexp(float64(radius), k)
	return cull.Sphere{
		Center: center, Scale: float32(math.Ldexp(1, k)),
		Limit: roundUpRef(float64(r*r*(1+6*0x1p-24)) + math.Ldexp(0x1p-148, 2*k)),
	}
}

func rayRefOf(lo, hi, dir [3]float32, maxT float32) (r trace.Ray, exp int) {
	if m := max(math.Abs(float64(dir[0])), math.Abs(float64(dir[1])), math.Abs(float64(dir[2]))); m > 0 {
		_, exp = math.Frexp(m)
		exp--
	}
	const widen = 1 + 5.0/(1<<23)
	reach := min(math.Ldexp(float64(maxT), exp), 0x1p127)
	for a := range 3 {
		d, sign := math.Ldexp(float64(dir[a]), -exp), 1.0
		near, far := hi[a], lo[a]
		r.Off[a] = uint32(2*a) * 64
		if d < 0 {
			near, far, sign = far, near, -1
			r.Off[a] += 64
		}
		inv := float32(math.Inf(int(sign)))
		switch {
		case d == 0:
		case math.Abs(d) < 0x1p-126:
			near = outwardRef(float64(near)+float64(d*reach), sign)
		default:
			inv = 1 / float32(d)
			if math.Abs(float64(far)) < 0x1p-100 {
				far = outwardRef(float64(far)-sign*0x1p-147, -sign)
			}
		}
		r.Near[a], r.Far[a], r.InvNear[a], r.InvFar[a] = near, far, inv, float32(inv*widen)
	}
	r.Max = roundUpRef(reach + float64(reach*(widen-1)) + 0x1p-148)
	return r, exp
}

// anyFloat returns a finite number of any size, often near a limit of float32 or a power of two.
func anyFloat(rng *rand.Rand) float32 {
	ends := [...]float32{0, 1, 0x1p-149, 0x1p-126, 0x1p-100, 0x1p-64, math.MaxFloat32}
	for {
		x := math.Float32frombits(rng.Uint32())
		switch rng.IntN(6) {
		case 0:
			x = float32(math.Copysign(float64(ends[rng.IntN(len(ends))]), float64(x)))
		case 1:
			x = math.Float32frombits(math.Float32bits(x) &^ (1<<23 - 1))
		case 2, 3:
			x = float32(rng.NormFloat64())
		}
		if x-x == 0 {
			return x
		}
	}
}

func anyVector(rng *rand.Rand) (v [3]float32) {
	for a := range v {
		v[a] = anyFloat(rng)
	}
	return v
}

// equalBits compares numbers bit by bit: 0 and -0 differ.
func equalBits(a, b []float32) bool {
	_, same := kernel.SameBits(a, b)
	return same && len(a) == len(b)
}

func TestScalePlaneBits(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Again(200_000, 20_000) {
		var p [4]float64
		for i := range p {
			p[i] = float64(anyFloat(rng))
			if rng.IntN(4) == 0 {
				if p[i] = math.Float64frombits(rng.Uint64()); p[i]-p[i] != 0 {
					p[i] = math.SmallestNonzeroFloat64
				}
			}
		}
		if got, want := cull.ScalePlane(p), scalePlaneRef(p); !equalBits(got[:], want[:]) {
			t.Fatalf("ScalePlane(%x) = %x, want %x", p, got, want)
		}
	}
}

func TestMakeSphereBits(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range 200_000 {
		center, radius := anyVector(rng), float32(math.Abs(float64(anyFloat(rng))))
		if got, want := cull.MakeSphere(center, radius), sphereRefOf(center, radius); got != want {
			t.Fatalf("MakeSphere(%x, %x) = %+v, want %+v", center, radius, got, want)
		}
	}
}

func TestMakeRayBits(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Again(200_000, 20_000) {
		lo, hi, dir := anyVector(rng), anyVector(rng), anyVector(rng)
		for a := range 3 {
			if rng.IntN(2) == 0 {
				hi[a] = lo[a]
			}
			lo[a], hi[a] = min(lo[a], hi[a]), max(lo[a], hi[a])
		}
		maxT := float32(math.Abs(float64(anyFloat(rng))))
		if rng.IntN(4) == 0 {
			maxT = float32(math.Inf(1))
		}
		got, exp := trace.MakeRay(lo, hi, dir, maxT)
		want, wantExp := rayRefOf(lo, hi, dir, maxT)
		if got != want || exp != wantExp || !equalBits(got.Near[:], want.Near[:]) || !equalBits(got.Far[:], want.Far[:]) {
			t.Fatalf("MakeRay(%x, %x, %x, %x) = %+v, %d, want %+v, %d", lo, hi, dir, maxT, got, exp, want, wantExp)
		}
	}
}
