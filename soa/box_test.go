package soa_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// boxNumbers are the bounds of test boxes, besides random ones.
var boxNumbers = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, 0x1p24, 0x1.000002p0, 0x1p-126,
	math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
}

func anyNumber(r *rand.Rand) float32 {
	switch r.IntN(4) {
	case 0:
		return boxNumbers[r.IntN(len(boxNumbers))]
	case 1:
		return math.Float32frombits(r.Uint32())
	case 2:
		return float32(r.IntN(7) - 3)
	}
	return float32(math.Ldexp(r.Float64()-0.5, r.IntN(60)-30))
}

func anyBox(r *rand.Rand) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = anyNumber(r), anyNumber(r)
		if b.Min[a] > b.Max[a] && r.IntN(8) != 0 {
			b.Min[a], b.Max[a] = b.Max[a], b.Min[a]
		}
	}
	return b
}

// same reports whether two boxes are equal, a NaN being equal to a NaN.
func same(b, o soa.AABB) bool {
	for a := range 3 {
		for _, p := range [][2]float32{{b.Min[a], o.Min[a]}, {b.Max[a], o.Max[a]}} {
			if p[0] != p[1] && (p[0] == p[0] || p[1] == p[1]) {
				return false
			}
		}
	}
	return true
}

// sum returns x + y rounded down or up to float32, by the arithmetic of math/big; where
// that has no number, as Go adds.
func sum(x, y float32, up bool) float32 {
	if s := x + y; x-x != 0 || y-y != 0 {
		return s
	}
	s := new(big.Float).SetPrec(400).SetFloat64(float64(x))
	s.Add(s, new(big.Float).SetFloat64(float64(y)))
	f, _ := s.Float32()
	c := new(big.Float).SetFloat64(float64(f)).Cmp(s)
	switch inf := float32(math.Inf(1)); {
	case up && c < 0:
		return math.Nextafter32(f, inf)
	case !up && c > 0:
		return math.Nextafter32(f, -inf)
	}
	return f
}

// Boxes are sets: a union or an intersection holds the points that the sets do, of points drawn from their bounds and
// from outside.
func TestBoxSets(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	in := func(b soa.AABB, p [3]float32) bool {
		for a := range 3 {
			if !(p[a] >= b.Min[a]) || !(p[a] <= b.Max[a]) {
				return false
			}
		}
		return true
	}
	met, empty := 0, 0
	for range testkit.Budget(t, testkit.Again(20_000, 4000), 2_000_000) {
		b, o := anyBox(r), anyBox(r)
		both, union := b.Intersect(o), b.Union(o)
		anywhere := false
		for range 16 {
			var p [3]float32
			for a := range p {
				p[a] = [...]float32{b.Min[a], b.Max[a], o.Min[a], o.Max[a], anyNumber(r)}[r.IntN(5)]
			}
			if b.ContainsPoint(p) != in(b, p) {
				t.Fatalf("%v in %v: %v", p, b, b.ContainsPoint(p))
			}
			if both.ContainsPoint(p) != (in(b, p) && in(o, p)) {
				t.Fatalf("%v in the intersection %v of %v and %v", p, both, b, o)
			}
			if both.ContainsPoint(p) {
				anywhere = true
			}
			if nan := union != union; !nan && (in(b, p) || in(o, p)) && !union.ContainsPoint(p) {
				t.Fatalf("%v not in the union %v of %v and %v", p, union, b, o)
			}
		}
		if both.IsEmpty() && both != soa.Empty() || both.IsEmpty() && anywhere {
			t.Fatalf("intersection %v of %v and %v", both, b, o)
		}
		if both.IsEmpty() {
			empty++
		} else {
			met++
			if !both.ContainsPoint(both.Min) || !b.Contains(both) || !o.Contains(both) || !b.Overlaps(o) {
				t.Fatalf("intersection %v of %v and %v", both, b, o)
			}
		}
		if !b.IsEmpty() != in(b, b.Min) {
			t.Fatalf("%v empty: %v", b, b.IsEmpty())
		}
		points := [][3]float32{b.Min, b.Max, o.Min}
		want := soa.Empty()
		for _, p := range points {
			want = want.Union(soa.AABB{Min: p, Max: p})
		}
		if got := soa.BoxOf(points...); !same(got, want) {
			t.Fatalf("box of %v: %v, want %v", points, got, want)
		}
	}
	if met == 0 || empty == 0 {
		t.Errorf("%d intersections hold points, %d none", met, empty)
	}
	if b := soa.BoxOf(); b != soa.Empty() {
		t.Errorf("the box of no points is %v", b)
	}
}

