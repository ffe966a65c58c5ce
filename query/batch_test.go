package query_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// manyBatches runs each kind of batch on n queries, in an order, and compares its results with those of single
// queries.
func manyBatches(t *testing.T, v linear.View, workers int, progress func(float64), points [][3]float32) {
	t.Helper()
	var boxes []query.Box
	var spheres []query.Sphere
	var rays []query.Ray
	for i, p := range points {
		var b [2][3]float32
		for a := range 3 {
			b[0][a], b[1][a] = p[a]-2, p[a]+2
		}
		boxes = append(boxes, box(t, soa.AABB{Min: b[0], Max: b[1]}))
		s := sphere(t, scene.Sphere{Center: p, Radius: 2})
		spheres = append(spheres, s)
		r := rayOf(t, p, [3]float32{float32(i%3) - 1, 1, 0.5}, 40)
		rays = append(rays, r)
	}
	inBoxes, inSpheres := query.BoxBatch{Workers: workers, Progress: progress}, query.SphereBatch{Workers: workers, Progress: progress}
	cast, near := query.RayBatch{Workers: workers, Progress: progress}, query.NearestBatch{Workers: workers, Progress: progress}
	flt := query.Filter{}
	for range 2 { // the second time into buffers that have grown
		testkit.Must(t, inBoxes.Find(nil, v, boxes, flt))
		testkit.Must(t, inSpheres.Find(nil, v, spheres, flt))
		testkit.Must(t, near.Find(nil, v, points, 3, 50, flt))
		testkit.Must(t, cast.FindAll(nil, v, rays, flt))
	}
	for i := range points {
		testkit.SameIDs(t, inBoxes.Of(i), boxes[i].Append(nil, v, flt))
		testkit.SameIDs(t, inSpheres.Of(i), spheres[i].Append(nil, v, flt))
		want, err := query.AppendNearest(nil, v, points[i], 3, 50, flt)
		testkit.Must(t, err)
		if !slices.Equal(near.Of(i), want) {
			t.Fatalf("point %d: %v, want %v", i, near.Of(i), want)
		}
		if all := rays[i].Append(nil, v, flt); !slices.Equal(cast.Of(i), all) {
			t.Fatalf("ray %d: %v, want %v", i, cast.Of(i), all)
		}
	}
	testkit.Must(t, cast.Find(nil, v, rays, flt))
	for i := range points {
		h, ok := rays[i].First(v, flt)
		if got := cast.Of(i); ok != (len(got) == 1) || ok && got[0] != h {
			t.Fatalf("ray %d: %v, want %v", i, got, h)
		}
	}
}

var large struct {
	once    sync.Once
	objects []soa.Object
	tree    *linear.Tree
}

// largeTree returns a frozen tree that exceeds the cache, and its objects. Tests share it and do not change it.
func largeTree(t *testing.T) ([]soa.Object, *linear.Tree) {
	t.Helper()
	large.once.Do(func() {
		large.objects = testkit.SceneByName(t, "uniform").Make(300_000, 1)
		large.tree = plant(t, large.objects, true)
	})
	return large.objects, large.tree
}

// The results do not depend on the order in which queries are given or run, on the size of the tree, or on the
// workers.
func TestBatchOrders(t *testing.T) {
	for _, cached := range []bool{true, false} {
		objects, tree := largeTree(t)
		if cached {
			objects = objects[:1000]
			tree = plant(t, objects, false)
		}
		points := scene.PointQueries(objects, testkit.Budget(t, 1500, 3000), 1)
		scan := slices.Clone(points)
		slices.SortFunc(scan, func(a, b [3]float32) int {
			if d := int(a[0]/40) - int(b[0]/40); d != 0 {
				return d
			}
			return int(1000*a[1]) - int(1000*b[1])
		})
		for name, points := range map[string][][3]float32{"as drawn": points, "scan": scan, "one": points[:1], "none": nil} {
			for _, workers := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("n=%d/%s/workers=%d", len(objects), name, workers), func(t *testing.T) {
					last, calls := -1.0, 0
					manyBatches(t, tree.View(), workers, func(done float64) {
						if calls++; done != 0 && done < last || done < 0 || done > 1 {
							t.Errorf("progress %v after %v", done, last)
						}
						last = done
					}, points)
					if last != 1 || calls < 2 {
						t.Errorf("progress ends with %v, after %d calls", last, calls)
					}
				})
			}
		}
	}
}

