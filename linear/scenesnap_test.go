package linear_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// openedOf returns a snapshot of boxes.
func openedOf(t testing.TB, boxes ...soa.AABB) *linear.Snapshot {
	t.Helper()
	return opened(t, written(t, treeOf(t, boxes...)), linear.CheckSafe)
}

// Instances of a snapshot equal the tree at the time of the snapshot: beside the tree, in two scenes, and in
// held versions.
func TestSceneOfSnapshots(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(700, 1)
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	snap := opened(t, written(t, tree), linear.CheckSafe)
	if snap.Bounds() != tree.Bounds() || snap.Radius() != tree.Radius() {
		t.Errorf("the snapshot has bounds %v and radius %g, the tree %v and %g", snap.Bounds(), snap.Radius(), tree.Bounds(), tree.Radius())
	}
	s, reference, other := newScene(t, linear.Config{}), newScene(t, linear.Config{}), newScene(t, linear.Config{})
	same := func(what string) {
		t.Helper()
		validScene(t, s)
		v, w := s.View(), reference.View()
		if v.Bounds() != w.Bounds() || v.Total() != w.Total() || !slices.Equal(v.Outgrown(), w.Outgrown()) || s.Radius() != reference.Radius() {
			t.Fatalf("%s: bounds %v, %d objects, outgrown %v; want %v, %d, %v", what, v.Bounds(), v.Total(), v.Outgrown(), w.Bounds(), w.Total(), w.Outgrown())
		}
		if got, want := s.PlaceTree().LayoutDigest(), reference.PlaceTree().LayoutDigest(); got != want {
			t.Fatalf("%s: boxes of places differ", what)
		}
	}
	var ids []uint32
	for i := range 9 {
		o := linear.InstanceOptions{Turns: i%3 == 0}
		ids = append(ids, place(t, s, snap, at(float64(i), 5, 5), o))
		place(t, reference, tree, at(float64(i), 5, 5), o)
	}
	place(t, other, s, at(1, 1, 1), linear.InstanceOptions{})
	place(t, other, snap, at(2, 2, 2), linear.InstanceOptions{})
	same("placed")
	if p, _, ok := s.Instance(ids[0]); !ok || p != linear.Part(snap) {
		t.Errorf("the part is %v", p)
	}
	in, _, _ := s.View().Instance(ids[4])
	for id, want := range objects {
		if o, ok := in.Objects().Object(uint32(id)); !ok || o != want {
			t.Fatalf("object %d is %v, want %v", id, o, want)
		}
	}
	published := linear.NewScenePublisher(other)
	held := published.Acquire()
	before := held.View().Bounds()
	for _, do := range []func(*linear.Scene) error{
		func(s *linear.Scene) error { return s.Tick() },
		func(s *linear.Scene) error { return s.Move(ids[3], at(50, 0, 0)) },
		func(s *linear.Scene) error { return s.Remove(ids[0]) },
		func(s *linear.Scene) error { return s.Tick() },
		func(s *linear.Scene) error { return s.RemoveBatch(ids[1:]) },
	} {
		must(t, do(s))
		must(t, do(reference))
		same("changed")
		published.Publish()
	}
	if n := s.Stats().Parts; n != 0 {
		t.Errorf("%d parts without places", n)
	}
	if v := held.View(); v.Bounds() != before || v.Total() != 10*uint64(len(objects)) {
		t.Errorf("the version that is held has changed: %v, %d objects", v.Bounds(), v.Total())
	}
	v := held.View()
	inner, _, _ := v.Instance(1)
	held.Release()
	for _, v := range []linear.SceneView{v, inner} {
		if said := said(func() { v.Total() }); said != "linear: a view of a version of a scene was used after the version was released: release it after its last query" {
			t.Errorf("a view that is used after the release says %q", said)
		}
	}
}

// A view of a scene that has changed says how to query it.
func TestStaleSceneView(t *testing.T) {
	s := newScene(t, linear.Config{})
	v := s.View()
	place(t, s, openedOf(t, cube(0, 0, 0, 1)), at(1, 2, 3), linear.InstanceOptions{})
	if said := said(func() { v.Total() }); !strings.Contains(said, ": call View after each change, or keep a version of a ScenePublisher") {
		t.Errorf("the view says %q", said)
	}
}

// Ticks of a scene of snapshots have no work, and allocate nothing.
func TestSceneOfSnapshotsCalm(t *testing.T) {
	s := newScene(t, linear.Config{})
	snap := openedOf(t, cube(0, 0, 0, 1))
	id := place(t, s, snap, at(1, 2, 3), linear.InstanceOptions{})
	must(t, s.Tick())
	must(t, s.Tick())
	if n := s.Due(); n != 0 {
		t.Errorf("%d entries have something to do", n)
	}
	testkit.Allocs(t, 20, func() {
		if s.Move(id, at(4, 5, 6)) != nil || s.Tick() != nil || s.View().Total() != 1 {
			t.Error("the scene is another")
		}
	})
}

// A closed snapshot cannot be placed, and views that reach one panic with the reason.
func TestSceneOfClosedSnapshot(t *testing.T) {
	s := newScene(t, linear.Config{})
	snap := openedOf(t, cube(0, 0, 0, 1))
	id := place(t, s, snap, at(1, 2, 3), linear.InstanceOptions{})
	var none *linear.Snapshot
	if _, err := s.AddInstance(none, linear.Transform{}, linear.InstanceOptions{}); err == nil {
		t.Error("a nil snapshot was placed")
	}
	must(t, snap.Close())
	if _, err := s.AddInstance(snap, linear.Transform{}, linear.InstanceOptions{}); !errors.Is(err, linear.ErrClosed) {
		t.Errorf("placing a snapshot that has been closed: %v", err)
	}
	in, _, _ := s.View().Instance(id)
	v := in.Objects()
	if said := said(func() { v.Len() }); said != "linear: a view of a snapshot was used after it was closed" {
		t.Errorf("a view of it says %q", said)
	}
	fresh := openedOf(t)
	must(t, fresh.Close())
	if said := said(func() { fresh.Bounds() }); said != "linear: View of a snapshot that has been closed" {
		t.Errorf("bounds that were never asked for say %q", said)
	}
	must(t, s.Remove(id))
	validScene(t, s)
}

// said returns the panic value of f.
func said(f func()) (what string) {
	defer func() {
		if r := recover(); r != nil {
			what = r.(string)
		}
	}()
	f()
	return ""
}

// Goroutines with scenes of their own may share snapshots.
func TestSceneSnapshotShared(t *testing.T) {
	snap := openedOf(t, cube(0, 0, 0, 1), cube(3, 0, 0, 1))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			s, err := linear.NewScene(linear.Config{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 200 {
				id, err := s.AddInstance(snap, at(float64(i), float64(g), 0), linear.InstanceOptions{})
				if err != nil || s.Tick() != nil || s.View().Total() != 2 || s.Remove(id) != nil {
					t.Error("the scene is another", err)
				}
			}
		})
	}
	wg.Wait()
	if want := (soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{4, 1, 1}}); snap.Bounds() != want {
		t.Errorf("bounds %v, want %v", snap.Bounds(), want)
	}
}
