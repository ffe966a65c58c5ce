package morton

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

const maxFloat = math.MaxFloat32

var inf32, nan32 = float32(math.Inf(1)), float32(math.NaN())

// anyFloat returns a finite float32: of one of many scales, or special.
func anyFloat(rng *rand.Rand) float32 {
	switch rng.IntN(6) {
	case 0:
		return []float32{0, float32(math.Copysign(0, -1)), 0x1p-149, -0x1p-149, 0x1p-126, -0x1p-126,
			1, -1, 1024, -1024, maxFloat, -maxFloat, 0x1p127, -0x1p127}[rng.IntN(14)]
	case 1:
		for {
			if f := math.Float32frombits(rng.Uint32()); f == f && f >= -maxFloat && f <= maxFloat {
				return f
			}
		}
	}
	return float32(rng.NormFloat64() * math.Ldexp(1, rng.IntN(40)-20))
}

// anyBox returns corners of a closed box, now and then without extent.
func anyBox(rng *rand.Rand) (lo, hi [3]float32) {
	for a := range 3 {
		x := anyFloat(rng)
		y := anyFloat(rng)
		if rng.IntN(3) == 0 {
			y = x
		}
		lo[a], hi[a] = min(x, y), max(x, y)
	}
	return lo, hi
}

// exactCoord is the definition, in float64, which holds c/2^e for every c and e.
func exactCoord(w World, c float32, a int) int64 {
	f := math.Floor(math.Ldexp(float64(c), -w.Exp())) - float64(w.Origin()[a])
	return int64(min(max(f, -1), Max+1))
}

func checkWorldPoint(t *testing.T, w World, p [3]float32) {
	t.Helper()
	var q [3]uint32
	inside := true
	for a := range p {
		c := exactCoord(w, p[a], a)
		inside = inside && c >= 0 && c <= Max
		q[a] = uint32(min(max(c, 0), Max))
	}
	if w.Inside(p) != inside {
		t.Fatalf("%v: Inside(%v) = %v", w, p, !inside)
	}
	k := w.Key(p)
	if want := Encode(q[0], q[1], q[2]); k != want {
		t.Fatalf("%v: Key(%v) = %v, want %v", w, p, k, want)
	}
	if !inside {
		return
	}
	for _, b := range []int{0, 1, 17, 30, 62, 63} {
		lo, hi := w.CellBox(CellOf(k, b))
		for a := range p {
			if !(lo[a] <= p[a] && (p[a] < hi[a] || hi[a] == maxFloat)) {
				t.Fatalf("%v: %v is not in the box %v to %v of its cell of %d bits", w, p, lo, hi, b)
			}
		}
	}
}

func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for range testkit.Again(20_000, 4000) {
		lo, hi := anyBox(rng)
		w, err := Fit(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		if slow := fitFrom(MinExp, lo, hi); lo != hi && w != slow {
			t.Fatalf("Fit(%v, %v) = %v, the smallest one is %v", lo, hi, w, slow)
		}
		if again, err := NewWorld(w.Exp(), w.Origin()); err != nil || again != w {
			t.Fatalf("NewWorld of %v: %v, %v", w, again, err)
		}
		if w.Side() != float64(w.CellSide())*(1<<21) {
			t.Fatalf("%v: side %v of cells of %v", w, w.Side(), w.CellSide())
		}
		if !w.Inside(lo) || !w.Inside(hi) {
			t.Fatalf("%v does not hold %v to %v", w, lo, hi)
		}
		for _, o := range w.Origin() {
			if o%(1<<20) != 0 || o < -1<<24 || o+1<<21 > 1<<24 {
				t.Fatalf("origin %v", w.Origin())
			}
		}
		for _, p := range [][3]float32{lo, hi, {lo[0], hi[1], lo[2]}, {anyFloat(rng), anyFloat(rng), anyFloat(rng)}} {
			checkWorldPoint(t, w, p)
		}
		// Borders: the first and the last float32 of the cube and those beyond.
		min, max := w.Bounds()
		var in, out [3]float32
		for a := range 3 {
			in[a] = math.Nextafter32(max[a], -inf32)
			out[a] = math.Nextafter32(min[a], -inf32)
		}
		for _, p := range [][3]float32{min, max, in, out} {
			if p[0] >= -maxFloat && p[1] >= -maxFloat && p[2] >= -maxFloat {
				checkWorldPoint(t, w, p)
			}
		}
	}
}

