package query_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

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

// After an error, the result of each query of a batch is empty, and the next run is unaffected.
func TestBatchesAfterErrors(t *testing.T) {
	v := plant(t, testkit.SceneByName(t, "city").Make(1000, 1), true).View()
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
						break
					}
					f.empty(t, fmt.Sprintf("cancelled at look %d", k))
				}
			}
		}
	}
}
