package soa_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// boxOfBall is the smallest box of a ball, in the exact arithmetic of float64.go.
func boxOfBall(s [4]float32) (b soa.AABB) {
	for a := range 3 {
		b.Min[a] = soa.Below(float64(s[a]), float64(s[3])) + 0
		b.Max[a] = soa.Above(float64(s[a]), -float64(s[3])) + 0
	}
	return b
}

func checkBall(t *testing.T, s [4]float32) {
	t.Helper()
	want := boxOfBall(s)
	got := soa.Ball{Sphere: s}.Box()
	if want.Check() != nil {
		if got.Check() == nil {
			t.Fatalf("sphere %v has the box %v, want %v", s, got, want)
		}
		return
	}
	for a := range 3 {
		if math.Float32bits(got.Min[a]) != math.Float32bits(want.Min[a]) || math.Float32bits(got.Max[a]) != math.Float32bits(want.Max[a]) {
			t.Fatalf("sphere %v has the box %v, want %v", s, got, want)
		}
	}
}

// The box of a ball is the smallest one that holds it in exact arithmetic.
func TestBallBox(t *testing.T) {
	special := []float32{0, float32(math.Copysign(0, -1)), 0x1p-149, -0x1p-149, 0x1p-126, 0x1p-125, 1, -1, 0x1.000002p0, 0x1.fffffep0,
		0x1p23, 0x1p24, -0x1p25, 0x1.fffffep24, 0x1p103, 0x1p104, -0x1p104, math.MaxFloat32, -math.MaxFloat32}
	for _, c := range special {
		for _, r := range special {
			if r >= 0 {
				checkBall(t, [4]float32{c, -c, 1, r})
			}
		}
	}
	r := testkit.Rand(testkit.Seed(t))
	inexact := 0
	for range testkit.Budget(t, 100_000, 10_000_000) {
		var s [4]float32
		for a := range s {
			switch r.IntN(4) {
			case 0:
				s[a] = math.Float32frombits(r.Uint32())
			case 1:
				s[a] = float32(math.Ldexp(r.Float64()-0.5, r.IntN(60)-30))
			default:
				s[a] = 200 * (r.Float32() - 0.5)
			}
		}
		if s[3] = float32(math.Abs(float64(s[3]))); s[3] >= 0 {
			checkBall(t, s)
			if d := s[0] - s[3]; (soa.Ball{Sphere: s}).Box().Min[0] != d {
				inexact++
			}
		}
	}
	if inexact == 0 {
		t.Error("rounding is never outward")
	}
}

func FuzzBallBox(f *testing.F) {
	f.Add(float32(1), float32(2), float32(3), float32(0.5))
	f.Add(float32(0x1p24), float32(-0x1p-149), float32(1e30), float32(0x1.000002p0))
	f.Fuzz(func(t *testing.T, x, y, z, r float32) {
		if r >= 0 {
			checkBall(t, [4]float32{x, y, z, r})
		}
	})
}

// The object of a ball has its box and its labels.
func TestBallObject(t *testing.T) {
	b := soa.Ball{Sphere: [4]float32{1, 2, 3, 4}, Mask: 5, Static: true}
	if got, want := b.Object(), (soa.Object{Box: boxOfBall(b.Sphere), Mask: 5, Static: true}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
