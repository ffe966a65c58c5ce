package rtree_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	tidwall "github.com/tidwall/rtree"
	"github.com/zoctree/zoctree/bench/programs/rtree"
)

// The code of a program that used tidwall/rtree: only the import differs.
func Example() {
	var tree rtree.RTreeG[string]
	tree.Insert([2]float64{-112.0078, 33.4373}, [2]float64{-112.0078, 33.4373}, "PHX")
	tree.Insert([2]float64{-118.4085, 33.9416}, [2]float64{-118.4085, 33.9416}, "LAX")
	tree.Search([2]float64{-113, 33}, [2]float64{-111, 34}, func(min, max [2]float64, name string) bool {
		fmt.Println(name, min)
		return true
	})
	tree.Delete([2]float64{-112.0078, 33.4373}, [2]float64{-112.0078, 33.4373}, "PHX")
	fmt.Println(tree.Len(), "left")
	// Output:
	// PHX [-112.0078 33.4373]
	// 1 left
}

// set is what the two packages have in common.
type set interface {
	Insert(min, max [2]float64, data int)
	Delete(min, max [2]float64, data int)
	Replace(oldMin, oldMax [2]float64, oldData int, newMin, newMax [2]float64, newData int)
	Search(min, max [2]float64, iter func(min, max [2]float64, data int) bool)
	Scan(iter func(min, max [2]float64, data int) bool)
	Len() int
	Clear()
}

type rect struct {
	min, max [2]float64
	data     int
}

// found returns the result of a search or a scan, in an order of its own.
func found(search func(iter func(min, max [2]float64, data int) bool)) (all []rect) {
	search(func(min, max [2]float64, data int) bool {
		all = append(all, rect{min, max, data})
		return true
	})
	slices.SortFunc(all, func(a, b rect) int {
		return cmp.Or(cmp.Compare(a.data, b.data), slices.Compare(a.min[:], b.min[:]), slices.Compare(a.max[:], b.max[:]))
	})
	return all
}

// Random operations have the results of tidwall/rtree: rectangles of all sizes, far from the origin, beyond float32,
// closer together than float32 can tell, and on a lattice, where they touch.
func TestAgainstTidwall(t *testing.T) {
	for name, scale := range map[string]func(rng *rand.Rand) (at, size float64){
		"degrees": func(rng *rand.Rand) (at, size float64) { return rng.Float64()*360 - 180, math.Exp(-10 * rng.Float64()) },
		"lattice": func(rng *rand.Rand) (at, size float64) { return float64(rng.IntN(12)), float64(rng.IntN(3)) },
		"close": func(rng *rand.Rand) (at, size float64) {
			return 1e9 + float64(rng.IntN(9))*0x1p-20, float64(rng.IntN(2)) * 0x1p-20
		},
		"huge": func(rng *rand.Rand) (at, size float64) { return rng.NormFloat64() * 1e39, rng.Float64() * 1e39 },
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			random := func() (r rect) {
				for d := range r.min {
					at, size := scale(rng)
					r.min[d], r.max[d] = at, at+size
				}
				return r
			}
			var ours, theirs set = new(rtree.RTreeG[int]), new(tidwall.RTreeG[int])
			var live []rect
			results := 0
			for step := range 8_000 {
				switch op := rng.IntN(20); {
				case op < 7 || len(live) == 0:
					r := random()
					r.data = step
					live = append(live, r)
					ours.Insert(r.min, r.max, r.data)
					theirs.Insert(r.min, r.max, r.data)
				case op < 10:
					i := rng.IntN(len(live))
					r := live[i]
					live[i] = live[len(live)-1]
					live = live[:len(live)-1]
					ours.Delete(r.min, r.max, r.data)
					theirs.Delete(r.min, r.max, r.data)
				case op < 12:
					i := rng.IntN(len(live))
					old, r := live[i], random()
					r.data = step
					live[i] = r
					ours.Replace(old.min, old.max, old.data, r.min, r.max, r.data)
					theirs.Replace(old.min, old.max, old.data, r.min, r.max, r.data)
				case op < 13: // of none
					r := random()
					r.data = -1
					ours.Delete(r.min, r.max, r.data)
					ours.Replace(r.min, r.max, r.data, r.min, r.max, 0)
				case step%2000 == 0:
					ours.Clear()
					theirs.Clear()
					live = live[:0]
				default:
					r := random()
					if rng.IntN(2) == 0 { // a rectangle that touches another
						r.max = live[rng.IntN(len(live))].min
						r.min = [2]float64{min(r.min[0], r.max[0]), min(r.min[1], r.max[1])}
					}
					got := found(func(iter func(min, max [2]float64, data int) bool) { ours.Search(r.min, r.max, iter) })
					want := found(func(iter func(min, max [2]float64, data int) bool) { theirs.Search(r.min, r.max, iter) })
					if !slices.Equal(got, want) {
						t.Fatalf("step %d: search %v: %d found, want %d", step, r, len(got), len(want))
					}
					results += len(got)
				}
				if ours.Len() != len(live) || theirs.Len() != len(live) {
					t.Fatalf("step %d: %d rectangles, want %d", step, ours.Len(), len(live))
				}
			}
			if got := found(ours.Scan); !slices.Equal(got, found(theirs.Scan)) || len(got) == 0 || results == 0 {
				t.Fatalf("scan of %d, %d results of searches", len(got), results)
			}
		})
	}
}

