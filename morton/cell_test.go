package morton

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		k := Key(rng.Uint64()) & MaxKey
		if rng.IntN(4) == 0 {
			k = []Key{0, MaxKey, bitsX, bitsZ}[rng.IntN(4)]
		}
		b := rng.IntN(Bits + 1)
		c := CellOf(k, b)
		if c.Bits() != b || c.Level() != b/3 || c.IsOctant() != (b%3 == 0) {
			t.Fatalf("%v: bits %d, level %d", c, c.Bits(), c.Level())
		}
		if !c.Contains(k) || !c.Contains(c.First()) || !c.Contains(c.Last()) || c.Last()-c.First() != MaxKey>>b {
			t.Fatalf("%v spans %v to %v", c, c.First(), c.Last())
		}
		if c.First() > 0 && c.Contains(c.First()-1) || c.Last() < MaxKey && c.Contains(c.Last()+1) {
			t.Fatalf("%v contains too much", c)
		}
		// Its keys are one range of exactly its box.
		if got := slices.Collect(c.Box().Ranges()); !slices.Equal(got, []Range{c.Range()}) {
			t.Fatalf("%v: ranges %v", c, got)
		}
		p, ok := c.Parent()
		if ok != (b > 0) || ok && (!p.IsOctant() || !p.Holds(c) || p.Bits() >= b || p.Bits() < b-3) {
			t.Fatalf("%v: parent %v %v", c, p, ok)
		}
		if ok && c.IsOctant() && p.Child(c.Octant()) != c {
			t.Fatalf("%v is not child %d of %v", c, c.Octant(), p)
		}
		if c.IsOctant() && b < Bits {
			at := c.First()
			for i := range 8 {
				if d := c.Child(i); d.First() != at || d.Octant() != i || !c.Holds(d) || d.Holds(c) {
					t.Fatalf("%v: child %d is %v", c, i, d)
				} else {
					at = d.Last() + 1
				}
			}
		}
		// The common prefix is the longest one.
		o := Key(rng.Uint64()) & MaxKey
		if rng.IntN(2) == 0 {
			o = k ^ Key(1)<<rng.IntN(Bits)
		}
		m := Common(k, o)
		if !m.Contains(k) || !m.Contains(o) || m.Bits() < Bits && CellOf(k, m.Bits()+1).Contains(o) {
			t.Fatalf("Common(%v, %v) = %v", k, o, m)
		}
		d := CellOf(o, rng.IntN(Bits+1))
		j := c.Common(d)
		if !j.Holds(c) || !j.Holds(d) || c.Common(d) != d.Common(c) || (j == c) != c.Holds(d) {
			t.Fatalf("%v.Common(%v) = %v", c, d, j)
		}
		if c.Holds(d) && c.Compare(d) > 0 || c.Compare(d) != -d.Compare(c) || (c.Compare(d) == 0) != (c == d) {
			t.Fatalf("%v.Compare(%v) = %d", c, d, c.Compare(d))
		}
	}
}

func TestNeighbor(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20000 {
		k := Key(rng.Uint64()) & MaxKey
		switch rng.IntN(4) {
		case 0:
			k |= axisBits[rng.IntN(3)] &^ tail(rng.IntN(64))
		case 1:
			k &^= axisBits[rng.IntN(3)] &^ tail(rng.IntN(64))
		}
		c := CellOf(k, rng.IntN(Bits+1))
		lo, hi := c.Box().Corners()
		for f := range Face(Faces) {
			a := f / 2
			size := int64(hi[a]) - int64(lo[a]) + 1
			at := int64(lo[a]) + size
			if f&1 == 0 {
				at = int64(lo[a]) - size
			}
			n, ok := c.Neighbor(f)
			if ok != (at >= 0 && at <= Max) {
				t.Fatalf("%v face %d: ok %v at %d", c, f, ok, at)
			}
			if !ok {
				continue
			}
			want := lo
			want[a] = uint32(at)
			if n != CellOf(Encode(want[0], want[1], want[2]), c.Bits()) {
				t.Fatalf("%v face %d: %v, want the cell at %d", c, f, n, want)
			}
			if back, ok := n.Neighbor(f ^ 1); !ok || back != c {
				t.Fatalf("%v face %d and back: %v", c, f, back)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"bits":       func() { CellOf(0, 64) },
		"level":      func() { Key(0).At(-1) },
		"child":      func() { Cell{}.Child(8) },
		"deep child": func() { Key(0).At(21).Child(0) },
		"face":       func() { Cell{}.Neighbor(6) },
		"box":        func() { BoxOf([3]uint32{}, [3]uint32{0, Max + 1, 0}) },
		"cover":      func() { Box{}.AppendCover(nil, 0) },
		"octant":     func() { Key(0).Grow(8) },
		"root":       func() { Cell{}.Shrink() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// slow interleaves bit by bit: the definition.
func slow(p [3]uint32, levels int) (k uint64) {
	for bit := range levels {
		for a := range 3 {
			k |= uint64(p[a]>>bit&1) << (3*bit + a)
		}
	}
	return k
}

func TestEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	check := func(p [3]uint32) {
		t.Helper()
		k := Encode(p[0], p[1], p[2])
		if want := Key(slow(p, Levels)); k != want {
			t.Fatalf("Encode(%d) = %v, want %v", p, k, want)
		}
		x, y, z := k.Decode()
		if got := [3]uint32{x, y, z}; got != [3]uint32{p[0] & Max, p[1] & Max, p[2] & Max} {
			t.Fatalf("%v decodes to %d, want %d", k, got, p)
		}
		k30 := Encode30(p[0], p[1], p[2])
		if want := Key30(slow(p, Levels30)); k30 != want {
			t.Fatalf("Encode30(%d) = %v, want %v", p, k30, want)
		}
		x, y, z = k30.Decode()
		if got := [3]uint32{x, y, z}; got != [3]uint32{p[0] & Max30, p[1] & Max30, p[2] & Max30} {
			t.Fatalf("%v decodes to %d, want %d", k30, got, p)
		}
		if k30.Key().Key30() != k30 || !k.At(Levels30).Contains(k.Key30().Key()) {
			t.Fatalf("%v and %v do not convert", k, k30)
		}
	}
	edges := []uint32{0, 1, 2, Max30 - 1, Max30, Max30 + 1, Max - 1, Max, Max + 1, 1<<32 - 1}
	for _, x := range edges {
		for _, y := range edges {
			for _, z := range edges {
				check([3]uint32{x, y, z})
			}
		}
	}
	for range 10000 {
		check([3]uint32{rng.Uint32(), rng.Uint32(), rng.Uint32()})
	}
	if Encode(Max, Max, Max) != MaxKey || Key(1<<63).At(21) != (Cell{0, 63}) {
		t.Error("the last key, or a set bit 63")
	}
}

func FuzzKey(f *testing.F) {
	f.Add(uint32(0), uint32(1), uint32(Max))
	f.Fuzz(func(t *testing.T, x, y, z uint32) {
		k := Encode(x, y, z)
		if k != Key(slow([3]uint32{x, y, z}, Levels)) {
			t.Fatalf("Encode(%d, %d, %d) = %v", x, y, z, k)
		}
		a, b, c := k.Decode()
		if a != x&Max || b != y&Max || c != z&Max {
			t.Fatalf("%v decodes to %d %d %d", k, a, b, c)
		}
		k30 := Encode30(x, y, z)
		a, b, c = k30.Decode()
		if a != x&Max30 || b != y&Max30 || c != z&Max30 || k30.Key().Key30() != k30 {
			t.Fatalf("%v decodes to %d %d %d", k30, a, b, c)
		}
	})
}