// Queries that are in order are not sorted. A permutation would show only in the order of a map that the queries do
// not reveal, so the test checks the choice itself.
func TestBatchInOrder(t *testing.T) {
	objects, tree := largeTree(t)
	v := tree.View()
	store := v.Store()
	if n := len(store.Packets.Counts); n <= query.BatchCached || n > 3600*query.BatchDense {
		t.Fatalf("%d slots", n)
	}
	small := plant(t, objects[:5000], false).View().Store()
	const side = 60
	var rows, shuffled [][3]float32
	for y := range side {
		for x := range side {
			rows = append(rows, [3]float32{float32(x), float32(y), 0})
		}
	}
	r := testkit.Rand(7)
	shuffled = slices.Clone(rows)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	var lines [3][][3]float32 // along each axis
	for _, p := range shuffled {
		for a := range lines {
			var q [3]float32
			q[a] = side*p[0] + p[1]
			lines[a] = append(lines[a], q)
		}
	}
	for _, c := range []struct {
		name   string
		points [][3]float32
		in     bool
		sorted bool
	}{
		{"a line along x", lines[0], false, true},
		{"a line along y", lines[1], false, true},
		{"a line along z", lines[2], false, true},
		{"rows of a scan", rows, false, false},
		{"shuffled", shuffled, false, true},
		{"shuffled, small tree", shuffled, true, false},
		{"too few", shuffled[:1000], false, false},
		{"one point", rows[:1], false, false},
		{"one place", make([][3]float32, 500), false, false},
	} {
		s := store
		if c.in {
			s = small
		}
		if got := query.BatchSorts(s, c.points); got != c.sorted {
			t.Errorf("%s: sorted %v, want %v", c.name, got, c.sorted)
		}
	}
	for workers := range 3 {
		manyBatches(t, v, workers+1, nil, shuffled)
	}
}

// A batch runs as many goroutines at the same time as it has workers.
func TestBatchAtOnce(t *testing.T) {
	s := plant(t, nil, false).View().Store()
	for _, workers := range []int{1, 2, 3, 8} {
		if !query.BatchAtOnce(s, workers) {
			t.Errorf("%d workers do not work at once", workers)
		}
	}
}

// Queries are in order if three in four are near the previous one: in a cell that 512 of them would share if they
// were spread evenly.
func TestBatchOrderRule(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 100, 511, 512, 1000, 4096, 5000} {
		near := uint64(morton.MaxKey)
		for m := n; m >= 512; m /= 2 {
			near /= 2
		}
		for _, far := range []int{0, n/4 - 1, n / 4, n/4 + 1, n - 1} {
			if far < 0 || far >= n || near == uint64(morton.MaxKey) && far > 0 {
				continue
			}
			keys := make([]uint64, n) // each as far as it may be, with some exceptions
			for i := 1; i < n; i++ {
				keys[i] = keys[i-1] ^ near
				if i <= far {
					keys[i] = keys[i-1] ^ (near + 1)
				}
			}
			if got, want := query.BatchInOrder(keys), far <= n/4; got != want {
				t.Errorf("%d of %d questions are far from the one before: in order %v", far, n, got)
			}
		}
	}
}

