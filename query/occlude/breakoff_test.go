package occlude_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// TestBreakOff stops every query of a culler that takes a callback.
func TestBreakOff(t *testing.T) {
	rng := testkit.Rand(1)
	objects := make([]soa.Object, 300)
	for i := range objects {
		at := [3]float32{5 + 30*rng.Float32(), 9 * rng.Float32(), 9 * rng.Float32()}
		if objects[i] = (soa.Object{Box: testkit.CubeAt(at, 0.2), Mask: 2}); i%10 == 0 {
			objects[i] = soa.Object{Box: testkit.CubeAt([3]float32{3, at[1], at[2]}, 0.7), Mask: walls}
		}
	}
	tree := trees.Plant(t, objects, false)
	s := newScene(t)
	for i := range 2 {
		transform, err := linear.NewTransform([12]float64{0: 1, 3: float64(50 * i), 5: 1, 10: 1})
		if err == nil {
			_, err = s.AddInstance(tree, transform, linear.InstanceOptions{Mask: ^uint32(0)})
		}
		testkit.Must(t, err)
	}
	testkit.Must(t, s.Tick())
	v, w := tree.View(), s.View()
	camera := query.Camera{Eye: [3]float64{-3, 4.5, 4.5}, Forward: [3]float64{1}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.25, Near: 0.5, Far: 200}
	operations := []testkit.Operation{
		visible("Culler.All", camera, func(e *occlude.Culler) iter.Seq[string] { return text(e.All(v, query.Filter{})) }),
		visible("Culler.Ranges", camera, func(e *occlude.Culler) iter.Seq[string] {
			return text(func(yield func(query.Range) bool) { e.Ranges(v, query.Filter{}, yield) })
		}),
		visible("Culler.AllScene", camera, func(e *occlude.Culler) iter.Seq[string] {
			return func(yield func(string) bool) {
				for path, id := range e.AllScene(w, query.Filter{}) {
					if !yield(fmt.Sprint(path, id)) {
						return
					}
				}
			}
		}),
		visible("Culler.RangesScene", camera, func(e *occlude.Culler) iter.Seq[string] {
			return func(yield func(string) bool) {
				e.RangesScene(w, query.Filter{}, func(p scene.Part, r query.Range) bool { return yield(fmt.Sprint(p.Path, p.Number, r)) })
			}
		}),
	}
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

func text[T any](seq iter.Seq[T]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for x := range seq {
			if !yield(fmt.Sprint(x)) {
				return
			}
		}
	}
}

// visible returns the results of a culler after SetCamera: of the first query, without memory, and of a second
// one.
func visible(name string, camera query.Camera, ask func(e *occlude.Culler) iter.Seq[string]) testkit.Operation {
	return testkit.Operation{Name: name, Of: []string{name}, New: func(t *testing.T, workers int) testkit.Call {
		e := newCuller(t, occlude.Config{Width: 64, OccluderMask: walls, Workers: workers})
		return testkit.Call{Do: func(_ context.Context, back func()) (any, error) {
			e.Reset()
			if err := e.SetCamera(camera); err != nil {
				return nil, err
			}
			var list []string
			for range 2 {
				for x := range ask(e) {
					back()
					list = append(list, x)
				}
			}
			return list, nil
		}}
	}}
}
