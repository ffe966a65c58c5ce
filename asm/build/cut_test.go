package build_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

// gridPoints are the coordinates of objects on the grid, in columns.
type gridPoints [3][]uint32

func (p gridPoints) len() int { return len(p[0]) }

// makeGridPoints returns n objects in that kind of memory.
func makeGridPoints(t testing.TB, at kernel.Place, n int, of func(i int) [3]uint32) (p gridPoints) {
	for a := range p {
		p[a] = kernel.Room[uint32](t, at, n)
	}
	for i := range n {
		for a, x := range of(i) {
			p[a][i] = x
		}
	}
	return p
}

const lastCell = 1<<21 - 1

// gridKinds are arrangements of objects.
func gridKinds(rng *rand.Rand, n int) map[string]func(i int) [3]uint32 {
	any := func(most uint32) func(i int) [3]uint32 {
		return func(int) [3]uint32 { return [3]uint32{rng.Uint32N(most), rng.Uint32N(most), rng.Uint32N(most)} }
	}
	flat := func(axis int) func(i int) [3]uint32 {
		return func(int) [3]uint32 {
			p := any(1 << 21)(0)
			p[axis] = lastCell
			return p
		}
	}
	return map[string]func(i int) [3]uint32{
		"random":       any(1 << 21),
		"few values":   any(5),
		"two values":   any(2),
		"all equal":    func(int) [3]uint32 { return [3]uint32{lastCell, 0, 77} },
		"sorted":       func(i int) [3]uint32 { return [3]uint32{7, uint32(i) * 3, uint32(i)} },
		"reversed":     func(i int) [3]uint32 { return [3]uint32{7, uint32(n - i), uint32(n-i) * 3} },
		"equal spans":  func(i int) [3]uint32 { return [3]uint32{uint32(n - i), uint32(i + 1), uint32(n - i)} },
		"flat x":       flat(0),
		"flat y":       flat(1),
		"flat z":       flat(2),
		"ends of grid": func(int) [3]uint32 { return [3]uint32{rng.Uint32N(2) * lastCell, 0, rng.Uint32N(2) * lastCell} },
		"one far":      func(i int) [3]uint32 { return [3]uint32{uint32(i / 2), uint32(i), lastCell * uint32(1-min(i, 1))} },
	}
}

// cutRef is the documented result of halving the objects lo to hi-1 of an order. before orders two of one coordinate:
// negative if the former is first.
func cutRef(p gridPoints, order []int, lo, mid, hi int, before func(i, j int) int) {
	run := order[lo:hi]
	if len(run) == 0 {
		return
	}
	axis, most := 0, uint32(0)
	for a := range 3 {
		x := func(i int) uint32 { return p[a][i] }
		least, largest := x(run[0]), x(run[0])
		for _, i := range run {
			least, largest = min(least, x(i)), max(largest, x(i))
		}
		if span := largest - least; span > most {
			axis, most = a, span
		}
	}
	sorted := slices.Clone(run)
	slices.SortStableFunc(sorted, func(i, j int) int {
		return cmp.Or(cmp.Compare(p[axis][i], p[axis][j]), before(i, j))
	})
	lower := make([]bool, p.len())
	for _, i := range sorted[:mid-lo] {
		lower[i] = true
	}
	var parts [2][]int
	for _, i := range run {
		if lower[i] {
			parts[0] = append(parts[0], i)
		} else {
			parts[1] = append(parts[1], i)
		}
	}
	copy(run, slices.Concat(parts[0], parts[1]))
}

func checkCut(t *testing.T, c *build.Cut, p gridPoints, steps []build.CutStep) {
	t.Helper()
	want := make([]int, p.len())
	for i := range want {
		want[i] = i
	}
	for _, s := range steps {
		cutRef(p, want, int(s.Lo), int(s.Mid), int(s.Hi), cmp.Compare[int])
	}
	c.Load(p[0], p[1], p[2])
	c.Halve(steps)
	for i := range want {
		if got := c.Place(i); got != want[i] {
			t.Fatalf("%d objects, %d steps: place %d has object %d, want %d\n%v", p.len(), len(steps), i, got, want[i], steps)
		}
	}
}

