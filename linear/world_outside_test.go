package linear_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// leavers is a tree in the fixed cube from 0 to 64, which removes objects outside.
func leavers(t testing.TB, n int, cfg linear.Config) (tree *linear.Tree, ids []uint32) {
	t.Helper()
	cfg.World, cfg.Fixed, cfg.Outside = cube(32, 32, 32, 31), true, linear.OutsideRemove
	tree = newTree(t, cfg)
	r := testkit.Rand(uint64(n))
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i] = soa.Object{Box: cube(1+r.Float32()*62, 1+r.Float32()*62, 1+r.Float32()*62, 1), Mask: 1}
	}
	return tree, insert(t, tree, objects)
}

var away, inside = cube(70, 10, 10, 1), cube(10, 10, 10, 1)

func handlesOf(t testing.TB, tree *linear.Tree, ids ...uint32) (all []soa.Handle) {
	t.Helper()
	for _, id := range ids {
		h, ok := tree.Handle(id)
		if !ok {
			t.Fatalf("no object %d", id)
		}
		all = append(all, h)
	}
	return all
}

// gone fails unless exactly these objects were removed at the last flush or tick.
func gone(t testing.TB, tree *linear.Tree, want []soa.Handle) {
	t.Helper()
	valid(t, tree)
	if got := tree.RemovedOutside(); !slices.Equal(got, want) {
		t.Fatalf("%v departed, want %v", got, want)
	}
	for _, h := range want {
		if _, err := tree.Resolve(h); tree.Has(h.ID) || !errors.Is(err, linear.ErrStale) {
			t.Errorf("%v departed, and resolves with error %v", h, err)
		}
	}
}

// An object that moves outside by any call is removed at the next flush or tick, unless it has moved back or
// has been removed by then. Until then, queries find it at its position.
func TestRemoveOutsideMoves(t *testing.T) {
	for _, end := range []func(*linear.Tree) error{(*linear.Tree).Flush, (*linear.Tree).Tick} {
		tree, ids := leavers(t, 1000, linear.Config{Log: true})
		must(t, end(tree))
		gone(t, tree, nil)

		must(t, tree.Move(ids[500], away))
		must(t, tree.MoveBatch([]uint32{ids[7], ids[300], ids[300]}, []soa.AABB{away, inside, away}))
		must(t, tree.MoveBatch([]uint32{ids[9], ids[9]}, []soa.AABB{away, inside})) // the last move counts
		must(t, tree.Move(ids[600], away))                                          // outside and back
		must(t, tree.Move(ids[600], inside))
		must(t, tree.Move(ids[601], away)) // removed before the tick
		must(t, tree.Remove(ids[601]))
		must(t, tree.Move(ids[602], away)) // the ID is reused
		must(t, tree.Remove(ids[602]))
		again, err := tree.Insert(soa.Object{Box: inside})
		must(t, err)
		if again != ids[602] {
			t.Fatalf("the ID is %d, want %d", again, ids[602])
		}
		var b linear.Batch
		b.Move(ids[800], away)
		b.Move(ids[801], away)
		b.Move(ids[801], inside)
		_, err = tree.Apply(&b)
		must(t, err)
		late, err := tree.Insert(soa.Object{Box: inside}) // still pending
		must(t, err)
		must(t, tree.Move(late, away))

		box, err := query.NewBox(away.Min, away.Max)
		must(t, err)
		if n := box.Count(tree.View(), query.Filter{}); n != 5 {
			t.Errorf("%d objects are found outside before the flush, want 5", n)
		}
		out := []uint32{ids[7], ids[300], ids[500], late, ids[800]}
		slices.Sort(out)
		want := handlesOf(t, tree, out...)
		v := tree.View()
		_, next, _ := v.Changes(0)
		before := tree.Len()
		must(t, end(tree))
		gone(t, tree, want)
		if n := box.Count(tree.View(), query.Filter{}); n != 0 || tree.Len() != before-5 {
			t.Errorf("%d objects are found outside, %d in all", n, tree.Len())
		}
		changes, _, ok := tree.View().Changes(next)
		var logged []uint32
		for _, c := range changes {
			if !c.Removed {
				t.Errorf("change %v is none", c)
			}
			logged = append(logged, c.ID)
		}
		if !ok || !slices.Equal(logged, out) {
			t.Errorf("the log has %v, %v; want %v", logged, ok, out)
		}
		must(t, end(tree))
		gone(t, tree, nil)
	}
}

// Only an explicit flush or tick removes objects outside: not an automatic flush, a rebuild, a refit or a trim.
func TestRemoveOutsideOnlyWhenCalled(t *testing.T) {
	tree, ids := leavers(t, 1000, linear.Config{PendingMin: 1, PendingShare: 1 << 20, Policy: linear.PolicyIncremental})
	tick(t, tree)
	boxes := slices.Repeat([]soa.AABB{away}, 300)
	must(t, tree.MoveBatch(ids[:100], boxes[:100]))
	for i := range 200 * 6 { // more than a thousand single moves cause a flush
		must(t, tree.Move(ids[100+i%200], away))
	}
	if w := tree.Stats(); w.Displaced > 1 {
		t.Fatalf("%d strays: the tree has not flushed", w.Displaced)
	}
	rebuild(t, tree, false)
	tree.Refit()
	tree.Trim()
	for _, id := range ids[:300] {
		if !tree.Has(id) {
			t.Fatalf("object %d has departed", id)
		}
	}
	want := handlesOf(t, tree, ids[:300]...)
	clone := tree.Clone()
	tick(t, tree)
	gone(t, tree, want)
	if w := tree.Work(); w.RemovedOutside != 300 {
		t.Errorf("%+v", w)
	}
	if clone.Len() != 1000 {
		t.Errorf("the clone has %d objects", clone.Len())
	}
	must(t, clone.Flush())
	gone(t, clone, want)
	tick(t, tree)
	if w := tree.Work(); w.RemovedOutside != 0 {
		t.Errorf("%+v in the next frame", w)
	}
	tree.Clear()
	tick(t, tree)
	gone(t, tree, nil)
}

