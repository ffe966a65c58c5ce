package kdtree_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/bench/programs/kdtree"
	gonum "gonum.org/v1/gonum/spatial/kdtree"
)

// The code of a program that used gonum: only the import differs.
func Example() {
	tree := kdtree.New(kdtree.Points{{2, 3}, {5, 4}, {9, 6}, {4, 7}, {8, 1}, {7, 2}}, false)
	nearest, dist2 := tree.Nearest(kdtree.Point{8, 7})
	fmt.Println(nearest.(kdtree.Point), dist2)

	three := kdtree.NewNKeeper(3)
	tree.NearestSet(three, kdtree.Point{8, 7})
	for _, c := range three.Heap {
		fmt.Println(c.Comparable.(kdtree.Point), c.Dist)
	}
	// Output:
	// [9 6] 2
	// [9 6] 2
	// [4 7] 16
	// [5 4] 18
}

// station is a program's own type of points.
type station struct {
	name string
	at   [3]float64
}

func (s station) Compare(c kdtree.Comparable, d kdtree.Dim) float64 {
	return s.at[d] - c.(station).at[d]
}
func (s station) Dims() int { return 3 }
func (s station) Distance(c kdtree.Comparable) (sum float64) {
	for d, x := range c.(station).at {
		sum += (s.at[d] - x) * (s.at[d] - x)
	}
	return sum
}

// stations is the list that gonum requires of it. A Tree of this package calls Index and Len alone.
type stations []station

func (s stations) Index(i int) kdtree.Comparable         { return s[i] }
func (s stations) Len() int                              { return len(s) }
func (s stations) Slice(start, end int) kdtree.Interface { return s[start:end] }
func (s stations) Pivot(d kdtree.Dim) int {
	p := plane{s, d}
	return kdtree.Partition(p, kdtree.MedianOfMedians(p))
}

type plane struct {
	stations
	dim kdtree.Dim
}

func (p plane) Less(i, j int) bool { return p.stations[i].at[p.dim] < p.stations[j].at[p.dim] }
func (p plane) Swap(i, j int)      { p.stations[i], p.stations[j] = p.stations[j], p.stations[i] }
func (p plane) Slice(start, end int) kdtree.SortSlicer {
	return plane{p.stations[start:end], p.dim}
}

// clouds are points in spaces of one to three dimensions: spread, clustered, on a lattice with many equal distances,
// far from the origin, all equal.
func clouds(rng *rand.Rand, n int) map[string]kdtree.Points {
	all := map[string]kdtree.Points{}
	for dims := 1; dims <= 3; dims++ {
		for name, x := range map[string]func() float64{
			"spread":  func() float64 { return rng.Float64() },
			"cluster": func() float64 { return rng.NormFloat64() * math.Exp(10*rng.NormFloat64()) },
			"lattice": func() float64 { return float64(rng.IntN(4)) },
			"far":     func() float64 { return 1e12 + rng.Float64() },
			"equal":   func() float64 { return 0.1 },
			"tiny":    func() float64 { return rng.Float64() * 1e-30 },
		} {
			points := make(kdtree.Points, n)
			for i := range points {
				for range dims {
					points[i] = append(points[i], x())
				}
			}
			all[fmt.Sprintf("%s%d", name, dims)] = points
		}
	}
	return all
}

func TestAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, points := range clouds(rng, 600) {
		ours, theirs := kdtree.New(points[:400], false), gonum.New(slices.Clone(points[:400]), true)
		for _, p := range points[400:500] { // then one by one
			ours.Insert(p, false)
			theirs.Insert(p, false)
		}
		if ours.Len() != 500 || theirs.Len() != 500 {
			t.Fatalf("%s: %d points and %d, want 500", name, ours.Len(), theirs.Len())
		}
		for i, q := range points {
			got, d := ours.Nearest(q)
			if _, want := theirs.Nearest(q); d != want || q.Distance(got) != want {
				t.Fatalf("%s: point %d: nearest at %v, want %v", name, i, d, want)
			}
			k := 1 + i%20
			a, b := kdtree.NewNKeeper(k), kdtree.NewNKeeper(k)
			ours.NearestSet(a, q)
			theirs.NearestSet(b, q)
			same(t, name, a.Heap, b.Heap)
			r := d * float64(i%5)
			within, same2 := kdtree.NewDistKeeper(r), kdtree.NewDistKeeper(r)
			ours.NearestSet(within, q)
			theirs.NearestSet(same2, q)
			same(t, name, within.Heap, same2.Heap)
		}
	}
}

