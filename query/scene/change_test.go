package scene_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// Random changes of a scene and its parts, with ticks between: the structure is valid, volumes return the
// results of the reference, and a volume that holds everything returns every object.
func TestChanges(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	outgrown := 0
	for range testkit.Budget(t, 3, 100) {
		outer, inner := newScene(t), newScene(t)
		parts := []*linear.Tree{planted(t, rng, 3), planted(t, rng, 60), planted(t, rng, 0)}
		var ids []uint32
		for range 60 {
			switch k := rng.IntN(len(parts)); rng.IntN(8) {
			case 0, 1:
				ids = append(ids, place(t, outer, parts[k], transformOf(rng, families[rng.IntN(len(families))]), linear.InstanceOptions{}))
			case 2:
				ids = append(ids, place(t, outer, inner, transformOf(rng, "turned"), linear.InstanceOptions{Turns: true}))
			case 3:
				place(t, inner, parts[k], transformOf(rng, "affine"), linear.InstanceOptions{Mask: 3})
			case 4:
				trees.Insert(t, parts[k], objectsOf(rng, 1+rng.IntN(5)))
			case 5:
				if len(ids) > 0 {
					testkit.Must(t, outer.Move(ids[rng.IntN(len(ids))], transformOf(rng, "mirrored")))
				}
			case 6:
				if n := len(ids); n > 0 {
					at := rng.IntN(n)
					testkit.Must(t, outer.Remove(ids[at]))
					ids = slices.Delete(ids, at, at+1)
				}
			default:
				testkit.Must(t, outer.Tick())
			}
			v := outer.View()
			outgrown += len(v.Outgrown())
			if got := scene.Count(query.Frustum{}, v, query.Filter{}); got != v.Total() {
				t.Fatalf("%d objects are in everything, want %d", got, v.Total())
			}
			all := spots(v)
			center, corner, size, ok := targetOf(rng, all)
			if !ok {
				continue
			}
			for _, q := range volumesAt(t, rng, center, corner, size) {
				f := someFilter(rng)
				w := reference{filter: f}
				w.visit(spot{view: v}, q.opened, true)
				var a scene.Answer
				q.append(&a, v, f)
				if got := runsOf(&a); !slices.EqualFunc(got, w.runs, func(x, y run) bool { return x.path == y.path && slices.Equal(x.ids, y.ids) }) {
					t.Fatalf("%s %+v: %v, want %v", q.name, f, got, w.runs)
				}
			}
		}
		testkit.Must(t, outer.Validate())
	}
	if outgrown == 0 {
		t.Error("no part has outgrown a box")
	}
}

// A view ends with the next change, of the scene or of a part, in the middle of an iteration
// as well.
func TestStaleViews(t *testing.T) {
	tree, s := trees.Plant(t, objectsOf(testkit.Rand(1), 50), false), newScene(t)
	place(t, s, tree, translation(t, 1, 2, 3), linear.InstanceOptions{})
	ray := queries.Ray(t, [3]float32{-100, 0, 0}, [3]float32{1, 0, 0}, 300)
	change := func() {
		testkit.Must(t, tree.Remove(tree.View().IDs(0)[0]))
	}
	panics := func(what string, f func()) {
		t.Helper()
		if testkit.Panic(f) == nil {
			t.Errorf("%s does not panic", what)
		}
	}
	v := s.View()
	change()
	var a scene.Answer
	panics("Append", func() { scene.Append(&a, query.Frustum{}, v, query.Filter{}) })
	panics("Count", func() { scene.Count(query.Frustum{}, v, query.Filter{}) })
	panics("Nearest", func() { scene.First(ray, v, query.Filter{}) })
	panics("All", func() {
		for range scene.All(query.Frustum{}, s.View(), query.Filter{}) {
			change()
		}
	})
	panics("Ranges", func() {
		scene.Ranges(query.Frustum{}, s.View(), query.Filter{}, func(scene.Part, query.Range) bool { change(); return true })
	})
	panics("a motion that is none", func() { scene.Any(query.Frustum{}, s.View(), query.Filter{Motion: 9}) })
	panics("a path too long", func() { scene.PathOf(make([]uint32, linear.MaxDepth+1)...) })
}

// Any number of goroutines query one view.
func TestManyReaders(t *testing.T) {
	rng := testkit.Rand(2)
	s := worldOf(t, rng, "turned", 2, 20)
	v := s.View()
	center, corner, size, ok := targetOf(rng, spots(v))
	if !ok {
		t.Fatal("an empty scene")
	}
	qs, rays := volumesAt(t, rng, center, corner, size*4), sweptAt(t, rng, center, corner, size*4)
	var want []uint64
	for _, q := range qs {
		want = append(want, q.count(v, query.Filter{}))
	}
	hits := len(rays[0].append(nil, v, query.Filter{}))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				for i, q := range qs {
					if got := q.count(v, query.Filter{}); got != want[i] {
						t.Errorf("%s: %d, want %d", q.name, got, want[i])
					}
				}
				if got := len(rays[0].append(nil, v, query.Filter{})); got != hits {
					t.Errorf("%d hits, want %d", got, hits)
				}
			}
		})
	}
	group.Wait()
}

