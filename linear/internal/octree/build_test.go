package octree

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// A build examines the centres of all objects if there are few, and otherwise of 1,024 objects or more, less
// than twice as many, at equal distances.
func TestSampleSize(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	sizes := []int{0, 1, 2, 1023, 1024, 1025, 2046, 2047, 2048, 2049, 3071, 3072, 100_000}
	for range 50 {
		sizes = append(sizes, r.IntN(50_000))
	}
	for _, n := range sizes {
		j := &job{objects: make([]soa.Object, n), n: n}
		for i := range j.objects {
			j.objects[i].Box.Min[1], j.objects[i].Box.Max[1] = float32(i), float32(i)
		}
		x := j.sample(nil, 1)
		if got := len(x); got >= 2048 || got < min(n, 1024) {
			t.Errorf("%d of %d centres are looked at", got, n)
		}
		for i := range x {
			if i > 0 && x[i]-x[i-1] != x[1]-x[0] || x[0] != 0 || float32(n)-x[len(x)-1] > max(x[min(1, len(x)-1)], 1) {
				t.Fatalf("of %d centres these are looked at: %v", n, x)
			}
		}
	}
}

// A sample is gathered if three quarters of it or more lie in two neighbours of 16 bins, anywhere.
func TestGathered(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{8, 9, 16, 64, 100, 1024} {
		rest := 2 * max(n/8, 1)
		for out := range n - 1 { // number of values at the lower end, beside one at the upper end
			for _, bin := range []int{3, 7, 11} {
				x := make([]float32, n)
				for i := range x {
					switch {
					case i == 0:
						x[i] = 16
					case i < out:
						x[i] = r.Float32() / 2
					default:
						x[i] = float32(bin) + 0.01 + 1.98*r.Float32()
					}
				}
				x[n-1] = 0
				apart := max(out, 1) + 1
				r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
				want := apart <= rest || apart-1 >= n-rest // or nearly all at the lower end
				if got := gathered(x, 16); got != want {
					t.Fatalf("%d of %d lie apart from bins %d and %d: gathered %v", apart, n, bin, bin+1, got)
				}
			}
		}
	}
	if gathered([]float32{1, 1}, 16) {
		t.Error("two are no sample")
	}
}

// The placement boxes of a node of a build equal the boxes computed packet by packet.
func TestPlacementBoxes(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, slack := range []int{-1, 1, 10, 100} {
		tree := &Tree{State: State{Config: Config{Slack: slack}}}
		for range 200 {
			node, lanes := soa.EmptyNode, r.IntN(soa.Fan+1)
			for l := range lanes {
				for a := range 3 {
					x := float32(math.Ldexp(r.Float64()-0.5, r.IntN(250)-120))
					y := x + float32(math.Ldexp(r.Float64(), r.IntN(250)-120))
					node.Bounds[2*a][l], node.Bounds[2*a+1][l] = x, y
				}
			}
			homes := make([]soa.AABB, soa.Fan)
			tree.placementBoxes(homes, &node, lanes)
			for l, home := range homes {
				tight := LaneBox(&node, l)
				if want := tree.placementBox(&tight); home != want {
					t.Fatalf("slack %d: lane %d of %d has the home %v, want %v", slack, l, lanes, home, want)
				}
			}
		}
	}
}