func TestFitSpecial(t *testing.T) {
	for _, c := range []struct {
		lo, hi [3]float32
		exp    int
		origin [3]int32
	}{
		{[3]float32{}, [3]float32{}, -21, [3]int32{}},
		{[3]float32{-0.5, 0, 0}, [3]float32{-0.5, 0, 0}, -21, [3]int32{-1 << 20, 0, 0}},
		{[3]float32{0, 0, 0}, [3]float32{1023, 1, 1}, -11, [3]int32{}},
		{[3]float32{0, 0, 0}, [3]float32{1024, 1, 1}, -10, [3]int32{}}, // the maximum itself is inside
		{[3]float32{-1, -1, -1}, [3]float32{0.5, 0.5, 0.5}, -20, [3]int32{-1 << 20, -1 << 20, -1 << 20}},
		{[3]float32{-maxFloat, 0, 0}, [3]float32{maxFloat, 0, 0}, 108, [3]int32{-1 << 20, 0, 0}},
		{[3]float32{1e6, 0, 0}, [3]float32{1e6, 0, 0}, -3, [3]int32{1e6 * 8 >> 20 << 20, 0, 0}},
		{[3]float32{0, 0, 0}, [3]float32{0x1p-149, 0, 0}, -127, [3]int32{}},
	} {
		w, err := Fit(c.lo, c.hi)
		if err != nil || w.Exp() != c.exp || w.Origin() != c.origin {
			t.Errorf("Fit(%v, %v) = 2^%d %v, %v; want 2^%d %v", c.lo, c.hi, w.Exp(), w.Origin(), err, c.exp, c.origin)
		}
	}
	for _, c := range [][2]float32{{nan32, 0}, {0, nan32}, {-inf32, 0}, {0, inf32}, {1, 0}} {
		for a := range 3 {
			var lo, hi [3]float32
			lo[a], hi[a] = c[0], c[1]
			if w, err := Fit(lo, hi); err == nil || w != (World{}) {
				t.Errorf("Fit(%v, %v) = %v", lo, hi, w)
			}
		}
	}
	for _, c := range []struct {
		exp    int
		origin int32
	}{{-128, 0}, {109, 0}, {0, -1<<24 - 1}, {0, 1<<24 - 1<<21 + 1}, {1 << 30, 0}} {
		if w, err := NewWorld(c.exp, [3]int32{0, c.origin, 0}); err == nil {
			t.Errorf("NewWorld(%d, %d) = %v", c.exp, c.origin, w)
		}
	}
}

func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for range 2000 {
		lo, hi := anyBox(rng)
		w, _ := Fit(lo, hi)
		for range 20 {
			p, q := anyBox(rng)
			b, err := w.BoxOf(p, q)
			if err != nil || b.Empty() {
				t.Fatalf("%v: %v to %v gives %v, %v", w, p, q, b, err)
			}
			c := soa.AABB{Min: p, Max: q}.Center()
			if k := w.KeyOfBox(p, q); k != w.Key(c) {
				t.Fatalf("%v: the centre of %v to %v has the key %v, want %v", w, p, q, k, w.Key(c))
			}
		}
	}
	w := World{}
	if b, err := w.BoxOf([3]float32{-inf32, -inf32, -inf32}, [3]float32{inf32, inf32, inf32}); err != nil || b != (Box{0, MaxKey}) {
		t.Errorf("all of space: %v, %v", b, err)
	}
	if _, err := w.BoxOf([3]float32{nan32, 0, 0}, [3]float32{0, 0, 0}); err == nil {
		t.Error("a NaN in a box")
	}
	if dst, err := w.AppendCover([]Range{{1, 1}}, [3]float32{1, 0, 0}, [3]float32{0, 0, 0}, 4); err == nil || len(dst) != 1 {
		t.Error("an inverted box")
	}
}

func TestEncodeBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, tier := range cpu.Available() {
		former, err := cpu.Force(tier)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			w, _ := Fit(anyBox(rng))
			keys, boxes := make([]Key, 37), make([]float32, 37*8)
			for i := range keys {
				lo, hi := anyBox(rng)
				copy(boxes[8*i:], lo[:])
				copy(boxes[8*i+3:], hi[:])
			}
			w.EncodeBoxes(keys, boxes, 8)
			for i, k := range keys {
				if want := w.KeyOfBox([3]float32(boxes[8*i:]), [3]float32(boxes[8*i+3:])); k != want {
					t.Fatalf("%v: key %d of %v is %v, want %v", w, i, boxes[8*i:][:6], k, want)
				}
			}
		}
		cpu.Force(former)
	}
	World{}.EncodeBoxes(nil, nil, 6)
}