// Validate detects objects outside that are not listed for removal.
func TestRemoveOutsideValidate(t *testing.T) {
	tree, ids := leavers(t, 100, linear.Config{})
	must(t, tree.Move(ids[5], away))
	valid(t, tree)
	v := tree.View()
	instances := v.Locator(nil)
	slot, lane, _ := instances.Locate(ids[7])
	v.Store().Packets.SetBox(slot, lane, &away)
	if err := tree.Validate(); err == nil || !strings.Contains(err.Error(), "object 7 with the box [69 9 9] to [71 11 11] is outside the world") {
		t.Errorf("error %v", err)
	}
}

// Clear cancels the removal of outside objects: the IDs may be reused.
func TestRemoveOutsideClear(t *testing.T) {
	tree, ids := leavers(t, 100, linear.Config{})
	must(t, tree.Move(ids[5], away))
	tree.Clear()
	insert(t, tree, slices.Repeat([]soa.Object{{Box: inside}}, 50))
	tick(t, tree)
	gone(t, tree, nil)
	if tree.Len() != 50 {
		t.Errorf("%d objects", tree.Len())
	}
}

// All objects may be removed, after a batch that moves most of them or after single moves, including far boxes
// that become pending, and spheres.
func TestRemoveAllOutside(t *testing.T) {
	for _, policy := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit, linear.PolicyRebuild} {
		tree, ids := leavers(t, 5000, linear.Config{Policy: policy})
		boxes := make([]soa.AABB, len(ids))
		for i := range boxes {
			boxes[i] = cube(float32(100+i), 10, float32(i)*1e6, 1)
			if i%5 == 0 {
				boxes[i] = cube(10, 10, 10, 1)
			}
		}
		must(t, tree.MoveBatch(ids, boxes))
		must(t, tree.SetSphere(ids[1], [4]float32{101, 10, 1e6, 1}))
		must(t, tree.SetSphere(ids[5], [4]float32{10, 10, 10, 1}))
		var out []uint32
		for i, id := range ids {
			if i%5 != 0 {
				out = append(out, id)
			}
		}
		want := handlesOf(t, tree, out...)
		tick(t, tree)
		gone(t, tree, want)
		if _, ok := tree.Sphere(ids[5]); !ok || tree.Len() != 1000 {
			t.Errorf("%v: %d objects are left, the sphere of one: %v", policy, tree.Len(), ok)
		}
		for i := range boxes {
			boxes[i] = away
		}
		rest := slices.DeleteFunc(slices.Clone(ids), func(id uint32) bool { return !tree.Has(id) })
		want = handlesOf(t, tree, rest...)
		must(t, tree.MoveBatch(rest, boxes[:len(rest)]))
		tick(t, tree)
		gone(t, tree, want)
		if tree.Len() != 0 || tree.Stats().Nodes != 0 {
			t.Errorf("%v: %v is left", policy, tree.Stats())
		}
	}
}

// Objects that are removed outside disappear from the published version and from a tracker's pairs, like other
// removed objects.
func TestRemoveOutsideReaders(t *testing.T) {
	tree, ids := leavers(t, 2000, linear.Config{Log: true})
	tick(t, tree)
	s := linear.NewPublisher(tree)
	var tracker collide.Tracker
	must(t, tracker.Update(tree.View()))
	r := testkit.Rand(testkit.Seed(t))
	departed, reports := 0, 0
	for frame := range 40 {
		for range 30 {
			id := ids[r.IntN(len(ids))]
			if o, ok := tree.Object(id); ok {
				must(t, tree.Move(id, drift(r, o.Box, 6, o.Box, 0)))
			}
		}
		if frame%3 == 0 {
			must(t, tree.Flush())
			departed += len(tree.RemovedOutside())
		}
		h := s.Acquire()
		before := h.View().Len()
		tick(t, tree)
		departed += len(tree.RemovedOutside())
		if h.View().Len() != before {
			t.Fatal("a held version has changed")
		}
		h.Release()
		s.Publish()
		if diff := s.Differs(); diff != nil {
			t.Fatalf("frame %d: %v", frame, diff)
		}
		must(t, tracker.Update(tree.View()))
		all := collide.Append(nil, collide.Within(tree.View()), collide.Filter{})
		if tracker.Len() != len(all) {
			t.Fatalf("frame %d: the tracker holds %d pairs of %d", frame, tracker.Len(), len(all))
		}
		reports += len(all)
		valid(t, tree)
	}
	if departed == 0 || reports == 0 || tree.Len() != len(ids)-departed {
		t.Errorf("%d departed of %d, %d are left, %d pairs", departed, len(ids), tree.Len(), reports)
	}
}

// A frame that removes objects outside and inserts others allocates nothing.
func TestRemoveOutsideAllocates(t *testing.T) {
	tree, ids := leavers(t, 3000, linear.Config{Workers: 1})
	var objects []soa.Object
	for range 100 {
		objects = append(objects, soa.Object{Box: inside})
	}
	boxes := make([]soa.AABB, len(objects))
	for i := range boxes {
		boxes[i] = away
	}
	frame := func() {
		must(t, tree.MoveBatch(ids[:100], boxes))
		tick(t, tree)
		if n := len(tree.RemovedOutside()); n != 100 {
			t.Fatalf("%d departed", n)
		}
		if _, err := tree.InsertBatch(ids[:0], objects); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		frame()
	}
	testkit.Allocs(t, 50, frame)
}
