package query_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// TestBreakOff cancels or stops all queries that call back or take a context.
func TestBreakOff(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(testkit.Budget(t, 1000, 20_000), 1)
	operations := breakable(t, trees.Plant(t, objects, false).View())
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

// breakable are these queries, each with about as many results as a test needs.
func breakable(t *testing.T, v linear.View) (all []testkit.Operation) {
	bounds := v.Bounds()
	c := bounds.Center()
	far := bounds.Max
	box := box(t, bounds)
	sphere := sphere(t, scene.Sphere{Center: c, Radius: far[0] - c[0]})
	turned := orientedBox(t, linear.OrientedBox{Center: c, Axes: [3][3]float32{{0.6 * far[0], 0.8 * far[0], 0}, {-0.8 * far[1], 0.6 * far[1], 0}, {0, 0, 100}}})
	whole, err := query.NewFunc(bounds, func(linear.AABB) query.Relation { return query.Partly })
	testkit.Must(t, err)
	var some query.Filter
	point := pointInBox(t, v)
	camera := query.Camera{
		Eye: [3]float64{float64(bounds.Min[0]) - 1, float64(c[1]), float64(c[2])}, Forward: [3]float64{1}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 1.5, Near: 0.1, Far: 1e5,
	}
	frustum, err := camera.Frustum()
	testkit.Must(t, err)
	convex := convex(t, [][4]float32{{1, 0, 0, -bounds.Min[0]}, {-1, 0, 0, far[0]}, {0, 1, 0, -bounds.Min[1]}, {0, -1, -0.01, far[1]}})
	ray := rayOf(t, bounds.Min, [3]float32{far[0] - bounds.Min[0], far[1] - bounds.Min[1], 0}, 1)
	swept := sweptBoxOf(t, linear.AABB{Min: bounds.Min, Max: c}, [3]float32{far[0], far[1], 0})
	ball := sweptSphereOf(t, c, 15, [3]float32{far[0], 0, 0})
	nearby, err := query.NewNearby(c)
	testkit.Must(t, err)

	volumes := func(name string, all func(linear.View, query.Filter) iter.Seq[uint32], ranges func(linear.View, query.Filter, func(query.Range) bool), boxes iter.Seq2[uint32, linear.AABB]) []testkit.Operation {
		list := []testkit.Operation{
			testkit.Iteration(name+".All", all(v, some)),
			testkit.Iteration(name+".Ranges", func(yield func(query.Range) bool) { ranges(v, some, yield) }),
		}
		if boxes != nil {
			list = append(list, testkit.Iteration("Boxes", testkit.Keys(boxes)))
			list[2].Name += " of a " + name
		}
		return list
	}
	all = slices.Concat(
		volumes("Box", box.All, box.Ranges, query.Boxes(box, v, some)),
		volumes("Sphere", sphere.All, sphere.Ranges, query.Boxes(sphere, v, some)),
		volumes("OrientedBox", turned.All, turned.Ranges, query.Boxes(turned, v, some)),
		volumes("Func", whole.All, whole.Ranges, query.Boxes(whole, v, some)),
		funcs(v, bounds),
		volumes("Point", point.All, point.Ranges, nil),
		volumes("Frustum", frustum.All, frustum.Ranges, query.Boxes(frustum, v, some)),
		volumes("Convex", convex.All, convex.Ranges, query.Boxes(convex, v, some)),
		[]testkit.Operation{
			testkit.Iteration("Ray.All", ray.All(v, some)), testkit.Iteration("SweptBox.All", swept.All(v, some)), testkit.Iteration("SweptSphere.All", ball.All(v, some)),
			testkit.Iteration("Nearby.All", nearby.All(v, some)),
			first("Ray.FirstFunc", v, ray.FirstFunc), first("SweptBox.FirstFunc", v, swept.FirstFunc), first("SweptSphere.FirstFunc", v, ball.FirstFunc),
		},
	)

	const n = 700
	boxes, spheres, rays, frusta, points := make([]query.Box, n), make([]query.Sphere, n), make([]query.Ray, n), make([]query.Frustum, 5), make([][3]float32, n)
	for i := range n {
		at := [3]float32{bounds.Min[0] + float32(i%30)/30*(far[0]-bounds.Min[0]), bounds.Min[1] + float32(i/30)/24*(far[1]-bounds.Min[1]), c[2]}
		points[i] = at
		boxes[i], err = query.NewBox([3]float32{at[0] - 20, at[1] - 20, at[2] - 20}, [3]float32{at[0] + 20, at[1] + 20, at[2] + 20})
		testkit.Must(t, err)
		spheres[i], err = query.NewSphere(at, 20)
		testkit.Must(t, err)
		rays[i], err = query.NewRay(at, [3]float32{1, float32(i%3) - 1, 0}, 300)
		testkit.Must(t, err)
	}
	for i := range frusta {
		camera.Eye[1] += 5
		frusta[i], err = camera.Frustum()
		testkit.Must(t, err)
	}
	report := func(back func()) func(float64) { return func(float64) { back() } }
	return append(all,
		batch("BoxBatch.Find", "BoxBatch.Progress", n, func(workers int) (func(context.Context, func()) error, func(int) []uint32) {
			b := &query.BoxBatch{Workers: workers}
			return func(ctx context.Context, back func()) error {
				b.Progress = report(back)
				return b.Find(ctx, v, boxes, some)
			}, b.Of
		}),
		batch("SphereBatch.Find", "SphereBatch.Progress", n, func(workers int) (func(context.Context, func()) error, func(int) []uint32) {
			b := &query.SphereBatch{Workers: workers}
			return func(ctx context.Context, back func()) error {
				b.Progress = report(back)
				return b.Find(ctx, v, spheres, some)
			}, b.Of
		}),
		batch("FrustumBatch.Find", "FrustumBatch.Progress", len(frusta), func(workers int) (func(context.Context, func()) error, func(int) []uint32) {
			b := &query.FrustumBatch{Workers: workers}
			return func(ctx context.Context, back func()) error {
				b.Progress = report(back)
				return b.Find(ctx, v, frusta, some)
			}, b.Of
		}),
		batch("RayBatch.Find", "RayBatch.Progress", n, func(workers int) (func(context.Context, func()) error, func(int) []query.Hit) {
			b := &query.RayBatch{Workers: workers}
			return func(ctx context.Context, back func()) error {
				b.Progress = report(back)
				return b.Find(ctx, v, rays, some)
			}, b.Of
		}),
		batch("RayBatch.FindAll", "RayBatch.Progress", n, func(workers int) (func(context.Context, func()) error, func(int) []query.Hit) {
			b := &query.RayBatch{Workers: workers}
			return func(ctx context.Context, back func()) error {
				b.Progress = report(back)
				return b.FindAll(ctx, v, rays, some)
			}, b.Of
		}),
		batch("NearestBatch.Find", "NearestBatch.Progress", n, func(workers int) (func(context.Context, func()) error, func(int) []query.Neighbor) {
			b := &query.NearestBatch{Workers: workers}
			return func(ctx context.Context, back func()) error {
				b.Progress = report(back)
				return b.Find(ctx, v, points, 3, 100, some)
			}, b.Of
		}),
	)
}

// pointInBox returns a point in an object.
func pointInBox(t *testing.T, v linear.View) query.Point {
	o, ok := v.Object(0)
	if !ok {
		t.Fatal("there is no object 0")
	}
	p := point(t, o.Box.Center())
	return p
}

// funcs are the queries of a function that calls back.
func funcs(v linear.View, bounds linear.AABB) (list []testkit.Operation) {
	for name, ask := range map[string]func(f query.Func) any{
		"Append":  func(f query.Func) any { return f.Append(nil, v, query.Filter{}) },
		"Count":   func(f query.Func) any { return f.Count(v, query.Filter{Mask: 3}) },
		"Any":     func(f query.Func) any { return f.Any(v, query.Filter{}) },
		"Explain": func(f query.Func) any { return f.Explain(v, query.Filter{}, nil) },
		"Check":   func(f query.Func) any { return f.Check(v) },
	} {
		list = append(list, testkit.Operation{Name: "NewFunc, " + name, Of: []string{"NewFunc"}, Alone: true, New: func(t *testing.T, _ int) testkit.Call {
			return testkit.Call{Do: func(_ context.Context, back func()) (any, error) {
				f, err := query.NewFunc(bounds, func(linear.AABB) query.Relation {
					back()
					return query.Partly
				})
				testkit.Must(t, err)
				return ask(f), nil
			}}
		}})
	}
	return list
}

// first is an operation that calls a test function.
func first(name string, v linear.View, find func(linear.View, query.Filter, func(uint32, float32) (float32, bool)) (uint32, float32, bool)) testkit.Operation {
	return testkit.Operation{Name: name, Of: []string{name}, New: func(*testing.T, int) testkit.Call {
		return testkit.Call{Do: func(_ context.Context, back func()) (any, error) {
			id, dist, ok := find(v, query.Filter{}, func(id uint32, tEnter float32) (float32, bool) {
				back()
				return tEnter + 1, id%5 == 0
			})
			return fmt.Sprint(id, dist, ok), nil
		}}
	}}
}

// batch is a batch of n queries whose results of returns. A cancelled batch has none.
func batch[T any](name, progress string, n int, make func(workers int) (find func(context.Context, func()) error, of func(int) []T)) testkit.Operation {
	return testkit.Operation{Name: name, Of: []string{name, progress}, Context: true, New: func(t *testing.T, workers int) testkit.Call {
		find, of := make(workers)
		answer := func() (lists [][]T, items int) {
			for i := range n {
				lists = append(lists, slices.Clone(of(i)))
				items += len(of(i))
			}
			return lists, items
		}
		return testkit.Call{Do: func(ctx context.Context, back func()) (any, error) {
			whole := false
			defer func() {
				if _, items := answer(); !whole && items > 0 {
					t.Errorf("broken off, a batch has %d items", items)
				}
			}()
			if err := find(ctx, back); err != nil {
				return nil, err
			}
			whole = true
			lists, items := answer()
			if items == 0 {
				t.Errorf("a batch of %d queries has %d items", n, items)
			}
			return lists, nil
		}}
	}}
}