func TestEndsAndPanics(t *testing.T) {
	var tree rtree.RTree
	for i := range 10 {
		tree.Insert([2]float64{float64(i), 0}, [2]float64{float64(i), 1}, i)
	}
	calls := 0
	stop := func(min, max [2]float64, data any) bool { calls++; return calls%3 != 0 }
	tree.Search([2]float64{0, 0}, [2]float64{9, 9}, stop)
	tree.Scan(stop)
	if calls != 6 {
		t.Errorf("%d calls, want 3 of each", calls)
	}
	twin := [2]float64{4, 0} // two rectangles that are equal, with equal data, and a smaller one
	tree.Insert(twin, [2]float64{4, 1}, 4)
	tree.Insert(twin, [2]float64{4, 0.5}, 4)
	for want := 11; want >= 10; want-- {
		if tree.Delete(twin, [2]float64{4, 1}, 4); tree.Len() != want {
			t.Fatalf("%d rectangles, want %d", tree.Len(), want)
		}
	}
	if tree.Delete(twin, [2]float64{4, 1}, 4); tree.Len() != 10 {
		t.Error("a rectangle with other bounds is deleted")
	}
	nan := math.NaN()
	for name, bad := range map[string]func(){
		"NaN":             func() { tree.Insert([2]float64{nan, 0}, [2]float64{1, 1}, 0) },
		"inverted":        func() { tree.Insert([2]float64{0, 2}, [2]float64{1, 1}, 0) },
		"inverted search": func() { tree.Search([2]float64{2, 0}, [2]float64{1, 1}, stop) },
		"replaced by NaN": func() { tree.Replace([2]float64{3, 0}, [2]float64{3, 1}, 3, [2]float64{0, 0}, [2]float64{0, nan}, 3) },
		"change in a search": func() {
			tree.Search([2]float64{0, 0}, [2]float64{9, 9}, func(min, max [2]float64, data any) bool {
				tree.Insert(min, max, data)
				return true
			})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			bad()
		}()
	}
	if tree.Len() != 11 { // the insertion in a search has happened
		t.Errorf("%d rectangles", tree.Len())
	}
}

var sink int

func BenchmarkRtree(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	rects := make([]rect, 100_000)
	for i := range rects {
		at := [2]float64{rng.Float64() * 1000, rng.Float64() * 1000}
		rects[i] = rect{at, [2]float64{at[0] + rng.Float64(), at[1] + rng.Float64()}, i}
	}
	for name, fresh := range map[string]func() set{
		"zoctree": func() set { return new(rtree.RTreeG[int]) }, "tidwall": func() set { return new(tidwall.RTreeG[int]) },
	} {
		fill := func() set {
			s := fresh()
			for _, r := range rects {
				s.Insert(r.min, r.max, r.data)
			}
			return s
		}
		s := fill()
		b.Run("insert/"+name, func(b *testing.B) {
			for b.Loop() {
				sink += fill().Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rects)), "ns/rect")
		})
		for _, size := range []float64{5, 50} {
			b.Run(fmt.Sprintf("search%v/%s", size, name), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					at := rects[i*7919%len(rects)].min
					s.Search(at, [2]float64{at[0] + size, at[1] + size}, func(min, max [2]float64, data int) bool {
						sink += data
						return true
					})
				}
			})
		}
	}
}
