package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A filter that excludes nearly everything visits nearly nothing, however much
// the volume holds.
func TestFilterVisitsLittle(t *testing.T) {
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(50_000, 1)
		for i := range objects {
			objects[i].Mask, objects[i].Static = 1, true
		}
		rare := []int{17, 4321, 40_000}
		for _, i := range rare {
			objects[i].Mask, objects[i].Static = 2, false
		}
		v := plant(t, objects, true).View()
		bounds := scene.Bounds(objects)
		cut := bounds
		cut.Max[0] = bounds.Center()[0]
		all, half := box(t, bounds), box(t, cut)
		for _, flt := range []query.Filter{{Mask: 2}, {Motion: query.MovingOnly}, {Mask: 3, Motion: query.MovingOnly}} {
			if n := all.Count(v, flt); n != len(rare) {
				t.Errorf("%s: %d objects, want %d", name, n, len(rare))
			}
			for _, q := range []query.Box{all, half} {
				// A path from the root to each of the three.
				c := q.Explain(v, flt, nil)
				if c.Nodes > 3*8 || c.Packets > 3 || c.Tested > 3*16 || c.Ranges > 3 {
					t.Errorf("%s, filter %+v: %+v", name, flt, c)
				}
			}
		}
		if c := all.Explain(v, query.Filter{Mask: 4}, nil); c != (query.Counters{Nodes: 1}) {
			t.Errorf("%s: a mask that no object has: %+v", name, c)
		}
	}
}

// A handle excludes the object that it refers to, and nothing once that is removed, even if another object has the ID.
// A version keeps the meaning that the handle had at its publication.
func TestExcludeByHandle(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(3000, 1)
	tree := plant(t, objects, false)
	shared := linear.NewPublisher(tree)
	var all query.Frustum
	excludes := func(name string, v linear.View, h linear.Handle, want bool) {
		t.Helper()
		ids := all.Append(nil, v, query.Filter{Exclude: h})
		if got := !slices.Contains(ids, h.ID); got != want || len(ids) != v.Len()-1 && want || len(ids) != v.Len() && !want {
			t.Errorf("%s: %v is excluded %v, want %v; %d of %d objects", name, h, got, want, len(ids), v.Len())
		}
	}
	h, _ := tree.Handle(1234)
	before := shared.Acquire()
	defer before.Release()
	for _, none := range []linear.Handle{{}, {ID: 1234}, {ID: 1234, Gen: h.Gen + 1}, {ID: 1234, Gen: h.Gen + 2}, {ID: 1234, Gen: h.Gen - 2}} {
		excludes("no object", tree.View(), none, false)
		excludes("no object", before.View(), none, false)
	}
	for _, far := range []linear.Handle{{ID: 1 << 30, Gen: 1}, {ID: ^uint32(0), Gen: 1}, {ID: ^uint32(0), Gen: ^uint32(0)}} {
		if n := all.Count(tree.View(), query.Filter{Exclude: far}); n != len(objects) {
			t.Errorf("%v excludes %d objects", far, len(objects)-n)
		}
	}
	excludes("tree", tree.View(), h, true)
	excludes("version", before.View(), h, true)

	testkit.Must(t, tree.Remove(h.ID))
	id, err := tree.Insert(objects[1234])
	testkit.Must(t, err)
	if id != h.ID {
		t.Fatalf("the ID is %d, not reused", id)
	}
	shared.Publish()
	after := shared.Acquire()
	defer after.Release()
	excludes("tree, a stale handle", tree.View(), h, false)
	excludes("version, a stale handle", after.View(), h, false)
	excludes("an older version", before.View(), h, true)
	h, _ = tree.Handle(id)
	excludes("tree, the next object", tree.View(), h, true)
	excludes("version, the next object", after.View(), h, true)
	excludes("an older version, a later object", before.View(), h, false)
	testkit.Allocs(t, 20, func() { all.Count(tree.View(), query.Filter{Exclude: h}) })
}

// An excluded object costs a split of one range: the walk is the same, and no lane is tested.
func TestExcludeCostsNothing(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(50_000, 1)
	v := plant(t, objects, true).View()
	q := box(t, soa.AABB{Min: scene.Bounds(objects).Min, Max: scene.Bounds(objects).Center()})
	inside := q.Append(nil, v, query.Filter{})
	most := 0
	for _, id := range inside[:100] {
		c := q.Explain(v, query.Filter{}, nil)
		d := q.Explain(v, query.Filter{Exclude: linear.Handle{ID: id, Gen: 1}}, nil)
		if d.Nodes != c.Nodes || d.Packets != c.Packets || d.Tested != c.Tested || d.Ranges > c.Ranges+2 {
			t.Fatalf("without object %d: %+v, with it %+v", id, d, c)
		}
		most = max(most, d.Ranges-c.Ranges)
	}
	if most == 0 {
		t.Error("no range was split")
	}
}

