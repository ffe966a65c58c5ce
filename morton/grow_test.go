package morton

import (
	"math/rand/v2"
	"testing"
)

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
	for range 500 {
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
