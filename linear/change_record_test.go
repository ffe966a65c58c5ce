package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Frames of recorded changes, with ticks, allocate nothing in steady state.
func TestApplyAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	tree := newTree(t, linear.Config{Workers: 1, PendingMin: 32, PendingShare: 1 << 20})
	ids := insert(t, tree, objects)
	var b linear.Batch
	frame := 0
	run := func() {
		frame++
		b.Reset()
		for k := range 50 {
			i := (frame%20*50 + k) % len(ids)
			b.Move(ids[i], objects[(i+frame%2*7)%len(objects)].Box)
			b.SetMask(ids[i+1], uint32(frame%2))
			b.SetStatic(ids[i+2], frame%2 == 0)
		}
		for k := range 20 {
			b.Remove(ids[4000+k])
			b.Insert(objects[4000+k])
		}
		added, err := tree.Apply(&b)
		must(t, err)
		copy(ids[4000:4020], added)
		tick(t, tree)
	}
	for range 300 {
		run()
	}
	testkit.Allocs(t, 100, run)
	valid(t, tree)
}

// Clearing and filling a tree again allocates nothing.
func TestClearAllocs(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 1)
	tree := newTree(t, linear.Config{Workers: 1})
	ids := insert(t, tree, objects)
	testkit.Allocs(t, 10, func() {
		tree.Clear()
		var err error
		if ids, err = tree.InsertBatch(ids[:0], objects); err != nil {
			t.Fatal(err)
		}
	})
	check(t, tree, ids, objects)
}

// A change of a tree during an iteration over its objects panics at the next step, and not before.
func TestAllPanicsAfterChange(t *testing.T) {
	changes := map[string]func(tree *linear.Tree) error{
		"Insert":    func(tree *linear.Tree) error { _, err := tree.Insert(soa.Object{}); return err },
		"Remove":    func(tree *linear.Tree) error { return tree.Remove(9) },
		"Move":      func(tree *linear.Tree) error { return tree.Move(9, soa.AABB{}) },
		"SetMask":   func(tree *linear.Tree) error { return tree.SetMask(9, 1) },
		"SetStatic": func(tree *linear.Tree) error { return tree.SetStatic(9, true) },
		"Clear":     func(tree *linear.Tree) error { tree.Clear(); return nil },
		"Apply": func(tree *linear.Tree) error {
			var b linear.Batch
			b.Remove(9)
			_, err := tree.Apply(&b)
			return err
		},
	}
	for name, do := range changes {
		tree := newTree(t, linear.Config{})
		insert(t, tree, testkit.SceneByName(t, "uniform").Make(20, 1))
		steps := 0
		func() {
			defer func() {
				if recover() == nil || steps != 1 {
					t.Errorf("%s: %d steps and no panic", name, steps)
				}
			}()
			for range tree.All() {
				steps++
				must(t, do(tree))
			}
		}()
		valid(t, tree)
	}
}

// The pending list stays dense, for any order of removal.
func TestPendingIsDense(t *testing.T) {
	tree := newTree(t, linear.Config{PendingMin: 1 << 20})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(20, 1))
	r := testkit.Rand(testkit.Seed(t))
	var ids []uint32
	for range 3000 {
		if len(ids) < 300 && r.IntN(2) == 0 {
			id, err := tree.Insert(soa.Object{Box: cube(r.Float32(), 0, 0, 1)})
			must(t, err)
			ids = append(ids, id)
		} else if len(ids) > 0 {
			i := r.IntN(len(ids))
			must(t, tree.Remove(ids[i]))
			ids = append(ids[:i], ids[i+1:]...)
		}
		if st := tree.View().Store(); len(st.Pending) != (len(ids)+15)/16 {
			t.Fatalf("%d pending objects in %d packets", len(ids), len(st.Pending))
		}
		valid(t, tree)
	}
}
