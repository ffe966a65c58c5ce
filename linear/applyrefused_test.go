package linear_test

import (
	"errors"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

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
