package morton

import (
	"math/rand/v2"
	"testing"
)

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
