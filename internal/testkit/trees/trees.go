// Package trees builds trees for tests.
package trees

import (
	"context"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Forms are the states of a tree: with room for changes, frozen without room, and with pending
// objects.
var Forms = []string{"roomy", "frozen", "pending"}

// Forest is one set of objects in trees of all forms.
type Forest struct {
	Objects []soa.Object
	Trees   map[string]*linear.Tree
}

// New returns an empty tree.
func New(t testing.TB, cfg linear.Config) *linear.Tree {
	t.Helper()
	tree, err := linear.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Insert inserts objects in one batch and returns their IDs.
func Insert(t testing.TB, tree *linear.Tree, objects []soa.Object) []uint32 {
	t.Helper()
	ids, err := tree.InsertBatch(nil, objects)
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) != len(objects) {
		t.Fatalf("%d IDs for %d objects", len(ids), len(objects))
	}
	return ids
}

// Rebuild rebuilds a tree, frozen or with room.
func Rebuild(t testing.TB, tree *linear.Tree, frozen bool) {
	t.Helper()
	if err := tree.Rebuild(context.Background(), linear.RebuildOptions{Frozen: frozen}); err != nil {
		t.Fatal(err)
	}
}

// Plant builds a tree, frozen or with room, cut in space.
func Plant(t testing.TB, objects []soa.Object, frozen bool) *linear.Tree {
	t.Helper()
	tree := New(t, linear.Config{Cut: linear.CutSpace})
	Insert(t, tree, objects)
	if frozen {
		Rebuild(t, tree, true)
	}
	return tree
}

// PlantAll builds a tree of each form.
func PlantAll(t testing.TB, objects []soa.Object) Forest {
	t.Helper()
	f := Forest{objects, map[string]*linear.Tree{}}
	for _, form := range Forms {
		tree := New(t, linear.Config{PendingMin: 1 << 20})
		cut := len(objects)
		if form == "pending" {
			cut -= min(cut/3, 100)
		}
		for _, batch := range [][]soa.Object{objects[:cut], objects[cut:]} {
			Insert(t, tree, batch)
		}
		if form == "frozen" {
			Rebuild(t, tree, true)
		}
		if err := tree.Validate(); err != nil {
			t.Fatal(err)
		}
		f.Trees[form] = tree
	}
	return f
}

// SetBalls sets the bounding spheres of the solids in all trees.
func (f *Forest) SetBalls(t testing.TB, solids []testkit.Solid) {
	t.Helper()
	for _, tree := range f.Trees {
		SetBalls(t, tree, solids)
	}
}

// SetBalls sets the bounding spheres of the solids in a tree.
func SetBalls(t testing.TB, tree *linear.Tree, solids []testkit.Solid) {
	t.Helper()
	for i, s := range solids {
		if s.Ball != nil {
			if err := tree.SetSphere(uint32(i), *s.Ball); err != nil {
				t.Fatal(err)
			}
		}
	}
}