// In a tree that exceeds the cache, batches read the centres of their queries. They also allocate nothing, keep
// nothing alive, and return the same results.
func TestBatchesOfLargeTree(t *testing.T) {
	objects, tree := largeTree(t)
	v := tree.View()
	n := len(v.Store().Packets.Counts)/query.BatchDense + 1
	points := scene.PointQueries(objects, n, 1)
	var boxes []query.Box
	var spheres []query.Sphere
	var middles [][3]float32
	for i, p := range points {
		b := soa.AABB{Min: p, Max: [3]float32{p[0] + 1, p[1] + 2, p[2] + float32(i%3)}}
		middles = append(middles, b.Center())
		boxes = append(boxes, box(t, b))
		spheres = append(spheres, sphere(t, scene.Sphere{Center: p, Radius: 1}))
	}
	rays := benchRays(t, objects, n)
	inBoxes, inSpheres := query.BoxBatch{Workers: 1}, query.SphereBatch{Workers: 1}
	cast, near := query.RayBatch{Workers: 1}, query.NearestBatch{Workers: 1}
	find := func(n int) {
		testkit.Must(t, inBoxes.Find(nil, v, boxes[:n], query.Filter{Mask: 3})) // so that none shares a walk
		testkit.Must(t, inSpheres.Find(nil, v, spheres[:n], query.Filter{}))
		testkit.Must(t, cast.Find(nil, v, rays[:n], query.Filter{}))
		testkit.Must(t, near.Find(nil, v, points[:n], 3, 50, query.Filter{}))
		for _, offsets := range [...][]int{inBoxes.Offsets, inSpheres.Offsets, cast.Offsets, near.Offsets} {
			if len(offsets) != n+1 {
				t.Errorf("%d offsets of %d answers", len(offsets), n)
			}
		}
	}
	testkit.Allocs(t, 2, func() { find(n) })
	if !slices.Equal(query.BoxPoints(&inBoxes), middles) || !slices.Equal(query.SpherePoints(&inSpheres), points) {
		t.Error("boxes or spheres are not asked by where their middles are")
	}
	for i, keeps := range []bool{query.BoxKeeps(&inBoxes), query.SphereKeeps(&inSpheres), query.RayKeeps(&cast), query.NearestKeeps(&near)} {
		if keeps {
			t.Errorf("batch %d keeps what it was asked, or the tree", i)
		}
	}
	find(0)
}

// failing is a batch with several ways to run it, of which the first succeeds, and a count of its results: for each
// query, and in all.
type failing struct {
	name      string
	questions int
	runs      []func(ctx context.Context) error // the first one well, the others fail
	of        func(i int) int
	offsets   func() []int
	total     func() int
}