// levels are the steps that halve n objects until parts are of a size, level by level,
// at multiples of that.
func levels(n, size int) (steps []build.CutStep) {
	queue := [][2]int{{0, n}}
	for len(queue) > 0 {
		lo, hi := queue[0][0], queue[0][1]
		queue = queue[1:]
		if parts := (hi - lo + size - 1) / size; parts > 1 {
			mid := lo + (parts+1)/2*size
			steps = append(steps, build.CutStep{Lo: uint16(lo), Mid: uint16(mid), Hi: uint16(hi)})
			queue = append(queue, [2]int{lo, mid}, [2]int{mid, hi})
		}
	}
	return steps
}

// Every size, in parts of every size and in one step at any position, for objects in many arrangements.
func TestCut(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		c := guarded[build.Cut](t)
		all := testkit.Budget(t, 0, build.CutMost)
		for n := 1; n <= build.CutMost; n++ {
			if n > all && (n+1)%16 > 2 {
				continue // sizes that fill registers, one less and one more
			}
			for kind, of := range gridKinds(rng, n) {
				p := makeGridPoints(t, kernel.Heap, n, of)
				size := 1 + rng.IntN(16)
				if n%16 < 2 {
					size = 14 + n%16*2
				}
				t.Run(fmt.Sprintf("n=%d/%s/size=%d", n, kind, size), func(t *testing.T) {
					checkCut(t, c, p, levels(n, size))
					mid := 1 + rng.IntN(n)
					checkCut(t, c, p, []build.CutStep{{Lo: 0, Mid: uint16(mid), Hi: uint16(n)}})
					var any []build.CutStep
					for range 20 { // more than one call takes
						s := []int{rng.IntN(n + 1), rng.IntN(n + 1), rng.IntN(n + 1)}
						slices.Sort(s)
						any = append(any, build.CutStep{Lo: uint16(s[0]), Mid: uint16(s[1]), Hi: uint16(s[2])})
					}
					checkCut(t, c, p, any)
				})
			}
		}
	})
}

// guarded returns one zero element that ends at a page without access.
func guarded[T any](t testing.TB) *T { return &kernel.Room[T](t, kernel.Tail, 1)[0] }

// Loads are read within their bounds, and steps are cut within theirs: the sizes about whole registers, in memory of
// the exact size.
func TestCutLoad(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256}, func(t *testing.T, at kernel.Place, n int) {
			steps := kernel.Put(t, at, levels(n, 1))
			checkCut(t, new(build.Cut), makeGridPoints(t, at, n, gridKinds(rng, n)["random"]), steps)
		})
	})
}

// A step affects its own objects alone.
func TestCutLeavesOthers(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for range 2000 {
			n := 1 + rng.IntN(build.CutMost)
			lo := rng.IntN(n)
			hi := lo + rng.IntN(min(n-lo, 40)+1)
			step := build.CutStep{Lo: uint16(lo), Mid: uint16(lo + rng.IntN(hi-lo+1)), Hi: uint16(hi)}
			checkCut(t, new(build.Cut), makeGridPoints(t, kernel.Heap, n, gridKinds(rng, n)["few values"]), []build.CutStep{step})
		}
	})
}

// Misuse panics, and keeps the loaded objects.
func TestCutPanics(t *testing.T) {
	three := func(x, y, z int) func(c *build.Cut) {
		return func(c *build.Cut) { c.Load(make([]uint32, x), make([]uint32, y), make([]uint32, z)) }
	}
	step := func(lo, mid, hi uint16) func(c *build.Cut) {
		return func(c *build.Cut) { c.Halve([]build.CutStep{{0, 5, 9}, {lo, mid, hi}}) }
	}
	for name, misuse := range map[string]func(c *build.Cut){
		"too many": three(257, 257, 257), "y": three(3, 2, 3), "z": three(3, 3, 2),
		"end": step(3, 5, 11), "middle": step(3, 8, 7), "start": step(5, 4, 7),
		"keys": func(*build.Cut) {
			build.DecodeKeys(make([]uint32, 3), make([]uint32, 3), make([]uint32, 2), make([]uint64, 3))
		},
		"all": func(*build.Cut) {
			build.DecodeKeys(make([]uint32, 2), make([]uint32, 3), make([]uint32, 3), make([]uint64, 3))
		},
		"y of it": func(*build.Cut) {
			build.DecodeKeys(make([]uint32, 3), make([]uint32, 2), make([]uint32, 3), make([]uint64, 3))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var c build.Cut
			x := []uint32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}
			c.Load(x, x, x)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
				for i := range x {
					if c.Place(i) != i {
						t.Errorf("place %d has object %d", i, c.Place(i))
					}
				}
			}()
			misuse(&c)
		})
	}
}