// Grow rounds outward, Translate to the nearest.
func TestBoxSums(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, testkit.Again(20_000, 4000), 2_000_000) {
		b, by := anyBox(r), [3]float32{anyNumber(r), anyNumber(r), anyNumber(r)}
		var grown, around, moved soa.AABB
		for a := range 3 {
			grown.Min[a], grown.Max[a] = sum(b.Min[a], -by[0], false), sum(b.Max[a], by[0], true)
			around.Min[a], around.Max[a] = sum(b.Min[a], -by[a], false), sum(b.Min[a], by[a], true)
			moved.Min[a], moved.Max[a] = float32(float64(b.Min[a])+float64(by[a])), float32(float64(b.Max[a])+float64(by[a]))
		}
		if got := b.Grow(by[0]); !same(got, grown) {
			t.Fatalf("%v grown by %v: %v, want %v", b, by[0], got, grown)
		}
		if got := soa.BoxAround(b.Min, by); !same(got, around) {
			t.Fatalf("around %v by %v: %v, want %v", b.Min, by, got, around)
		}
		if got := b.Translate(by); !same(got, moved) || !b.IsEmpty() && finiteBox(got) && got.IsEmpty() {
			t.Fatalf("%v moved by %v: %v, want %v", b, by, got, moved)
		}
	}
	for _, by := range []float32{0, 1, -1, math.MaxFloat32, -math.MaxFloat32} {
		if b := soa.Empty().Grow(by).Translate([3]float32{by, by, by}); b != soa.Empty() {
			t.Errorf("the empty box grown and moved by %v is %v", by, b)
		}
	}
}

func finiteBox(b soa.AABB) bool {
	for a := range 3 {
		if b.Min[a]-b.Min[a] != 0 || b.Max[a]-b.Max[a] != 0 {
			return false
		}
	}
	return true
}

// Sizes and areas against exact arithmetic.
func TestBoxArea(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	exact := 0
	for range testkit.Budget(t, 20_000, 1_000_000) {
		b := anyBox(r)
		size, area := b.Size(), b.Area()
		if b.IsEmpty() {
			if size != [3]float32{} || area != 0 {
				t.Fatalf("%v: size %v, area %v", b, size, area)
			}
			continue
		}
		if !finiteBox(b) {
			continue
		}
		var s [3]*big.Float
		for a := range s {
			s[a] = new(big.Float).SetPrec(1000).SetFloat64(float64(b.Max[a]))
			s[a].Sub(s[a], new(big.Float).SetFloat64(float64(b.Min[a])))
			if want, _ := s[a].Float32(); size[a] != want {
				t.Fatalf("%v: size %v, want %v", b, size, want)
			}
		}
		sum := new(big.Float).SetPrec(2000)
		for a := range s {
			sum.Add(sum, new(big.Float).SetPrec(2000).Mul(s[a], s[(a+1)%3]))
		}
		want, _ := sum.Mul(sum, big.NewFloat(2)).Float32()
		if inf := float32(math.Inf(1)); area != want && area != math.Nextafter32(want, inf) && area != math.Nextafter32(want, -inf) {
			t.Fatalf("%v: area %v, want %v", b, area, want)
		}
		if area == want {
			exact++
		}
	}
	if exact == 0 {
		t.Error("no area is exact")
	}
}

func FuzzBox(f *testing.F) {
	f.Add(float32(1), float32(2), float32(3), float32(4))
	f.Add(float32(math.Inf(1)), float32(math.NaN()), float32(-1), float32(0x1p24))
	f.Fuzz(func(t *testing.T, lo, hi, by, x float32) {
		b := soa.AABB{Min: [3]float32{lo, lo, lo}, Max: [3]float32{hi, hi, hi}}
		p := [3]float32{x, x, x}
		if g := b.Grow(by); !(by < 0) && b.ContainsPoint(p) && by == by && !g.ContainsPoint(p) {
			t.Fatalf("%v grown by %v, %v, lacks %v", b, by, g, p)
		}
		if a := b.Area(); a < 0 {
			t.Fatalf("%v: area %v", b, a)
		}
		if c := b.Intersect(soa.BoxOf(p)); !c.IsEmpty() != b.ContainsPoint(p) {
			t.Fatalf("%v and the point %v: %v", b, x, c)
		}
	})
}
