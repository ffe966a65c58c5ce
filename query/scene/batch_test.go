package scene_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// manyQueries are queries about the objects of a scene.
type manyQueries struct {
	boxes  []query.Box
	balls  []query.Sphere
	rays   []query.Ray
	swept  []query.SweptSphere
	points [][3]float32
}

func queriesIn(t testing.TB, rng *rand.Rand, v linear.SceneView, n int) (q manyQueries) {
	t.Helper()
	all := spots(v)
	for range n {
		center, corner, size, ok := targetOf(rng, all)
		if !ok {
			return q
		}
		var p, lo, hi, dir [3]float32
		half := float32(min(size*math.Ldexp(1, rng.IntN(6)-3), math.MaxFloat32/4))
		for a := range 3 {
			p[a] = float32(center[a])
			lo[a], hi[a] = p[a]-half*rng.Float32(), p[a]+half*rng.Float32()
			dir[a] = float32(corner[a]) - p[a] + half*float32(rng.NormFloat64())
		}
		box := queries.Box(t, soa.AABB{Min: lo, Max: hi})
		ball, err := query.NewSphere(p, half)
		testkit.Must(t, err)
		ray, err := query.NewRay(lo, dir, 4)
		if err != nil {
			continue // no direction
		}
		moving := queries.SweptSphere(t, lo, half/4, dir)
		q.boxes, q.balls, q.rays, q.swept, q.points = append(q.boxes, box), append(q.balls, ball), append(q.rays, ray), append(q.swept, moving), append(q.points, p)
	}
	return q
}

func checkVolumes[V query.Volume](t *testing.T, b *scene.VolumeBatch[V], volumes []V, v linear.SceneView, f query.Filter) (found int) {
	t.Helper()
	for range 2 { // the second time into buffers that have grown
		testkit.Must(t, b.Find(nil, v, volumes, f))
	}
	for i := range volumes {
		var want scene.Answer
		scene.Append(&want, volumes[i], v, f)
		if got := fmt.Sprint(runsOf(b.Of(i))); got != fmt.Sprint(runsOf(&want)) {
			t.Fatalf("volume %d: %v, want %v", i, got, runsOf(&want))
		}
		found += want.Len()
	}
	return found
}

func checkSweeps[S query.Sweep](t *testing.T, b *scene.SweepBatch[S], sweeps []S, v linear.SceneView, f query.Filter) (found int) {
	t.Helper()
	for range 2 {
		testkit.Must(t, b.FindAll(nil, v, sweeps, f))
	}
	for i := range sweeps {
		want := scene.AppendHits(nil, sweeps[i], v, f)
		if !slices.Equal(b.Of(i), want) {
			t.Fatalf("%d: %v, want %v", i, b.Of(i), want)
		}
		found += len(want)
	}
	testkit.Must(t, b.Find(nil, v, sweeps, f))
	for i := range sweeps {
		h, ok := scene.First(sweeps[i], v, f)
		if got := b.Of(i); ok != (len(got) == 1) || ok && got[0] != h {
			t.Fatalf("%d: %v, want %v", i, got, h)
		}
	}
	return found
}

