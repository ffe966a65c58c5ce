package interest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// The objects of an instance ascend, few and many, also where their IDs are far apart.
func TestSceneManyOfInstance(t *testing.T) {
	for _, n := range []int{1, 24, 25, 300} {
		for _, every := range []int{1, 1000} {
			tree := new(linear.Tree)
			objects := testkit.SceneByName(t, "uniform").Make(n*every, 1)
			for i := range objects {
				objects[i].Mask = 1
				if i%every == every/2 {
					objects[i].Mask = 2
				}
			}
			_, err := tree.InsertBatch(nil, objects)
			testkit.Must(t, err)
			s, err := linear.NewScene(linear.Config{})
			testkit.Must(t, err)
			id, err := s.AddInstance(tree, linear.Transform{}, linear.InstanceOptions{})
			testkit.Must(t, errors.Join(err, s.Tick()))
			area, err := interest.Sphere([3]float32{}, 1e6, 1e6)
			testkit.Must(t, err)
			tracker := interest.SceneTracker{Filter: query.Filter{Mask: 2}}
			if every == 1 {
				tracker.Filter.Mask = 3
			}
			viewer := tracker.Add(area)
			testkit.Must(t, tracker.Update(s.View()))
			var want []scene.Object
			for i := every / 2; i < len(objects); i += every {
				want = append(want, scene.Object{Path: scene.PathOf(id), ID: uint32(i)})
			}
			if got := tracker.Entered(viewer); !slices.Equal(got, want) {
				t.Errorf("%d of %d objects: entered %v, want %v", n, n*every, got, want)
			}
		}
	}
}

// An unmoved area is queried again if a changed object or instance was in view, is in the area, or may have outgrown
// its box, and in another scene: the view is that of a new tracker.
func TestSceneUnmovedArea(t *testing.T) {
	far := cube(100)
	for _, c := range []struct {
		name   string
		change func(s *linear.Scene, distant *linear.Tree, instance, own uint32) (other *linear.Scene, err error)
	}{
		{"nothing", func(*linear.Scene, *linear.Tree, uint32, uint32) (*linear.Scene, error) { return nil, nil }},
		{"own object leaves", func(s *linear.Scene, _ *linear.Tree, _, own uint32) (*linear.Scene, error) {
			return nil, errors.Join(s.Tree().Move(own, far), s.Tick())
		}},
		{"own object is removed", func(s *linear.Scene, _ *linear.Tree, _, own uint32) (*linear.Scene, error) {
			return nil, errors.Join(s.Tree().Remove(own), s.Tick())
		}},
		{"own object enters", func(s *linear.Scene, _ *linear.Tree, _, own uint32) (*linear.Scene, error) {
			_, err := s.Tree().Insert(soa.Object{Box: cube(1)})
			return nil, errors.Join(err, s.Tick())
		}},
		{"instance leaves", func(s *linear.Scene, _ *linear.Tree, instance, _ uint32) (*linear.Scene, error) {
			return nil, errors.Join(s.Move(instance, moved(t, 100)), s.Tick())
		}},
		{"instance is removed", func(s *linear.Scene, _ *linear.Tree, instance, _ uint32) (*linear.Scene, error) {
			return nil, errors.Join(s.Remove(instance), s.Tick())
		}},
		{"instance enters", func(s *linear.Scene, _ *linear.Tree, instance, _ uint32) (*linear.Scene, error) {
			return nil, errors.Join(s.Move(instance+1, moved(t, 1)), s.Tick())
		}},
		{"part outgrows its instances", func(_ *linear.Scene, distant *linear.Tree, _, _ uint32) (*linear.Scene, error) {
			return nil, distant.Move(0, linear.AABB{Min: [3]float32{-60, 0, 0}, Max: [3]float32{1, 1, 1}})
		}},
		{"another scene", func(*linear.Scene, *linear.Tree, uint32, uint32) (*linear.Scene, error) {
			other, err := linear.NewScene(linear.Config{Log: true})
			if err == nil {
				_, err = other.Tree().Insert(soa.Object{Box: cube(2)})
			}
			return other, err
		}},
	} {
		s, err := linear.NewScene(linear.Config{Log: true})
		testkit.Must(t, err)
		part, distant := trees.Plant(t, []soa.Object{{Box: cube(0)}}, false), trees.Plant(t, []soa.Object{{Box: cube(0)}}, false)
		instance, err := s.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
		testkit.Must(t, err)
		for _, x := range []float64{50, 70} {
			_, err := s.AddInstance(distant, moved(t, x), linear.InstanceOptions{})
			testkit.Must(t, err)
		}
		own := trees.Insert(t, s.Tree(), []soa.Object{{Box: cube(0)}, {Box: far}})
		testkit.Must(t, s.Tick())
		tracker := interest.SceneTracker{}
		sphere, err1 := interest.Sphere([3]float32{}, 4, 5)
		box, err2 := interest.Box(cube(0), cube(1).Union(cube(0)))
		testkit.Must(t, errors.Join(err1, err2))
		viewers := [2]uint32{tracker.Add(sphere), tracker.Add(box)}
		testkit.Must(t, tracker.Update(s.View()))
		other, err := c.change(s, distant, instance, own[0])
		if testkit.Must(t, err); other != nil {
			s = other
		}
		testkit.Must(t, tracker.Update(s.View()))
		for i, area := range []interest.Area{sphere, box} {
			fresh := interest.SceneTracker{}
			viewer := fresh.Add(area)
			testkit.Must(t, fresh.Update(s.View()))
			got, want := slices.Collect(tracker.InView(viewers[i])), slices.Collect(fresh.InView(viewer))
			if !slices.Equal(got, want) {
				t.Errorf("%s, area %d: %v in view, want %v", c.name, i, got, want)
			}
		}
	}
}