// same compares the distances of two answers.
func same(t *testing.T, name string, got, want kdtree.Heap) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b kdtree.ComparableDist) bool { return a.Dist == b.Dist && a.Comparable != nil }) {
		t.Fatalf("%s: %v, want %v", name, got, want)
	}
}

func TestOwnType(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := make(stations, 1000)
	for i := range list {
		list[i] = station{fmt.Sprint(i), [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}}
	}
	theirs := gonum.New(slices.Clone(list), false)
	ours := kdtree.New(list, false)
	if list[999].name != "999" {
		t.Error("New has changed the order of the list")
	}
	var wait sync.WaitGroup
	for range 4 { // any number of goroutines
		wait.Go(func() {
			for _, s := range list {
				q := station{at: [3]float64{s.at[1], s.at[2], s.at[0]}}
				got, d := ours.Nearest(q)
				if want, e := theirs.Nearest(q); got != want || d != e {
					t.Errorf("%v: %v, want %v", q, got, want)
				}
			}
		})
	}
	wait.Wait()
}

func TestEmptyAndInvalid(t *testing.T) {
	var zero kdtree.Tree
	for _, tree := range []*kdtree.Tree{&zero, kdtree.New(kdtree.Points{}, true)} {
		if got, d := tree.Nearest(kdtree.Point{1}); got != nil || !math.IsInf(d, 1) {
			t.Errorf("nearest of none: %v at %v", got, d)
		}
		k := kdtree.NewNKeeper(2)
		tree.NearestSet(k, kdtree.Point{1})
		if k.Len() != 1 || k.Max().Comparable != nil {
			t.Errorf("set of none: %v", k.Heap)
		}
	}
	zero.Insert(kdtree.Point{1, 2, 3}, true)
	if got, d := zero.Nearest(kdtree.Point{math.NaN(), 0, 0}); got != nil || !math.IsInf(d, 1) {
		t.Errorf("nearest to NaN: %v at %v", got, d)
	}
	for name, bad := range map[string]func(){
		"four dimensions": func() { kdtree.New(kdtree.Points{{1, 2, 3, 4}}, false) },
		"NaN":             func() { zero.Insert(kdtree.Point{math.NaN(), 0, 0}, false) },
		"beyond float32":  func() { zero.Insert(kdtree.Point{1e300, 0, 0}, false) },
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
	if got, d := zero.Nearest(kdtree.Point{1, 2, 4}); zero.Len() != 1 || got == nil || d != 1 {
		t.Errorf("after panics: %d points, nearest %v at %v", zero.Len(), got, d)
	}
}

var sink float64

func BenchmarkKdtree(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	points := make(kdtree.Points, 100_000)
	for i := range points {
		points[i] = kdtree.Point{rng.Float64(), rng.Float64(), rng.Float64()}
	}
	queries := slices.Clone(points)
	rng.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
	ours, theirs := kdtree.New(slices.Clone(points), false), gonum.New(slices.Clone(points), false)
	type tree interface {
		Nearest(q kdtree.Comparable) (kdtree.Comparable, float64)
		NearestSet(k kdtree.Keeper, q kdtree.Comparable)
	}
	for name, one := range map[string]tree{"zoctree": ours, "gonum": theirs} {
		b.Run("nearest/"+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				_, d := one.Nearest(queries[i%len(queries)])
				sink += d
			}
		})
		b.Run("set8/"+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				k := kdtree.NewNKeeper(8)
				one.NearestSet(k, queries[i%len(queries)])
				sink += k.Heap[0].Dist
			}
		})
	}
	for name, build := range map[string]func(p kdtree.Points) tree{
		"zoctree": func(p kdtree.Points) tree { return kdtree.New(p, false) },
		"gonum":   func(p kdtree.Points) tree { return gonum.New(p, false) },
	} {
		b.Run("build/"+name, func(b *testing.B) {
			for b.Loop() {
				_, d := build(slices.Clone(points)).Nearest(queries[0])
				sink += d
			}
		})
	}
}
