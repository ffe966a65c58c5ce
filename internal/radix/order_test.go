package radix

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// lengths are the lengths of every kernel test and each cutoff with its neighbours.
var lengths = func() []int {
	l := []int{0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1000}
	for _, cutoff := range []int{insertionMax, longMin, splitMin} {
		l = append(l, cutoff-1, cutoff, cutoff+1)
	}
	return l
}()

// reference returns the items by their definition.
func reference(keys []uint64) []uint64 {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(keys[i]<<1, keys[j]<<1), i-j) })
	items := make([]uint64, len(keys))
	for i, index := range order {
		items[i] = keys[index]<<1>>31<<31 | uint64(index)
	}
	return items
}

func mustOrder(t testing.TB, s *Scratch, keys []uint64, opt Options) []uint64 {
	t.Helper()
	items, err := s.Order(keys, opt)
	testkit.Must(t, err)
	return items
}

// mustEqual reports the first item that differs.
func mustEqual(t testing.TB, keys, got, want []uint64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d items of %d keys", len(got), len(keys))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("item %d of %d: got index %d, top %#x; want index %d, top %#x", i, len(got),
				Index(got[i]), Top(got[i]), Index(want[i]), Top(want[i]))
		}
	}
}

func TestOrder(t *testing.T) {
	var s Scratch // shared: buffers grow and shrink from call to call
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for _, n := range lengths {
				keys := kind.make(seeded(n), n)
				before := slices.Clone(keys)
				mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
				if !slices.Equal(keys, before) {
					t.Fatalf("n=%d: keys were changed", n)
				}
			}
		})
	}
}

// TestWorkers runs lengths at which each count of workers is first used.
func TestWorkers(t *testing.T) {
	var s Scratch
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for _, n := range testkit.Raced([]int{2*chunkMin - 1, 2 * chunkMin, 2*chunkMin + 1, 8*chunkMin + 5}, []int{2 * chunkMin}) {
				if n > 3*chunkMin && !testkit.Long(t) {
					continue
				}
				keys := kind.make(seeded(n), n)
				want := reference(keys)
				for _, workers := range testkit.Raced([]int{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8}, []int{2}) {
					if workers > 3 && !testkit.Long(t) {
						break // never more than two fit these lengths
					}
					mustEqual(t, keys, mustOrder(t, &s, keys, Options{Workers: workers}), want)
					if team := max(1, min(workers, n/chunkMin)); kind.name == "uniform" && len(s.team) != team {
						t.Fatalf("n=%d workers=%d: team of %d, want %d", n, workers, len(s.team), team)
					}
				}
			}
		})
	}
}

// TestRuns breaks ties in runs of every length around the cutoffs.
func TestRuns(t *testing.T) {
	var s Scratch
	for _, run := range []int{2, 3, insertionMax - 1, insertionMax, insertionMax + 1, longMin - 1, longMin, longMin + 1} {
		for _, low := range []uint64{0, 1, 3, lowMask} {
			r := seeded(run)
			keys := make([]uint64, 20*run)
			for i := range keys {
				keys[i] = uint64(i/run*37%20)<<45 | r.Uint64()&low
			}
			t.Run(fmt.Sprintf("run=%d/low=%#x", run, low), func(t *testing.T) {
				mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
				r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
				mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
			})
		}
	}
}

// TestPoll takes ranges long enough to check the context, and wide digits.
func TestPoll(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("sorts long ranges")
	}
	var s Scratch
	for _, name := range []string{"equal-top", "one-run", "outlier", "identical", "clustered"} {
		for _, n := range []int{pollMin - 1, pollMin, pollMin + 1, 300_000} {
			keys := named(name).make(seeded(n), n)
			mustEqual(t, keys, mustOrder(t, &s, keys, Options{Workers: 2}), reference(keys))
		}
	}
}