func FuzzWorld(f *testing.F) {
	f.Add(float32(-1), float32(1), float32(0.5), float32(0.25), uint8(3))
	f.Add(float32(0x1p-149), float32(0x1p-149), float32(-0x1p-149), float32(maxFloat), uint8(0))
	f.Fuzz(func(t *testing.T, a, b, x, y float32, octant uint8) {
		w, err := Fit([3]float32{a, a, a}, [3]float32{b, b, a})
		if err != nil {
			return
		}
		if x == x && y == y {
			p, q := [3]float32{x, y, x}, [3]float32{y, y, y}
			checkWorldPoint(t, w, p)
			checkGrow(t, w, p, int(octant%8))
			if x <= y {
				box, err := w.BoxOf(p, q)
				if err != nil || box.Empty() {
					t.Fatalf("%v: %v to %v gives %v, %v: not monotone", w, p, q, box, err)
				}
			}
		}
	})
}

// checkGrow grows w, if it can, and compares shifted keys with encoded ones;
// then shrinks it back, and into the octant of p.
func checkGrow(t *testing.T, w World, p [3]float32, octant int) World {
	t.Helper()
	k := w.Key(p)
	g, ok := w.Grow(octant)
	if ok {
		if back, ok := g.Shrink(octant); !ok || back != w {
			t.Fatalf("%v grown into octant %d and back is %v", w, octant, back)
		}
		if w.Inside(p) {
			if got, want := k.Grow(octant), g.Key(p); got != want || !g.Inside(p) {
				t.Fatalf("%v into octant %d of %v: %v has key %v, shifted %v", w, octant, g, p, want, got)
			}
		}
		for _, b := range []int{0, 2, 3, 31, 60} {
			c := CellOf(k, b)
			lo, hi := w.CellBox(c)
			lo2, hi2 := g.CellBox(c.Grow(octant))
			if lo != lo2 || hi != hi2 || c.Grow(octant).Shrink() != c {
				t.Fatalf("%v: cell %v moves from %v %v to %v %v", w, c, lo, hi, lo2, hi2)
			}
		}
	} else if g != w {
		t.Fatalf("a failed growth changed %v to %v", w, g)
	}
	into := k.At(1).Octant()
	if s, ok := w.Shrink(into); !ok {
		if s != w {
			t.Fatalf("a failed shrink changed %v to %v", w, s)
		}
	} else if w.Inside(p) {
		if got, want := k.At(Levels).Shrink(), s.Key(p); got.Level() != 20 || !got.Contains(want) || !s.Inside(p) {
			t.Fatalf("%v to octant %d, %v: %v has key %v, shifted %v", w, into, s, p, want, got)
		}
		if back, ok := s.Grow(into); !ok || back != w {
			t.Fatalf("%v shrunk to octant %d and back is %v", w, into, back)
		}
	}
	return g
}

// Twenty doublings in random directions, from any world that Fit makes.
func TestGrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for range testkit.Again(500, 100) {
		w, err := Fit(anyBox(rng))
		if err != nil {
			t.Fatal(err)
		}
		for step := range 30 {
			lo, hi := w.Bounds()
			var p [3]float32
			for a := range p {
				p[a] = lo[a] + float32(rng.Float64()*w.Side())
				if !(p[a] >= lo[a] && p[a] <= hi[a]) {
					p[a] = lo[a]
				}
			}
			before := w
			w = checkGrow(t, w, p, rng.IntN(8))
			checkGrow(t, w, [3]float32{anyFloat(rng), anyFloat(rng), anyFloat(rng)}, rng.IntN(8))
			if w == before && step < 20 && w.Exp() < MaxExp {
				t.Fatalf("%v, origin %v, does not grow after %d steps", w, w.Origin(), step)
			}
		}
	}
}

// Shifts keep the order of keys.
func TestGrowOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	for range 10000 {
		a, b := Key(rng.Uint64())&MaxKey, Key(rng.Uint64())&MaxKey
		a, b = min(a, b), max(a, b)
		o := rng.IntN(8)
		if a.Grow(o) > b.Grow(o) || a.Grow(o).At(1).Octant() != o {
			t.Fatalf("growth into octant %d: %v, %v to %v, %v", o, a, b, a.Grow(o), b.Grow(o))
		}
	}
}

// Growing towards a point reaches it.
func TestTowards(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	for range 2000 {
		w, err := Fit([3]float32{-1, -1, -1}, [3]float32{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		var p [3]float32
		for a := range p {
			p[a] = float32(rng.NormFloat64() * 10000)
		}
		for steps := 0; !w.Inside(p); steps++ {
			g, ok := w.Grow(w.Towards(p))
			if !ok || steps > 20 {
				t.Fatalf("%v stops growing towards %v", w, p)
			}
			w = g
		}
	}
}