// Rows are divided among as many workers as allowed and as have enough rows: each row to one worker, in parts
// of one size, the last with the remainder.
func TestInParts(t *testing.T) {
	for workers := 1; workers <= 8; workers++ {
		for n := range 50 {
			for _, least := range []int{1, 2, 5, 16, 100} {
				j := &job{t: &Tree{State: State{Config: Config{Workers: workers}}}}
				var lock sync.Mutex
				var parts [][2]int
				const first = 7
				j.inParts(first, first+n, least, func(_ *job, lo, hi int) {
					lock.Lock()
					defer lock.Unlock()
					parts = append(parts, [2]int{lo, hi})
				})
				slices.SortFunc(parts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
				if want := max(min(workers, n/least), 1); len(parts) != want {
					t.Fatalf("%d workers, %d rows of at least %d: %v, want %d parts", workers, n, least, parts, want)
				}
				at, each := first, n/len(parts)
				for i, p := range parts {
					end := at + each
					if i == len(parts)-1 {
						end = first + n
					}
					if p != [2]int{at, end} {
						t.Fatalf("%d workers, %d rows of at least %d: %v", workers, n, least, parts)
					}
					at = end
				}
			}
		}
	}
}

// squeezedByBits packs the varying bits of a key, one by one.
func squeezedByBits(key, vary uint64) (x uint64) {
	to := uint64(1) << 62
	for b := to; b != 0; b >>= 1 {
		if vary&b != 0 {
			if key&b != 0 {
				x |= to
			}
			to >>= 1
		}
	}
	return x
}

// Squeezed keys consist of the varying bits; stretching restores the keys, and the boundary between two
// squeezed keys stretches to the boundary between the keys.
func TestSqueeze(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	const z = 0x4924924924924924 // the bits of an axis
	const all = uint64(morton.MaxKey)
	masks := []uint64{all, 0, 1, 1 << 62, z, all &^ z, z | 0xFFF, all >> 32, all &^ (all >> 30)}
	for range 300 {
		m := r.Uint64() & all
		for range r.IntN(5) {
			m &= r.Uint64()
		}
		masks = append(masks, m, all&^m)
	}
	for _, mask := range masks {
		fixed := r.Uint64() & all &^ mask
		keys := make([]uint64, 40)
		for i := range keys {
			keys[i] = fixed | r.Uint64()&mask
		}
		squeezed := slices.Clone(keys)
		vary := differing(squeezed, squeezed[0])
		q := squeezing(squeezed[0], vary)
		q.squeeze(squeezed)
		for i, k := range keys {
			if want := squeezedByBits(k, vary); squeezed[i] != want {
				t.Fatalf("key %x that varies in %x is squeezed to %x, want %x", k, vary, squeezed[i], want)
			}
			if got := q.key(squeezed[i]); got != k {
				t.Fatalf("key %x that varies in %x is stretched to %x", k, vary, got)
			}
			for j, l := range keys {
				if (k < l) != (squeezed[i] < squeezed[j]) {
					t.Fatalf("keys %x and %x are in another order squeezed", k, l)
				}
				if k < l {
					want := faceBetween(k, l)
					if got := q.face(faceBetween(squeezed[i], squeezed[j])); got != want {
						t.Fatalf("face between %x and %x that vary in %x: %x, want %x", k, l, vary, got, want)
					}
				}
			}
		}
	}
}

// faceBetween returns the number of most trailing zeros above a and not above b.
func faceBetween(a, b uint64) uint64 {
	shift := bits.Len64(a^b) - 1
	return b >> shift << shift
}

// splitRef is the documented result of splitting keys: how many stay, and the boundary between the keys of the
// two cells.
func splitRef(keys []uint64) (cut int, high, low uint64) {
	sorted := slices.Sorted(slices.Values(keys))
	n := len(sorted)
	cut = n / 2
	best := 0
	for i := max(1, n/4); i <= n-max(1, n/4); i++ {
		if bit := bits.Len64(sorted[i-1] ^ sorted[i]); bit > best {
			best, cut = bit, i
		}
	}
	high, low = sorted[cut-1], sorted[cut]
	if high < low {
		shift := bits.Len64(high^low) - 1
		low = low >> shift << shift
		high = low - 1
	}
	return cut, high, low
}

// Any number of keys is split like sorted keys, in any order and with any number of equal keys; the keys that
// stay are the first in their order.
func TestLoadByKey(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	c := &leaf{keys: make([]uint64, leafMax)}
	for n := 2; n <= leafMax; n++ {
		for _, few := range []uint64{1, 2, 3, 20, 1 << 40, uint64(morton.MaxKey) + 1} {
			for _, span := range []soa.KeySpan{{High: uint64(morton.MaxKey)}, {Low: few / 3, High: few/3 + few/2}} {
				c.n = n
				keys := make([]uint64, n)
				for i := range keys {
					c.keys[i] = r.Uint64N(few)
					keys[i] = min(max(c.keys[i], span.Low), span.High)
				}
				want, high, low := splitRef(keys)
				got, gotHigh, gotLow := c.loadByKey(span)
				if got != want || gotHigh != high || gotLow != low {
					t.Fatalf("%d keys of %d in %v: %d stay, up to %#x, next %#x; want %d, %#x, %#x", n, few, span, got, gotHigh, gotLow, want, high, low)
				}
				order := slices.Clone(c.cutter.objects.Of)
				byKey := slices.Clone(order)
				slices.Sort(byKey)
				slices.SortStableFunc(byKey, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
				for _, part := range [][2]int{{0, want}, {want, n}} {
					slices.Sort(byKey[part[0]:part[1]])
				}
				if !slices.Equal(order, byKey) {
					t.Fatalf("%d keys of %d in %v: order %v, want %v", n, few, span, order, byKey)
				}
			}
		}
	}
}
