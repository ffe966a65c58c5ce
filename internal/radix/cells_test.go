package radix

import (
	"math/rand/v2"
	"testing"
)

// Buckets are prefixes that hold all keys in their order, none with more than it
// should where its digits differ, and no more of them than halving needs.
func TestCells(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	when := func(yes bool, n uint32) uint32 {
		if yes {
			return n
		}
		return 0
	}
	counts := map[string]func(d int) uint32{
		"even":      func(int) uint32 { return 10 },
		"an eighth": func(d int) uint32 { return when(d < 256, 80) },
		"one":       func(d int) uint32 { return when(d == 1234, 20_000) },
		"ends":      func(d int) uint32 { return when(d == 0 || d == splitMask, 9000) },
		"random":    func(int) uint32 { return r.Uint32N(20) },
		"sparse":    func(int) uint32 { return when(r.IntN(100) == 0, 500) },
	}
	for name, count := range counts {
		var n, upTo [1 << splitMax]uint32
		sum := uint32(0)
		for d := range n {
			n[d] = count(d)
			sum += n[d]
			upTo[d] = sum
		}
		if sum == 0 {
			t.Fatalf("%s: no keys", name)
		}
		most := sum/32 + 1
		c := new(cells)
		c.divide(&upTo, most)
		at, digit := uint32(0), 0
		for b := range c.n {
			first, end := int(c.first[b]), int(c.first[b])+1<<c.wide[b]
			if first&(1<<c.wide[b]-1) != 0 || first < digit {
				t.Fatalf("%s: bucket %d has digits %d to %d", name, b, first, end-1)
			}
			for ; digit < first; digit++ {
				if n[digit] != 0 {
					t.Fatalf("%s: digit %d is in no bucket", name, digit)
				}
			}
			if c.at[b] != at {
				t.Fatalf("%s: bucket %d begins at %d, want %d", name, b, c.at[b], at)
			}
			for ; digit < end; digit++ {
				at += n[digit]
				if n[digit] != 0 && int(c.of[digit]) != b {
					t.Fatalf("%s: digit %d is in bucket %d, want %d", name, digit, c.of[digit], b)
				}
			}
			if long := at - c.at[b]; long == 0 || long > most && c.wide[b] > 0 {
				t.Fatalf("%s: bucket %d of digits %d to %d has %d keys, at most %d", name, b, first, end-1, long, most)
			}
		}
		if at != sum || c.at[c.n] != sum {
			t.Fatalf("%s: buckets hold %d keys and end at %d, want %d", name, at, c.at[c.n], sum)
		}
		if limit := 32 * (splitMax + 1); c.n > limit {
			t.Errorf("%s: %d buckets, more than %d", name, c.n, limit)
		}
	}
}
