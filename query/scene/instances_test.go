package scene_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// The iterator yields the instances of all paths, depth-first, with their views and numbers; it ends when
// told, and allocates nothing.
func TestInstances(t *testing.T) {
	rng, deep := testkit.Rand(testkit.Seed(t)), 0
	for _, family := range families {
		for range testkit.Budget(t, 3, 40) {
			s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
			if rng.IntN(4) == 0 {
				s = chainOf(t, rng, family, linear.MaxDepth)
			}
			v := s.View()
			want := spots(v)[1:]
			n := 0
			for part := range scene.Instances(v) {
				inner, number := v, uint32(0)
				for id := range want[n].path.All() {
					inner, number, _ = inner.Instance(id)
				}
				if part.Path != want[n].path || part.View != inner || part.Number != number {
					t.Fatalf("%s: instance %d is %v of part %d, want %v of part %d", family, n, part.Path, part.Number, want[n].path, number)
				}
				if n++; part.Path.Len() > 1 {
					deep++
				}
			}
			if n != len(want) {
				t.Fatalf("%s: %d instances, want %d", family, n, len(want))
			}
			for stop := 1; stop <= min(n, 3); stop++ {
				k := 0
				scene.Instances(v)(func(scene.Part) bool { k++; return k < stop })
				if k != stop {
					t.Fatalf("%d yielded after the iteration was to end at %d", k, stop)
				}
			}
			if !testkit.RaceEnabled {
				if a := testing.AllocsPerRun(5, func() {
					for range scene.Instances(v) {
					}
				}); a != 0 {
					t.Fatalf("%v allocations", a)
				}
			}
		}
	}
	if deep == 0 {
		t.Error("no instance was in an instance")
	}
	v := worldOf(t, rng, "turned", 2, 5)
	if testkit.Panic(func() {
		for range scene.Instances(v.View()) {
			v.Clear()
		}
	}) == nil {
		t.Error("no panic for a scene that has changed")
	}
}

// The view of a part, of a scene or of a version, has the results of the view of the scene that is the part, whose
// number is 0 there. A tracker that follows the views of one part and then of another ends all pairs.
func TestViewsOfParts(t *testing.T) {
	rng, found := testkit.Rand(testkit.Seed(t)), 0
	every, each := queries.Box(t, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{2, 2, 2}}), scene.PairFilter{Instances: true}
	for _, family := range []string{"steps", "turned", "affine"} {
		for range testkit.Budget(t, 4, 40) {
			inner := [2]*linear.Scene{denseScene(t, rng, family, 2, 2+rng.IntN(5)), denseScene(t, rng, family, 1, 2+rng.IntN(5))}
			s := denseScene(t, rng, family, 1, 1+rng.IntN(5))
			for i, p := range inner {
				place(t, s, p, translation(t, 0, float64(i), 0), linear.InstanceOptions{})
			}
			outer := s.View()
			if rng.IntN(2) == 0 {
				shared := linear.NewScenePublisher(s)
				shared.Publish()
				version := shared.Acquire()
				defer version.Release()
				outer = version.View()
			}
			var own, views [2]linear.SceneView
			for id, p := range s.All() {
				if i := slices.Index(inner[:], scenePart(p)); i >= 0 {
					own[i] = inner[i].View()
					views[i], _, _ = outer.Instance(id)
				}
			}
			var followed, tracker scene.Tracker
			for i, v := range own {
				pairs := scene.AppendPairs(nil, v, scene.PairFilter{})
				pairs = slices.DeleteFunc(pairs, func(p scene.Pair) bool { return p.Part > 0 }) // numbers of other parts differ
				found += len(pairs)
				results := func(v linear.SceneView) (list []string) {
					list = append(list, fmt.Sprint("pairs", len(scene.AppendPairs(nil, v, scene.PairFilter{}))), fmt.Sprint("pairs of instances", scene.AppendPairs(nil, v, each)),
						fmt.Sprint("contacts", scene.AppendContacts(nil, v, pairs)), fmt.Sprint("impacts", scene.AppendImpacts(nil, v, nil, nil, each)))
					var counted scene.Tracker
					testkit.Must(t, counted.Update(v))
					return append(list, fmt.Sprint("begun", counted.Began()), fmt.Sprint("counters", scene.Explain(every, v, query.Filter{}, scene.NewHeat(v))))
				}
				want := results(v)
				for k, got := range results(views[i]) {
					if got != want[k] {
						t.Fatalf("%s: the view of part %d has\n%s, want\n%s", family, views[i].Stamp().Part, got, want[k])
					}
				}
				former := followed.Len()
				testkit.Must(t, followed.Update(views[i]))
				testkit.Must(t, tracker.Update(v))
				if len(followed.Ended()) != former || !slices.Equal(followed.Began(), tracker.Began()) {
					t.Fatalf("%s: of %d pairs of another part %d ended, and %d began, want %d", family, former, len(followed.Ended()), len(followed.Began()), len(tracker.Began()))
				}
			}
		}
	}
	if found == 0 {
		t.Error("no part had a pair")
	}
}

