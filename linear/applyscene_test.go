package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

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
