package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The index finds exactly the live objects, each in its lane, both in the tree's own index and in an index made
// from the packets of a view.
func TestLocator(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := testkit.SceneByName(t, "city").Make(3000, 1)
	tree, err := linear.New(linear.Config{})
	must(t, err)
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	var buf []soa.Location
	for step := range 20 {
		for range 50 {
			if id := rng.Uint32N(3000); tree.Has(id) {
				must(t, tree.Remove(id))
			}
			if id := rng.Uint32N(3000); tree.Has(id) {
				must(t, tree.Move(id, objects[rng.IntN(3000)].Box))
			}
		}
		if _, err := tree.InsertBatch(nil, objects[:20]); err != nil {
			t.Fatal(err)
		}
		if step%6 == 5 {
			must(t, tree.Tick())
		}
		v := tree.View()
		for _, v := range []linear.View{v, linear.WithoutIDs(v)} {
			instances := v.Locator(&buf)
			for id := range uint32(3100) {
				slot, lane, ok := instances.Locate(id)
				if ok != tree.Has(id) || ok && v.IDs(slot)[lane] != id {
					t.Fatalf("step %d: object %d is in lane %d of %d, %v", step, id, lane, slot, ok)
				}
			}
		}
	}
}

// A Locator writes to the program's buffer, whose length is the largest ID plus one, and reuses it: only the
// first calls allocate.
func TestLocatorKeepsBuffer(t *testing.T) {
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, sceneOf(t, "uniform", 1000))
	v := linear.WithoutIDs(tree.View())
	var buf []soa.Location
	v.Locator(&buf)
	if len(buf) != len(ids) {
		t.Errorf("%d places of %d IDs are in the buffer", len(buf), len(ids))
	}
	testkit.Allocs(t, 10, func() {
		instances := v.Locator(&buf)
		if slot, lane, ok := instances.Locate(ids[999]); !ok || v.IDs(slot)[lane] != ids[999] {
			t.Errorf("object %d is in lane %d of %d, %v", ids[999], lane, slot, ok)
		}
	})
}