// Batches have the results of single queries, in their order, on every tier, with any number of workers.
func TestBatches(t *testing.T) {
	seed := testkit.Seed(t)
	var found [3]int
	testkit.EachTier(t, func(t *testing.T) {
		for i, family := range families {
			if !testkit.OfTier(t, i) {
				continue
			}
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 1, 10) {
				v, f := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12)).View(), someFilter(rng)
				q := queriesIn(t, rng, v, rng.IntN(100))
				for _, workers := range []int{1, 2, 5} {
					last, calls := 1.0, 0
					progress := func(done float64) {
						if calls++; done != 0 && done < last || done < 0 || done > 1 || done == 0 && last != 1 {
							t.Errorf("progress %v after %v", done, last)
						}
						last = done
					}
					found[0] += checkVolumes(t, &scene.VolumeBatch[query.Box]{Workers: workers, Progress: progress}, q.boxes, v, f)
					found[0] += checkVolumes(t, &scene.VolumeBatch[query.Sphere]{Workers: workers, Progress: progress}, q.balls, v, f)
					found[1] += checkSweeps(t, &scene.SweepBatch[query.Ray]{Workers: workers, Progress: progress}, q.rays, v, f)
					found[1] += checkSweeps(t, &scene.SweepBatch[query.SweptSphere]{Workers: workers, Progress: progress}, q.swept, v, f)
					near := scene.NearestBatch{Workers: workers, Progress: progress}
					for range 2 {
						testkit.Must(t, near.Find(nil, v, q.points, 4, infinity, f))
					}
					for i, p := range q.points {
						want := nearestOf(t, v, p, 4, infinity, f)
						if !slices.Equal(near.Of(i), want) {
							t.Fatalf("point %d: %v, want %v", i, near.Of(i), want)
						}
						found[2] += len(want)
					}
					if last != 1 || calls < 16 {
						t.Errorf("progress ends with %v, after %d calls", last, calls)
					}
				}
			}
		}
	})
	if slices.Contains(found[:], 0) {
		t.Errorf("%v found by volumes, rays, and points", found)
	}
}

// Bad arguments and cancellation give errors and empty results; batches allocate nothing in steady state, and keep
// neither the scene nor the queries.
func TestBatchArguments(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	v := worldOf(t, rng, "turned", 2, 20).View()
	q := queriesIn(t, rng, v, 200)
	volumes, rays, near := scene.VolumeBatch[query.Box]{Workers: 1}, scene.SweepBatch[query.Ray]{Workers: 1}, scene.NearestBatch{Workers: 1}
	run := func(ctx context.Context, f query.Filter) [4]error {
		return [4]error{
			volumes.Find(ctx, v, q.boxes, f), rays.FindAll(ctx, v, q.rays, f),
			rays.Find(ctx, v, q.rays, f), near.Find(ctx, v, q.points, 3, 50, f),
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 {
		for what, errs := range map[string][4]error{"cancelled": run(ended, query.Filter{}), "motion": run(nil, query.Filter{Motion: 9})} {
			for i, err := range errs {
				if err == nil || what == "cancelled" != errors.Is(err, context.Canceled) {
					t.Errorf("%s: error %d is %v", what, i, err)
				}
			}
		}
		for i := range q.points {
			if volumes.Of(i).Len() != 0 || len(rays.Of(i)) != 0 || len(near.Of(i)) != 0 {
				t.Errorf("query %d has results after an error", i)
			}
		}
		for _, err := range run(context.Background(), query.Filter{}) {
			testkit.Must(t, err)
		}
	}
	nan := float32(math.NaN())
	for _, err := range []error{
		near.Find(nil, v, [][3]float32{{}, {nan}}, 3, 50, query.Filter{}), near.Find(nil, v, nil, -1, 50, query.Filter{}), near.Find(nil, v, nil, 1, nan, query.Filter{}),
	} {
		if err == nil {
			t.Error("no error for a bad argument")
		}
	}
	testkit.Must(t, near.Find(nil, v, q.points, 0, 50, query.Filter{}))
	for _, of := range []func(int){func(i int) { volumes.Of(i) }, func(i int) { rays.Of(i) }, func(i int) { near.Of(i) }} {
		for _, i := range []int{-1, len(q.points)} {
			if testkit.Panic(func() { of(i) }) == nil {
				t.Errorf("no panic for query %d", i)
			}
		}
	}
	if scene.BatchKeeps(&volumes) {
		t.Error("the batch keeps its arguments")
	}
	if !testkit.RaceEnabled {
		if a := testing.AllocsPerRun(5, func() { run(nil, query.Filter{}) }); a != 0 {
			t.Errorf("%v allocations", a)
		}
	}
}