// Decoded coordinates equal the encoded ones, with any value of the bit that keys do not have.
func TestDecodeKeys(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(4096), func(t *testing.T, at kernel.Place, n int) {
			p := makeGridPoints(t, kernel.Heap, n, gridKinds(rng, n)["random"])
			keys := kernel.Room[uint64](t, at, n)
			for i := range keys {
				for a := range 3 {
					for b := range 21 {
						keys[i] |= uint64(p[a][i]) >> b & 1 << (3*b + a)
					}
				}
				keys[i] |= rng.Uint64() << 63
			}
			var got gridPoints
			for a := range got {
				got[a] = kernel.Room[uint32](t, at, n)
			}
			build.DecodeKeys(got[0], got[1], got[2], keys)
			for a := range got {
				if !slices.Equal(got[a], p[a]) {
					t.Fatalf("axis %d: got %d, want %d", a, got[a], p[a])
				}
			}
		})
	})
}

// checkCutRun halves a run some times, at random if there is a source.
func checkCutRun(t *testing.T, at kernel.Place, rng *rand.Rand, p gridPoints, s *build.CutScratch) {
	t.Helper()
	n := p.len()
	run := build.CutRun{At: [3][]uint32{kernel.Put(t, at, p[0]), kernel.Put(t, at, p[1]), kernel.Put(t, at, p[2])}, Of: kernel.Room[uint32](t, at, n)}
	want := make([]int, n)
	for i := range want {
		want[i], run.Of[i] = i, uint32(i)
	}
	lo, hi := 0, n
	for range 6 {
		mid := lo + (hi-lo+1)/2
		if rng != nil {
			mid = lo + rng.IntN(hi-lo+1)
		}
		cutRef(p, want, lo, mid, hi, func(i, j int) int { return 0 })
		part := run.Slice(lo, hi)
		part.Halve(mid-lo, s)
		for i, of := range want {
			got := [4]uint32{run.At[0][i], run.At[1][i], run.At[2][i], run.Of[i]}
			if got != [4]uint32{p[0][of], p[1][of], p[2][of], uint32(of)} {
				t.Fatalf("%d to %d of %d at %d: place %d has %d, want object %d", lo, hi, n, mid, i, got, of)
			}
		}
		if mid-lo > hi-mid {
			hi = mid
		} else {
			lo = mid
		}
	}
}

// Runs of any length are halved as leaves are, at memory of the exact size.
func TestCutRun(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		var s build.CutScratch
		kernel.EachPlace(t, kernel.Sizes(testkit.Budget(t, 600, 4096)), func(t *testing.T, at kernel.Place, n int) {
			for _, of := range gridKinds(rng, n) {
				p := makeGridPoints(t, kernel.Heap, n, of)
				checkCutRun(t, at, nil, p, &s)
				checkCutRun(t, at, rng, p, &s)
			}
		})
		for range testkit.Budget(t, testkit.Again(24, 6), 1000) {
			n := 1 + rng.IntN(700)
			for _, of := range gridKinds(rng, n) {
				checkCutRun(t, kernel.Heap, rng, makeGridPoints(t, kernel.Heap, n, of), &s)
			}
		}
	})
}

// Misuse panics before anything moves.
func TestCutRunPanics(t *testing.T) {
	x := func(n int) []uint32 { return make([]uint32, n) }
	for name, misuse := range map[string]struct {
		run build.CutRun
		mid int
	}{
		"below": {build.CutRun{At: [3][]uint32{x(3), x(3), x(3)}, Of: x(3)}, -1},
		"above": {build.CutRun{At: [3][]uint32{x(3), x(3), x(3)}, Of: x(3)}, 4},
		"x":     {build.CutRun{At: [3][]uint32{x(2), x(3), x(3)}, Of: x(3)}, 1},
		"y":     {build.CutRun{At: [3][]uint32{x(3), x(2), x(3)}, Of: x(3)}, 1},
		"z":     {build.CutRun{At: [3][]uint32{x(3), x(3), x(2)}, Of: x(3)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if testkit.Panic(func() { misuse.run.Halve(misuse.mid, new(build.CutScratch)) }) == nil {
				t.Error("no panic")
			}
		})
	}
}