// With the only object in reach excluded, each kind of query finds nothing.
func TestExcludeTheOnlyObject(t *testing.T) {
	tree := plant(t, nil, false)
	b := linear.AABB{Min: [3]float32{1, 1, 1}, Max: [3]float32{2, 2, 2}}
	id, err := tree.Insert(linear.Object{Box: b})
	testkit.Must(t, err)
	h, _ := tree.Handle(id)
	v, center := tree.View(), b.Center()
	point := point(t, center)
	ray := rayOf(t, [3]float32{}, center, 9)
	swept := sweptBoxOf(t, linear.AABB{}, center)
	ball := sweptSphereOf(t, [3]float32{}, 0.1, center)
	type asking interface {
		Any(linear.View, query.Filter) bool
		Count(linear.View, query.Filter) int
	}
	for _, q := range []asking{
		query.Frustum{}, box(t, b), sphere(t, scene.Sphere{Center: center, Radius: 1}), point, convex(t, faces(b)),
		orientedBox(t, testkit.OrientedIn(testkit.Rand(1), b)), &ray, &swept, &ball,
	} {
		if !q.Any(v, query.Filter{}) || q.Count(v, query.Filter{}) != 1 {
			t.Errorf("%v does not find the object", q)
		}
		if flt := (query.Filter{Exclude: h}); q.Any(v, flt) || q.Count(v, flt) != 0 {
			t.Errorf("%v finds the excluded object", q)
		}
	}
}

// An object is excluded in each lane of a packet, the last one too.
func TestExcludeEveryLane(t *testing.T) {
	tree := trees.New(t, linear.Config{Frozen: true})
	ids, err := tree.InsertBatch(nil, make([]linear.Object, 64)) // full packets
	testkit.Must(t, err)
	box := box(t, soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}})
	lanes := 0
	for _, id := range ids {
		h, _ := tree.Handle(id)
		_, lane, _ := tree.View().Locate(id)
		lanes |= 1 << lane
		got := box.Append(nil, tree.View(), query.Filter{Exclude: h})
		if len(got) != len(ids)-1 || slices.Contains(got, id) {
			t.Errorf("%d in lane %d: %d found", id, lane, len(got))
		}
	}
	if lanes != 1<<16-1 {
		t.Errorf("lanes %#x", lanes)
	}
}

// Remove removes the objects of the query, under every filter, and no others.
func TestRemove(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		objects := testkit.SceneByName(t, "city").Make(3000, 1)
		c := objects[100].Box.Min
		box := box(t, soa.AABB{Min: c, Max: [3]float32{c[0] + 40, c[1] + 30, c[2] + 50}})
		sphere := sphere(t, scene.Sphere{Center: c, Radius: 40})
		cone, err := query.NewCone(c, [3]float32{1, 1, 0}, 90, 0.5)
		testkit.Must(t, err)
		only := make([]uint64, 20)
		for i := range only {
			only[i] = 0x5555555555555555
		}
		for _, flt := range []query.Filter{{}, {Mask: 1}, {Motion: query.StaticOnly}, {Only: only}, {Exact: true, Mask: 6}} {
			removes(t, objects, box, flt, box.Append)
			removes(t, objects, sphere, flt, sphere.Append)
			removes(t, objects, cone, flt, cone.Append)
			removes(t, objects, query.Frustum{}, flt, query.Frustum{}.Append)
		}
	})
}

func removes[V query.Volume](t *testing.T, objects []linear.Object, volume V, flt query.Filter, find func([]uint32, linear.View, query.Filter) []uint32) {
	t.Helper()
	tree := plant(t, objects, true)
	want := find(nil, tree.View(), flt)
	other := tree.Clone()
	n, err := query.Remove(tree, volume, flt)
	testkit.Must(t, err)
	if err := tree.Validate(); err != nil || n != len(want) || n == 0 || tree.Len() != len(objects)-n {
		t.Fatalf("%v with %v: %d objects removed, want %d; %v", volume, flt, n, len(want), err)
	}
	testkit.Must(t, other.RemoveBatch(want))
	if tree.Digest() != other.Digest() || len(find(nil, tree.View(), flt)) > 0 {
		t.Errorf("%v with %v: other objects are left than after RemoveBatch", volume, flt)
	}
	left := slices.Collect(func(yield func(uint32) bool) {
		for id := range tree.All() {
			if !yield(id) {
				return
			}
		}
	})
	if slices.ContainsFunc(left, func(id uint32) bool { return slices.Contains(want, id) }) {
		t.Errorf("%v with %v: an object of the query is left", volume, flt)
	}
}

// An invalid filter is an error, and the tree and its views are unchanged.
func TestRemoveRefuses(t *testing.T) {
	tree := plant(t, testkit.SceneByName(t, "city").Make(100, 1), true)
	v, before := tree.View(), tree.LayoutDigest()
	n, err := query.Remove(tree, query.Frustum{}, query.Filter{Motion: 3})
	if n != 0 || err == nil || !strings.Contains(err.Error(), "Motion 3") {
		t.Errorf("%d objects removed, error %v", n, err)
	}
	if v.Len() != 100 || tree.LayoutDigest() != before {
		t.Error("the tree has changed")
	}
}

// Remove allocates nothing in steady state.
func TestRemoveAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(3000, 1)
	tree := plant(t, objects, true)
	sphere := sphere(t, scene.Sphere{Center: objects[100].Box.Min, Radius: 20})
	var again []linear.Object
	for id := range sphere.All(tree.View(), query.Filter{}) {
		o, _ := tree.Object(id)
		again = append(again, o)
	}
	ids := make([]uint32, 0, len(again))
	run := func() {
		n, err := query.Remove(tree, sphere, query.Filter{Mask: 0})
		testkit.Must(t, err)
		if n != len(again) {
			t.Fatalf("%d objects removed, want %d", n, len(again))
		}
		_, err = tree.InsertBatch(ids, again)
		testkit.Must(t, err)
		testkit.Must(t, tree.Tick())
	}
	for range 200 {
		run()
	}
	testkit.Allocs(t, 50, run)
}