// The heat of all parts adds up to the counters.
func TestHeat(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := worldOf(t, rng, "turned", 3, 20)
	testkit.Must(t, s.Tick())
	v := s.View()
	places, visits := 0, 0
	for range 20 {
		center, corner, size, ok := targetOf(rng, spots(v))
		if !ok {
			t.Fatal("an empty scene")
		}
		check := func(name string, tell func(h *scene.Heat) scene.Counters) {
			h := scene.NewHeat(v)
			c := tell(h)
			nodes, packets := 0, 0
			for _, list := range [][]*query.Heat{h.Objects, h.Instances} {
				for _, part := range list {
					for _, n := range part.Nodes {
						nodes += int(n)
					}
					for _, n := range part.Slots {
						packets += int(n)
					}
				}
			}
			if nodes != c.Nodes || packets != c.Packets {
				t.Fatalf("%s: heat of %d nodes and %d packets, counted are %+v", name, nodes, packets, c)
			}
			if twice := c.Add(c); twice.Instances != 2*c.Instances || twice.Nodes != 2*c.Nodes || twice.Whole != 2*c.Whole {
				t.Fatalf("twice %+v is %+v", c, twice)
			}
			places += c.Instances
			visits += packets
		}
		for _, q := range volumesAt(t, rng, center, corner, size*4) {
			check(q.name, func(h *scene.Heat) scene.Counters { return q.tell(v, query.Filter{Mask: uint32(rng.IntN(4))}, h) })
		}
		for _, q := range sweptAt(t, rng, center, corner, size*4) {
			check(q.name, func(h *scene.Heat) scene.Counters { return q.tell(v, query.Filter{}, h) })
		}
	}
	if places == 0 || visits == 0 {
		t.Errorf("%d places, %d packets", places, visits)
	}
}

// Paths resolve to their instances, and answers hold the transforms.
func TestPaths(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s := worldOf(t, rng, "turned", 3, 9)
	v := s.View()
	all := spots(v)
	for _, at := range all {
		part, transform, err := at.path.Instance(v)
		if err != nil || part.Bounds() != at.view.Bounds() {
			t.Fatalf("%v leads to %v, %v", at.path, part, err)
		}
		want := linear.Transform{}
		for i := len(at.transforms) - 1; i >= 0; i-- {
			if want, err = want.Then(*at.transforms[i]); err != nil {
				t.Fatal(err)
			}
		}
		p, q := transform.Point([3]float64{1, 2, 3}), want.Point([3]float64{1, 2, 3})
		for a := range 3 {
			if d := p[a] - q[a]; d > 1e-9 || d < -1e-9 {
				t.Fatalf("%v: pose %v, want %v", at.path, transform.Rows(), want.Rows())
			}
		}
		if at.path.Len() != len(at.ids) || !slices.Equal(slices.Collect(at.path.All()), at.ids) {
			t.Fatalf("%v of %v", at.path, at.ids)
		}
		for i, id := range at.ids {
			if at.path.At(i) != id {
				t.Fatalf("place %d of %v, want %d", i, at.path, id)
			}
		}
	}
	if !slices.IsSortedFunc(all, func(a, b spot) int { return a.path.Compare(b.path) }) {
		slices.SortFunc(all, func(a, b spot) int { return a.path.Compare(b.path) })
	}
	for i := 1; i < len(all); i++ {
		if all[i-1].path.Compare(all[i].path) >= 0 || all[i].path.Compare(all[i-1].path) <= 0 {
			t.Fatalf("%v and %v", all[i-1].path, all[i].path)
		}
	}
	if _, _, err := scene.PathOf(1 << 20).Instance(v); err == nil {
		t.Error("a path to nowhere leads somewhere")
	}
	var a scene.Answer
	scene.Append(&a, query.Frustum{}, v, query.Filter{})
	for p := range a.All() {
		path := a.Path(p)
		_, transform, err := path.Instance(v)
		got, err2 := a.Transform(p)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		x, y := got.Point([3]float64{1, 2, 3}), transform.Point([3]float64{1, 2, 3})
		for k := range 3 {
			if d := x[k] - y[k]; d > 1e-9 || d < -1e-9 {
				t.Fatalf("%v: pose %v, want %v", path, got.Rows(), transform.Rows())
			}
		}
		outer, id := a.In(p)
		if path.Len() > 0 && (id != path.At(path.Len()-1) || a.Path(outer).Len() != path.Len()-1) {
			t.Fatalf("%v is %d in %v", path, id, a.Path(outer))
		}
		if _, ok := a.Part(p); ok != (path.Len() > 0) {
			t.Fatalf("%v: part %v", path, ok)
		}
	}
}