func failingBatches(t *testing.T, v linear.View, workers int) []failing {
	objects := testkit.SceneByName(t, "city").Make(1000, 1)
	const n = 300
	bad := query.Filter{Motion: 9}
	rays := benchRays(t, objects, n)
	points := scene.PointQueries(objects, n, 1)
	nowhere := slices.Clone(points)
	nowhere[n-1][1] = float32(math.NaN())
	var boxes []query.Box
	for _, b := range scene.BoxQueries(objects, 20, n, 1) {
		boxes = append(boxes, box(t, b))
	}
	var spheres []query.Sphere
	for _, s := range scene.SphereQueries(objects, 20, n, 1) {
		spheres = append(spheres, sphere(t, s))
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()

	nearest, all := &query.RayBatch{Workers: workers}, &query.RayBatch{Workers: workers}
	near := &query.NearestBatch{Workers: workers}
	inBoxes, inSpheres := &query.BoxBatch{Workers: workers}, &query.SphereBatch{Workers: workers}
	type run = func(ctx context.Context) error
	return []failing{
		{"RayBatch.Find", n, []run{
			func(ctx context.Context) error { return nearest.Find(ctx, v, rays, query.Filter{}) },
			func(context.Context) error { return nearest.Find(cancelled, v, rays, query.Filter{}) },
			func(context.Context) error { return nearest.Find(nil, v, rays, bad) },
		}, func(i int) int { return len(nearest.Of(i)) }, func() []int { return nearest.Offsets }, func() int { return len(nearest.Hits) }},
		{"RayBatch.FindAll", n, []run{
			func(ctx context.Context) error { return all.FindAll(ctx, v, rays, query.Filter{}) },
			func(context.Context) error { return all.FindAll(cancelled, v, rays, query.Filter{}) },
			func(context.Context) error { return all.FindAll(nil, v, rays, bad) },
		}, func(i int) int { return len(all.Of(i)) }, func() []int { return all.Offsets }, func() int { return len(all.Hits) }},
		{"NearestBatch", n, []run{
			func(ctx context.Context) error { return near.Find(ctx, v, points, 3, 1e9, query.Filter{}) },
			func(context.Context) error { return near.Find(cancelled, v, points, 3, 1e9, query.Filter{}) },
			func(context.Context) error { return near.Find(nil, v, points, -1, 1e9, query.Filter{}) },
			func(context.Context) error { return near.Find(nil, v, points, 3, -1, query.Filter{}) },
			func(context.Context) error { return near.Find(nil, v, nowhere, 3, 1e9, query.Filter{}) },
			func(context.Context) error { return near.Find(nil, v, points, 3, 1e9, bad) },
		}, func(i int) int { return len(near.Of(i)) }, func() []int { return near.Offsets }, func() int { return len(near.Neighbors) }},
		{"BoxBatch", n, []run{
			func(ctx context.Context) error { return inBoxes.Find(ctx, v, boxes, query.Filter{}) },
			func(context.Context) error { return inBoxes.Find(cancelled, v, boxes, query.Filter{}) },
			func(context.Context) error { return inBoxes.Find(nil, v, boxes, bad) },
		}, func(i int) int { return len(inBoxes.Of(i)) }, func() []int { return inBoxes.Offsets }, func() int { return len(inBoxes.IDs) }},
		{"SphereBatch", n, []run{
			func(ctx context.Context) error { return inSpheres.Find(ctx, v, spheres, query.Filter{}) },
			func(context.Context) error { return inSpheres.Find(cancelled, v, spheres, query.Filter{}) },
			func(context.Context) error { return inSpheres.Find(nil, v, spheres, bad) },
		}, func(i int) int { return len(inSpheres.Of(i)) }, func() []int { return inSpheres.Offsets }, func() int { return len(inSpheres.IDs) }},
	}
}

// empty fails unless the result of each query is empty.
func (f *failing) empty(t *testing.T, when string) {
	t.Helper()
	for i := range f.questions {
		if f.of(i) != 0 {
			t.Fatalf("%s, %s: %d results of query %d", f.name, when, f.of(i), i)
		}
	}
	if o := f.offsets(); f.total() != 0 || len(o) != f.questions+1 || slices.Max(o) != 0 {
		t.Errorf("%s, %s: %d results in all, offsets %v", f.name, when, f.total(), o)
	}
}

// After an error, the result of each query of a batch is empty, and the next run is unaffected. Several workers look at
// the context as often as one: a context that expires after the last look has no effect.
func TestBatchesAfterErrors(t *testing.T) {
	v := plant(t, testkit.SceneByName(t, "city").Make(1000, 1), true).View()
	looks := make(map[string]int)
	for _, workers := range []int{1, 3} {
		for _, fresh := range []bool{false, true} {
			for _, f := range failingBatches(t, v, workers) {
				want := 0
				for i, run := range f.runs[1:] {
					if !fresh {
						testkit.Must(t, f.runs[0](nil))
						if want = max(want, f.total()); f.total() != want || want == 0 {
							t.Fatalf("%s: %d results, want %d", f.name, f.total(), want)
						}
					}
					if run(nil) == nil {
						t.Fatalf("%s: no error of run %d", f.name, i)
					}
					f.empty(t, fmt.Sprintf("run %d", i))
				}
				// Cancelled at each check of the context.
				for k := 0; ; k++ {
					ctx := testkit.ExpireAfter(k)
					if f.runs[0](ctx) == nil {
						if workers == 1 {
							looks[f.name] = k
						} else if k != looks[f.name] {
							t.Errorf("%s: %d workers look %d times, one %d times", f.name, workers, k, looks[f.name])
						}
						break
					}
					f.empty(t, fmt.Sprintf("cancelled at look %d", k))
				}
			}
		}
	}
}
