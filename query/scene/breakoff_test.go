package scene_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
)

// TestBreakOff interrupts all queries of scenes that take a callback.
func TestBreakOff(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(60, 1), false)
	inner, outer := newScene(t), newScene(t)
	for i := range 3 {
		place(t, inner, tree, translation(t, float64(100*i), 0, 0), linear.InstanceOptions{})
		place(t, outer, inner, translation(t, 0, float64(100*i), 0), linear.InstanceOptions{})
	}
	testkit.Must(t, outer.Tick())
	v := outer.View()
	b := outer.Bounds()
	box := queries.Box(t, b)
	ray := queries.Ray(t, b.Min, [3]float32{b.Max[0] - b.Min[0], b.Max[1] - b.Min[1], b.Max[2] - b.Min[2]}, 1)
	wide := queries.SweptSphere(t, b.Min, 20, [3]float32{b.Max[0] - b.Min[0], b.Max[1] - b.Min[1], 0})
	var answer scene.Answer
	scene.Append(&answer, box, v, query.Filter{})
	path := answer.Path(answer.Runs[len(answer.Runs)-1].Instance)
	tracker := scene.Tracker{Filter: scene.PairFilter{Instances: true, Filter: collide.Filter{StaticPairs: true}}}
	for range 2 {
		testkit.Must(t, tracker.Update(v))
	}
	var most scene.Object // with the most partners
	partners := 0
	for p := range tracker.Pairs() {
		if n := len(slices.Collect(tracker.Of(p.A))); n > partners {
			most, partners = p.A, n
		}
	}
	operations := []testkit.Operation{
		testkit.Iteration("All", testkit.Keys(scene.All(box, v, query.Filter{}))),
		testkit.Iteration("Ranges", func(yield func(string) bool) {
			scene.Ranges(box, v, query.Filter{}, func(p scene.Part, r query.Range) bool { return yield(fmt.Sprint(p.Path, p.Number, r)) })
		}),
		testkit.Iteration("Instances", func(yield func(string) bool) {
			scene.Instances(v)(func(p scene.Part) bool { return yield(fmt.Sprint(p.Path, p.Number)) })
		}),
		testkit.Iteration("Nearby", func(yield func(string) bool) {
			scene.Nearby(query.Nearby{}, v, query.Filter{})(func(n scene.Neighbor) bool { return yield(fmt.Sprint(n)) })
		}),
		testkit.Iteration("Tracker.Pairs", tracker.Pairs()),
		testkit.Iteration("Tracker.Stayed", tracker.Stayed()),
		testkit.Iteration("Tracker.Of", tracker.Of(most)),
		testkit.Iteration("Answer.All", testkit.Keys(answer.All())),
		testkit.Iteration("Path.All", path.All()),
		firstFunc("of a ray", v, func(test func(scene.Path, uint32, float32) (float32, bool)) (scene.Hit, bool) {
			return scene.FirstFunc(ray, v, query.Filter{}, test)
		}),
		firstFunc("of a ball", v, func(test func(scene.Path, uint32, float32) (float32, bool)) (scene.Hit, bool) {
			return scene.FirstFunc(wide, v, query.Filter{}, test)
		}),
	}
	camera, err := query.Camera{Eye: [3]float64{-100, 0, 0}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Far: query.Unlimited}.Frustum()
	testkit.Must(t, err)
	levels, err := camera.Levels(0.125, 0.1, 0.01)
	testkit.Must(t, err)
	operations = append(operations, testkit.Operation{Name: "AppendLevels", Of: []string{"AppendLevels"}, Alone: true, New: func(*testing.T, int) testkit.Call {
		return testkit.Call{
			State: func() any { return v.Total() },
			Do: func(_ context.Context, back func()) (any, error) {
				var column linear.Column[uint8]
				return fmt.Sprint(scene.AppendLevels(nil, &answer, &levels, v, func(scene.InstanceRef) *linear.Column[uint8] {
					back()
					return &column
				})), nil
			},
		}
	}})
	boxes, rays, points := make([]query.Box, 300), make([]query.Ray, 300), make([][3]float32, 300)
	for i := range boxes {
		boxes[i], rays[i], points[i] = box, ray, b.Min
	}
	count := func(of func(int) int) func() int {
		return func() (n int) {
			for i := range boxes {
				n += of(i)
			}
			return n
		}
	}
	operations = append(operations,
		batch("VolumeBatch.Find", "VolumeBatch.Progress", func(workers int) (func(context.Context, func(float64)) error, func() int) {
			b := &scene.VolumeBatch[query.Box]{Workers: workers}
			return func(ctx context.Context, progress func(float64)) error {
				b.Progress = progress
				return b.Find(ctx, v, boxes, query.Filter{})
			}, count(func(i int) int { return b.Of(i).Len() })
		}),
		batch("SweepBatch.Find", "SweepBatch.Progress", func(workers int) (func(context.Context, func(float64)) error, func() int) {
			b := &scene.SweepBatch[query.Ray]{Workers: workers}
			return func(ctx context.Context, progress func(float64)) error {
				b.Progress = progress
				return b.Find(ctx, v, rays, query.Filter{})
			}, count(func(i int) int { return len(b.Of(i)) })
		}),
		batch("SweepBatch.FindAll", "SweepBatch.Progress", func(workers int) (func(context.Context, func(float64)) error, func() int) {
			b := &scene.SweepBatch[query.Ray]{Workers: workers}
			return func(ctx context.Context, progress func(float64)) error {
				b.Progress = progress
				return b.FindAll(ctx, v, rays, query.Filter{})
			}, count(func(i int) int { return len(b.Of(i)) })
		}),
		batch("NearestBatch.Find", "NearestBatch.Progress", func(workers int) (func(context.Context, func(float64)) error, func() int) {
			b := &scene.NearestBatch{Workers: workers}
			return func(ctx context.Context, progress func(float64)) error {
				b.Progress = progress
				return b.Find(ctx, v, points, 3, 1e6, query.Filter{})
			}, count(func(i int) int { return len(b.Of(i)) })
		}),
	)
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

// firstFunc is a FirstFunc whose test finds no hit before the last.
func firstFunc(what string, v linear.SceneView, find func(test func(scene.Path, uint32, float32) (float32, bool)) (scene.Hit, bool)) testkit.Operation {
	return testkit.Operation{Name: "FirstFunc " + what, Of: []string{"FirstFunc"}, Alone: true, New: func(*testing.T, int) testkit.Call {
		return testkit.Call{
			State: func() any { return v.Total() },
			Do: func(_ context.Context, back func()) (any, error) {
				h, ok := find(func(path scene.Path, id uint32, tEnter float32) (float32, bool) {
					back()
					return tEnter + 1, id%3 == 0
				})
				return fmt.Sprint(h, ok), nil
			},
		}
	}}
}

// batch is a batch with a number of results. A cancelled batch has none.
func batch(name, progress string, make func(workers int) (find func(context.Context, func(float64)) error, count func() int)) testkit.Operation {
	return testkit.Operation{Name: name, Of: []string{name, progress}, Context: true, New: func(t *testing.T, workers int) testkit.Call {
		find, count := make(workers)
		return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
			whole := false
			defer func() {
				if n := count(); whole != (n > 0) {
					t.Errorf("a batch has %d results; broken off: %v", n, !whole)
				}
			}()
			if err := find(ctx, func(float64) { back() }); err != nil {
				return nil, err
			}
			whole = true
			return count(), nil
		}}
	}}
}