// Nothing is allocated once the scratch has its size.
func TestCutAllocates(t *testing.T) {
	rng := testkit.Rand(1)
	testkit.EachTier(t, func(t *testing.T) {
		p := makeGridPoints(t, kernel.Heap, 5000, gridKinds(rng, 5000)["random"])
		run := build.CutRun{At: p, Of: make([]uint32, 5000)}
		var s build.CutScratch
		var c build.Cut
		steps := levels(256, 16)
		if n := testing.AllocsPerRun(5, func() {
			run.Halve(2500, &s)
			c.Load(p[0][:256], p[1], p[2])
			c.Halve(steps)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
		if want := 5000 * 16; run.Memory() < want || s.Memory() < want {
			t.Errorf("%d bytes of a run and %d beside it, want %d or more", run.Memory(), s.Memory(), want)
		}
	})
}

// FuzzCut reads coordinates, near to each other or not, and steps.
func FuzzCut(f *testing.F) {
	f.Add([]byte{3, 1, 2, 3, 4, 5, 6, 0, 1, 2, 0, 0, 3}, uint8(3), uint8(3))
	f.Add([]byte("objects on the grid, as bytes of text are: near to each other"), uint8(200), uint8(60))
	f.Add([]byte{}, uint8(255), uint8(255))
	f.Fuzz(func(t *testing.T, data []byte, objects, steps uint8) {
		in := kernel.Reader(data)
		n := int(objects) + 1
		p := makeGridPoints(t, kernel.Heap, n, func(int) (at [3]uint32) {
			for a := range at {
				at[a] = in.Uint32() >> (in.Byte() % 32) & lastCell
			}
			return at
		})
		var list []build.CutStep
		for range steps {
			s := []int{int(in.Byte()) % (n + 1), int(in.Byte()) % (n + 1), int(in.Byte()) % (n + 1)}
			slices.Sort(s)
			list = append(list, build.CutStep{Lo: uint16(s[0]), Mid: uint16(s[1]), Hi: uint16(s[2])})
		}
		var c build.Cut
		kernel.OnTiers(t, func() {
			checkCut(t, &c, p, list)
			checkCut(t, &c, p, levels(n, 1+int(steps%32)))
			checkCutRun(t, kernel.Heap, nil, p, new(build.CutScratch))
		})
	})
}

func BenchmarkCut(b *testing.B) {
	for _, shape := range [][2]int{{224, 14}, {256, 16}, {28, 14}} {
		n, size := shape[0], shape[1]
		steps := levels(n, size)
		b.Run(fmt.Sprintf("objects=%d/size=%d", n, size), func(b *testing.B) {
			micro.Each(b, 12, func(_ *testing.B, many int) micro.Kernel {
				rng := testkit.Rand(1)
				leaves := make([]gridPoints, min(max(many/n, 1), 1000))
				for i := range leaves {
					leaves[i] = makeGridPoints(b, kernel.Heap, n, gridKinds(rng, n)["random"])
				}
				var c build.Cut
				return micro.Kernel{Items: n * len(leaves), Item: "object", Bytes: 12 * n * len(leaves), Run: func() {
					for _, p := range leaves {
						c.Load(p[0], p[1], p[2])
						c.Halve(steps)
						kernel.Sink += uint64(c.Place(0))
					}
				}}
			})
		})
	}
}

func BenchmarkDecodeKeys(b *testing.B) {
	micro.Each(b, 20, func(_ *testing.B, n int) micro.Kernel {
		keys, p := make([]uint64, n), makeGridPoints(b, kernel.Heap, n, gridKinds(nil, n)["all equal"])
		for i := range keys {
			keys[i] = uint64(i) * 0x9e3779b97f4a7c15
		}
		return micro.Kernel{Items: n, Item: "key", Bytes: 20 * n, Run: func() {
			build.DecodeKeys(p[0], p[1], p[2], keys)
			kernel.Sink += uint64(p[2][n-1])
		}}
	})
}

// The first halving of a cell of that many objects.
func BenchmarkCutRun(b *testing.B) {
	micro.Each(b, 16, func(_ *testing.B, n int) micro.Kernel {
		rng := testkit.Rand(1)
		run := build.CutRun{At: makeGridPoints(b, kernel.Heap, n, gridKinds(rng, n)["random"]), Of: make([]uint32, n)}
		var s build.CutScratch
		return micro.Kernel{Items: n, Item: "object", Bytes: 32 * n, Run: func() {
			// In the middle of the existing order: the coordinates are permuted.
			run.At[0], run.At[1], run.At[2] = run.At[1], run.At[2], run.At[0]
			run.Halve(n/2, &s)
			kernel.Sink += uint64(run.Of[0])
		}}
	})
}
