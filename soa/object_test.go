package soa_test

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func box(minX, minY, minZ, maxX, maxY, maxZ float32) soa.AABB {
	return soa.AABB{Min: [3]float32{minX, minY, minZ}, Max: [3]float32{maxX, maxY, maxZ}}
}

const largest = math.MaxFloat32

var (
	nan     = float32(math.NaN())
	inf     = float32(math.Inf(1))
	negZero = float32(math.Copysign(0, -1))
)

func TestCheck(t *testing.T) {
	good := []soa.AABB{
		{},
		box(1, 2, 3, 1, 2, 3),
		box(0, 0, 0, negZero, negZero, negZero), // zeros are equal
		box(-largest, -largest, -largest, largest, largest, largest),
		box(-math.SmallestNonzeroFloat32, 0, 0, math.SmallestNonzeroFloat32, 0, 0),
	}
	for _, b := range good {
		if err := b.Check(); err != nil {
			t.Errorf("%v: %v", b, err)
		}
	}
	for a := range 3 {
		for _, bad := range []struct {
			min, max float32
			word     string
		}{
			{nan, 1, "NaN"}, {0, nan, "NaN"}, {nan, nan, "NaN"},
			{-inf, 1, "-Inf"}, {0, inf, "+Inf"}, {inf, inf, "+Inf"}, {inf, -inf, "Inf"},
			{7.5, 7.25, "7.25"}, {largest, -largest, "inverted"},
		} {
			b := box(0, 0, 0, 1, 1, 1)
			b.Min[a], b.Max[a] = bad.min, bad.max
			if err := b.Check(); err == nil || !strings.Contains(err.Error(), bad.word) {
				t.Errorf("%v: error %v, want one that says %s", b, err, bad.word)
			}
		}
	}
	if soa.Empty().Check() == nil {
		t.Error("the empty box passed")
	}
}

// Closed boxes that touch share a point, on every axis.
func TestOverlapsAndContains(t *testing.T) {
	b := box(0, 0, 0, 4, 4, 4)
	for a := range 3 {
		for _, c := range []struct {
			min, max           float32
			overlaps, contains bool
		}{
			{-2, -1, false, false}, {-2, 0, true, false}, {0, 0, true, true}, {0, 4, true, true},
			{1, 2, true, true}, {4, 4, true, true}, {4, 5, true, false}, {-1, 5, true, false}, {5, 6, false, false},
			{-1, -math.SmallestNonzeroFloat32, false, false}, {math.Nextafter32(4, 5), 5, false, false},
		} {
			o := box(1, 1, 1, 2, 2, 2)
			o.Min[a], o.Max[a] = c.min, c.max
			if b.Overlaps(o) != c.overlaps || o.Overlaps(b) != c.overlaps || b.Contains(o) != c.contains {
				t.Errorf("axis %d, %v to %v: overlaps %v, contains %v", a, c.min, c.max, b.Overlaps(o), b.Contains(o))
			}
		}
	}
}

func TestUnion(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, kind := range testkit.BoxKinds() {
		boxes := testkit.RandomBoxes(rng, 50, kind)
		all := soa.Empty()
		for _, b := range boxes {
			if soa.Empty().Union(b) != b || b.Union(soa.Empty()) != b {
				t.Fatalf("%v: the empty box is not neutral", b)
			}
			all = all.Union(b)
		}
		for _, b := range boxes {
			if !all.Contains(b) || !all.Overlaps(b) {
				t.Fatalf("%s: %v is not in the union %v", kind, b, all)
			}
		}
		for a := range 3 { // tight: each side is one of a box
			low, high := false, false
			for _, b := range boxes {
				low = low || b.Min[a] == all.Min[a]
				high = high || b.Max[a] == all.Max[a]
			}
			if !low || !high {
				t.Errorf("%s: the union %v is not tight on axis %d", kind, all, a)
			}
		}
	}
}

// A centre is finite and inside, even of the largest box.
func TestCenter(t *testing.T) {
	for b, want := range map[soa.AABB][3]float32{
		box(0, -2, 4, 2, 2, 4): {1, 0, 4},
		box(-largest, largest, -largest, largest, largest, -largest):    {0, largest, -largest},
		box(1, 1, 1, 0x1.000002p0, 3, 1):                                {1, 2, 1}, // a tie, to even
		box(0x1p-126, -0x1p-149, 0, 0x1p-126, -0x1p-149, 0x1.8p-148):    {0x1p-126, 0, 0x1p-148},
		box(negZero, 0, 0, negZero, 0, 0):                               {},
		box(0x1.fffffep126, 0, 0, largest, 0, 0):                        {0x1.7ffffep127, 0, 0},
		box(-1e30, -1e30, -1e30, 1e30, 1e30, 1e30):                      {},
		box(16777216, 16777216, 16777216, 16777218, 16777220, 16777216): {16777216, 16777218, 16777216},
	} {
		if got := b.Center(); got != want {
			t.Errorf("centre of %v: %v, want %v", b, got, want)
		}
	}
	rng := testkit.Rand(testkit.Seed(t))
	for _, kind := range testkit.BoxKinds() {
		for _, b := range testkit.RandomBoxes(rng, 1000, kind) {
			c := b.Center()
			for a := range 3 {
				// Half the smallest denormal is 0, so there a centre may stick out.
				const slack = math.SmallestNonzeroFloat32
				if float64(c[a]) < float64(b.Min[a])-slack || float64(c[a]) > float64(b.Max[a])+slack {
					t.Fatalf("%s: centre %x of %x is outside", kind, c, b)
				}
			}
		}
	}
}

// Words are the objects themselves, six of the box, the mask, the flag.
func TestWords(t *testing.T) {
	if soa.Words(nil) != nil {
		t.Error("words of no objects")
	}
	objects := []soa.Object{
		{Box: box(1, 2, 3, 4, 5, 6), Mask: 7},
		{Box: box(-1, -2, -3, 4, 5, 6), Mask: 1 << 31, Static: true},
	}
	w := soa.Words(objects)
	if len(w) != 16 || unsafe.Pointer(&w[0]) != unsafe.Pointer(&objects[0]) {
		t.Fatalf("%d words", len(w))
	}
	for i, o := range objects {
		r := w[8*i:]
		if [3]float32(r) != o.Box.Min || [3]float32(r[3:]) != o.Box.Max || math.Float32bits(r[6]) != o.Mask {
			t.Errorf("object %d: words %v", i, r[:7])
		}
	}
}

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
	for range testkit.Budget(t, testkit.Again(100_000, 20_000), 2_000_000) {
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
