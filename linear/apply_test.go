package linear_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// An object that is removed as outside in the middle of a batch is not changed by the rest of the batch, and
// neither is a new object with its ID.
func TestApplyRemovedOutside(t *testing.T) {
	tree := newTree(t, linear.Config{World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove})
	insert(t, tree, grid(3))
	out := cube(90, 0, 0, 1)
	var b linear.Batch
	b.Move(5, out)
	b.Tick()
	b.Insert(soa.Object{Box: cube(1, 2, 3, 1), Mask: 1})
	b.SetMask(5, 9)
	b.MoveBatch([]uint32{5, 6}, []soa.AABB{cube(7, 7, 7, 1), cube(8, 8, 8, 1)})
	b.SetSphere(5, [4]float32{7, 7, 7, 1})
	b.Move(5, cube(4, 4, 4, 1))
	b.RemoveBatch([]uint32{5, 7})
	ids, err := tree.Apply(&b)
	must(t, err)
	valid(t, tree)
	o, _ := tree.Object(5)
	p, _ := tree.Object(6)
	if len(ids) != 1 || ids[0] != 5 || o != (soa.Object{Box: cube(1, 2, 3, 1), Mask: 1}) || p.Box != cube(8, 8, 8, 1) || tree.Has(7) || tree.Len() != 26 {
		t.Errorf("IDs %v, object 5 is %v, 6 is %v, %d objects", ids, o, p, tree.Len())
	}
}

// A batch that moves an object after its removal is rejected, also if all IDs are live before the batch.
func TestApplyRemovedThenMoved(t *testing.T) {
	for name, record := range map[string]func(b *linear.Batch){
		"Remove":      func(b *linear.Batch) { b.Remove(5) },
		"RemoveBatch": func(b *linear.Batch) { b.RemoveBatch([]uint32{7, 5}) },
	} {
		tree := newTree(t, linear.Config{})
		insert(t, tree, grid(3))
		state := linear.StateOf(tree)
		var b linear.Batch
		record(&b)
		b.MoveBatch([]uint32{4, 5, 6}, make([]soa.AABB, 3))
		if ids, err := tree.Apply(&b); !errors.Is(err, linear.ErrUnknown) || len(ids) > 0 || !strings.Contains(err.Error(), "MoveBatch: object 1, ID 5") {
			t.Errorf("%s: IDs %v, error %v", name, ids, err)
		}
		if linear.StateOf(tree) != state {
			t.Errorf("%s: the tree has changed", name)
		}
	}
}

// Insertions between two Clears need the room of an empty tree, though none of the objects stays.
func TestApplyRoomBetweenClears(t *testing.T) {
	objects := grid(8)
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects[:3])
	batch := func(n int) *linear.Batch {
		var b linear.Batch
		b.RemoveAll()
		b.InsertBatch(append(objects[:512:512], objects[:n-512]...))
		b.RemoveAll()
		b.Insert(objects[0])
		return &b
	}
	for _, limit := range []struct{ ids, slots, most int }{{600, 0, 600}, {0, 48, 768}} {
		tree.SetLimits(uint32(limit.ids), limit.slots, 0)
		state := linear.StateOf(tree)
		ids, err := tree.Apply(batch(limit.most + 1))
		if !errors.Is(err, soa.ErrFull) || len(ids) > 0 {
			t.Errorf("limits %v: %d IDs, error %v", limit, len(ids), err)
		}
		if linear.StateOf(tree) != state {
			t.Fatalf("limits %v: the tree has changed", limit)
		}
		ids, err = tree.Apply(batch(limit.most))
		must(t, err)
		if len(ids) != limit.most+1 || tree.Len() != 1 {
			t.Errorf("limits %v: %d IDs, %d objects", limit, len(ids), tree.Len())
		}
		valid(t, tree)
	}
}

// A rejected batch is no call: deferred changes stay deferred, also moves and removals.
func TestApplyRefusedKeepsViews(t *testing.T) {
	for _, waits := range []bool{false, true} {
		cfg := linear.Config{PendingMin: 4, PendingShare: 1 << 20}
		tree, reference := newTree(t, cfg), newTree(t, cfg)
		for _, to := range []*linear.Tree{tree, reference} {
			insert(t, to, grid(3))
			for _, o := range grid(2) {
				_, err := to.Insert(o)
				must(t, err)
			}
			if waits {
				must(t, to.Remove(4))
				must(t, to.Move(3, cube(1, 1, 1, 1)))
			}
		}
		var b linear.Batch
		b.Remove(999)
		if _, err := tree.Apply(&b); !errors.Is(err, linear.ErrUnknown) {
			t.Fatalf("waits %v: error %v", waits, err)
		}
		if !linear.LookPending(tree) {
			t.Errorf("waits %v: nothing is left for a look", waits)
		}
		tree.View()
		reference.View()
		if got, want := linear.StateOf(tree), linear.StateOf(reference); got != want {
			t.Errorf("waits %v: after a refused batch and a look the tree is\n%s\nwithout the batch\n%s", waits, got, want)
		}
		valid(t, tree)
	}
}

// Changes that a batch makes after its own Tick are not ticked yet: the scenes of the tree tick it again, for
// every kind of change.
func TestApplyAfterTickIsLogged(t *testing.T) {
	for name, record := range map[string]func(b *linear.Batch){
		"Insert":      func(b *linear.Batch) { b.Insert(soa.Object{Box: cube(2, 2, 2, 1)}) },
		"InsertBall":  func(b *linear.Batch) { b.InsertBall(soa.Ball{Sphere: [4]float32{2, 2, 2, 1}}) },
		"Remove":      func(b *linear.Batch) { b.Remove(5) },
		"RemoveBatch": func(b *linear.Batch) { b.RemoveBatch([]uint32{5, 6}) },
		"Move":        func(b *linear.Batch) { b.Move(5, cube(2, 2, 2, 1)) },
		"MoveBatch":   func(b *linear.Batch) { b.MoveBatch([]uint32{5}, []soa.AABB{cube(2, 2, 2, 1)}) },
		"SetMask":     func(b *linear.Batch) { b.SetMask(5, 3) },
		"MoveSphere":  func(b *linear.Batch) { b.MoveSphere(5, [4]float32{2, 2, 2, 1}) },
		"SetStatic":   func(b *linear.Batch) { b.SetStatic(5, true) },
	} {
		tree := newTree(t, linear.Config{})
		insert(t, tree, grid(3))
		scene := newScene(t, linear.Config{})
		place(t, scene, tree, at(3, 0, 0), linear.InstanceOptions{})
		for range 70 { // until it is at rest
			must(t, scene.Tick())
		}
		before := tree.Ticks()
		must(t, scene.Tick())
		if tree.Ticks() != before {
			t.Fatalf("%s: a tree at rest was ticked", name)
		}
		var b linear.Batch
		b.Tick()
		record(&b)
		_, err := tree.Apply(&b)
		must(t, err)
		before = tree.Ticks()
		must(t, scene.Tick()) // the program has already ticked the tree in this frame
		must(t, scene.Tick())
		if got := tree.Ticks() - before; got != 1 {
			t.Errorf("%s after the Tick of a batch: the tree was ticked %d times", name, got)
		}
		validScene(t, scene)
		valid(t, tree)
	}
}
