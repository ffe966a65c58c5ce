package query_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
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
