package bitset

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// equal compares a set with the numbers that should be in it.
func equal(t *testing.T, b *Set, want map[uint32]bool) {
	t.Helper()
	if b.Len() != len(want) {
		t.Fatalf("%d members, want %d", b.Len(), len(want))
	}
	last := uint32(0)
	for i := range want {
		last = max(last, i)
	}
	for i := range last + 130 {
		if b.Has(i) != want[i] {
			t.Fatalf("Has(%d) = %v, want %v", i, b.Has(i), want[i])
		}
		w := b.Words()
		if in := int(i/64) < len(w) && w[i/64]>>(i%64)&1 == 1; in != want[i] {
			t.Fatalf("bit %d is %v, want %v", i, in, want[i])
		}
	}
}

// A set has the behaviour of a map.
func TestSet(t *testing.T) {
	for _, most := range []uint32{1, 63, 64, 65, 1000, 20_000} {
		r := rand.New(rand.NewPCG(1, uint64(most)))
		var sets [2]Set
		models := [2]map[uint32]bool{{}, {}}
		for range 60 {
			k := r.IntN(2)
			b, want := &sets[k], models[k]
			switch op := r.IntN(8); {
			case op < 4:
				for range r.IntN(int(min(most, 300))) + 1 {
					i := r.Uint32N(most)
					b.Add(i)
					want[i] = true
				}
			case op < 5:
				b.Join(&sets[1-k])
				maps.Copy(want, models[1-k])
			case op < 6:
				c := b.Clone()
				b.Add(most)
				b.Clear()
				equal(t, b, nil)
				*b = c
				b.Trim()
				if w := b.Words(); len(w) > 0 && w[len(w)-1] == 0 || cap(w) > 2*len(w) && cap(w) > 8 {
					t.Fatalf("%d words with room for %d after Trim", len(w), cap(w))
				}
			case op < 7:
				takeAll(t, b, want)
			default:
				b.Clear()
				clear(want)
			}
			equal(t, &sets[0], models[0])
			equal(t, &sets[1], models[1])
		}
	}
}

// takeAll takes all members of a set, in ascending order, each once, including members added meanwhile behind the
// last one.
func takeAll(t *testing.T, b *Set, want map[uint32]bool) {
	t.Helper()
	rest := slices.Sorted(maps.Keys(want))
	var some Some
	rounds := 0
	for from := 0; b.Len() > 0; rounds++ {
		list := b.Take(&some, &from)
		if len(list) == 0 || len(list) > len(rest) || !slices.Equal(list, rest[:len(list)]) {
			t.Fatalf("Take returned %d members, %d were left", len(list), len(rest))
		}
		rest = rest[len(list):]
		if rounds == 0 {
			next := list[len(list)-1]/64*64 + 64
			b.Add(next)
			if !slices.Contains(rest, next) {
				rest = append(rest, next)
				slices.Sort(rest)
			}
		}
	}
	if len(rest) > 0 {
		t.Fatalf("%d members were never taken", len(rest))
	}
	clear(want)
}

// Take leaves the members that do not fit into its list for the next call.
func TestTakeInParts(t *testing.T) {
	var b Set
	want := map[uint32]bool{}
	for i := range uint32(3*len(Some{}) + 5) {
		b.Add(2 * i)
		want[2*i] = true
	}
	takeAll(t, &b, want)
	equal(t, &b, nil)
}

// A set that has been as large before allocates nothing.
func TestAllocs(t *testing.T) {
	var b Set
	b.Add(5000)
	var some Some
	if n := testing.AllocsPerRun(10, func() {
		for i := range uint32(5000) {
			b.Add(i)
		}
		for from := 0; b.Len() > 0; {
			b.Take(&some, &from)
		}
		b.Clear()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A set made of the words of another one has its members.
func TestOf(t *testing.T) {
	var b Set
	for _, i := range []uint32{0, 3, 64, 200} {
		b.Add(i)
	}
	c := Of(slices.Clone(b.Words()))
	equal(t, &c, map[uint32]bool{0: true, 3: true, 64: true, 200: true})
	c = Of(nil)
	equal(t, &c, nil)
}