// scenePart returns a part if it is a scene, else nil.
func scenePart(p linear.Part) *linear.Scene {
	s, _ := p.(*linear.Scene)
	return s
}

// A part with an object at 1e17 raises the faces of a box query in it by some 100, far more than the query is large.
// So the faces contain all of a small part in it, but the query does not: objects beyond a side of the box around the
// query are left out, in a part that is turned back, under the identity and deeper, and when its instance has outgrown
// its box.
func TestBoxInVastPart(t *testing.T) {
	at := func(x float32) soa.Object {
		return soa.Object{Box: soa.AABB{Min: [3]float32{x, -0.1, -0.1}, Max: [3]float32{x + 0.1, 0.1, 0.1}}, Mask: 1}
	}
	turn, err := linear.NewTransform([12]float64{0.6, -0.8, 0, 0, 0.8, 0.6, 0, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	back, err := linear.NewTransform([12]float64{0.6, 0.8, 0, 0, -0.8, 0.6, 0, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	q := queries.Box(t, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
	for _, c := range []struct {
		name       string
		transforms []linear.Transform // from the part outwards
		outside    float32            // beyond a side of the box around the query: of 1, or 1.4
	}{
		{"turned back", []linear.Transform{back}, 1.2},
		{"identity", []linear.Transform{{}}, 1.5},
		{"deeper", []linear.Transform{turn, back}, 1.5},
		{"turned back, below", []linear.Transform{back}, -1.3},
	} {
		for _, outgrown := range []bool{false, true} {
			for _, far := range []float32{1e2, 1e17} {
				tree, inner, outer := trees.Plant(t, []soa.Object{at(0)}, false), newScene(t), newScene(t)
				trees.Insert(t, inner.Tree(), []soa.Object{at(far)})
				if !outgrown {
					trees.Insert(t, tree, []soa.Object{at(c.outside)})
				}
				var part linear.Part = tree
				for i, transform := range c.transforms {
					s := inner
					if i+1 < len(c.transforms) {
						s = newScene(t)
					}
					place(t, s, part, transform, linear.InstanceOptions{})
					part = s
				}
				place(t, outer, inner, turn, linear.InstanceOptions{})
				testkit.Must(t, outer.Tick())
				if outgrown {
					trees.Insert(t, tree, []soa.Object{at(c.outside)})
				}
				testkit.EachTier(t, func(t *testing.T) {
					var a scene.Answer
					scene.Append(&a, q, outer.View(), query.Filter{})
					if !slices.Equal(a.IDs, []uint32{0}) {
						t.Errorf("%s, outgrown %v, with an object at %g: %v are found, want only 0", c.name, outgrown, far, a.IDs)
					}
				})
			}
		}
	}
}

// A part that is inside the volume in many instances adds all its objects once for each, also after it has outgrown
// the boxes of its instances.
func TestPartsTakenAgain(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range []int{1, 15, 16, 17, 33, 127, 128, 129, 400} {
			s, parts := newScene(t), []*linear.Tree{planted(t, rng, n), planted(t, rng, 3), planted(t, rng, 5)}
			const instances = 60
			for i := range instances {
				at, err := linear.Similarity([3]float64{float64(i)}, [4]float64{0, 0, float64(i) / instances, 1}, 1)
				testkit.Must(t, err)
				place(t, s, parts[i*i%7%3], at, linear.InstanceOptions{})
			}
			testkit.Must(t, s.Tick())
			all := queries.Box(t, soa.AABB{Min: [3]float32{-1e9, -1e9, -1e9}, Max: [3]float32{1e9, 1e9, 1e9}})
			for outgrown := range 2 {
				if outgrown > 0 {
					_, err := parts[1].Insert(soa.Object{Box: soa.BoxAround([3]float32{1e6, 1e6, 1e6}, [3]float32{1, 1, 1}), Mask: 1})
					testkit.Must(t, err)
				}
				v := s.View()
				if got := len(v.Outgrown()); (got > 0) != (outgrown > 0) {
					t.Fatalf("%d instances are outgrown", got)
				}
				var a scene.Answer
				scene.Append(&a, all, v, query.Filter{})
				if len(a.Runs) != instances {
					t.Fatalf("%d runs of %d instances", len(a.Runs), instances)
				}
				for i := range a.Runs {
					ref, ids := a.Run(i)
					_, instance := a.In(ref)
					part, _, _ := v.Instance(instance)
					var want []uint32
					for id := range uint32(part.Objects().Len()) {
						want = append(want, id)
					}
					ids = slices.Sorted(slices.Values(ids))
					if !slices.Equal(ids, want) {
						t.Fatalf("run %d, instance %d: %d, want %d", i, instance, ids, want)
					}
				}
			}
		}
	})
}