// TestDisplaced moves single keys and blocks of ascending keys, in numbers about
// the limit, with equal keys among them.
func TestDisplaced(t *testing.T) {
	var s Scratch
	for _, n := range []int{2, 3, 40, 300, 2000, 20_000} {
		for _, block := range []int{1, backMax - 1, backMax, backMax + 1, 20} {
			for _, moved := range []int{1, 2, n / 50, n / strayShare, n/strayShare + strayFree + 1} {
				r := seeded(n + block)
				keys := make([]uint64, n)
				for i := range keys {
					keys[i] = uint64(i/3) << 29
				}
				for range moved/block + 1 {
					from, to := r.IntN(n), r.IntN(n)
					b := slices.Clone(keys[from:min(n, from+block)])
					keys = slices.Delete(keys, from, from+len(b))
					keys = slices.Insert(keys, min(to, len(keys)), b...)
				}
				mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
			}
		}
	}
}

// TestAscendGivesUp sees few keys of an input in random order, and all of one
// that is nearly sorted.
func TestAscendGivesUp(t *testing.T) {
	const n = 10_000
	var s Scratch
	mustOrder(t, &s, uniform(seeded(n), n), Options{})
	if got := len(s.stray.keys); got > 2*strayFree {
		t.Errorf("%d strays before it gave up", got)
	}
	mustOrder(t, &s, named("nearly").make(seeded(n), n), Options{})
	if got := len(s.stray.items); got == 0 || got > n/strayShare+strayFree {
		t.Errorf("%d strays of %d nearly sorted keys", got, n)
	}
}

func TestSplitWidth(t *testing.T) {
	for _, c := range []struct {
		n    int
		want uint
	}{{splitMin, 1}, {10_000, 3}, {100_000, 5}, {1_000_000, 5}, {10_000_000, 8}, {100_000_000, 11}, {MaxLen, 11}} {
		if got := splitWidth(c.n); got != c.want {
			t.Errorf("%d keys are split by %d bits, want %d", c.n, got, c.want)
		}
	}
}

func TestTooManyKeys(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("no slice is that long")
	}
	checkLen(MaxLen)
	defer func() {
		if r := recover(); r != "radix: 2147483648 keys exceed 2147483647" {
			t.Errorf("panic %v", r)
		}
	}()
	limit := MaxLen
	checkLen(limit + 1)
}

func TestBit63IsIgnored(t *testing.T) {
	var s Scratch
	for _, n := range []int{2, 10, 32, 33, 100, 3000} {
		keys := uniform(seeded(n), n)
		want := reference(keys)
		for i := 0; i < n; i += 2 {
			keys[i] |= 1 << 63
		}
		mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), want)
		slices.SortFunc(keys, func(a, b uint64) int { return cmp.Compare(a<<1, b<<1) })
		mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
	}
}

func TestItem(t *testing.T) {
	for _, index := range []int{0, 1, MaxLen - 1} {
		for _, key := range []uint64{0, lowMask, 1 << 30, 1<<63 - 1, 1 << 63} {
			item := pack(key, index)
			if Index(item) != uint32(index) || Top(item) != key<<1>>31 {
				t.Errorf("pack(%#x, %d) = %#x: index %d, top %#x", key, index, item, Index(item), Top(item))
			}
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte{}, uint16(0))
	f.Add([]byte("keys of eight bytes each, repeated"), uint16(1))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}, uint16(600))
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07abcdefgh"), uint16(5000))
	f.Add([]byte("X\xcf0000000"), uint16(1)) // few keys, two of them with bit 63
	f.Fuzz(func(t *testing.T, data []byte, extra uint16) {
		// Windows of data, one byte apart, reach every path with few bytes;
		// extra keys are made of them and lie near each other.
		var keys []uint64
		var key uint64
		for _, b := range data {
			key = key<<8 | uint64(b)
			keys = append(keys, key)
		}
		for i := range int(extra) {
			key += key >> (i % 61)
			keys = append(keys, key)
		}
		var s Scratch
		mustEqual(t, keys, mustOrder(t, &s, keys, Options{}), reference(keys))
	})
}

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
