// Package trees builds the trees that tests of queries ask.
package trees

import (
	"context"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Forms are those that a tree can have: with room to change, without, and with
// some objects pending.
var Forms = []string{"roomy", "frozen", "pending"}

// Forest is one set of objects in trees of all forms.
type Forest struct {
	Objects []soa.Object
	Trees   map[string]*linear.Tree
}

// Plant builds a tree, frozen or with room.
func Plant(t testing.TB, objects []soa.Object, frozen bool) *linear.Tree {
	t.Helper()
	tree, err := linear.New(linear.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		t.Fatal(err)
	}
	if frozen {
		freeze(t, tree)
	}
	return tree
}

// PlantAll builds a tree of each form.
func PlantAll(t testing.TB, objects []soa.Object) Forest {
	t.Helper()
	f := Forest{objects, map[string]*linear.Tree{}}
	for _, form := range Forms {
		tree, err := linear.New(linear.Config{PendingMin: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		cut := len(objects)
		if form == "pending" {
			cut -= min(cut/3, 100)
		}
		for _, batch := range [][]soa.Object{objects[:cut], objects[cut:]} {
			if _, err := tree.InsertBatch(nil, batch); err != nil {
				t.Fatal(err)
			}
		}
		if form == "frozen" {
			freeze(t, tree)
		}
		if err := tree.Validate(); err != nil {
			t.Fatal(err)
		}
		f.Trees[form] = tree
	}
	return f
}

func freeze(t testing.TB, tree *linear.Tree) {
	t.Helper()
	if err := tree.Rebuild(context.Background(), linear.RebuildOptions{Frozen: true}); err != nil {
		t.Fatal(err)
	}
}

// SetBalls gives the trees the spheres of the solids.
func (f *Forest) SetBalls(t testing.TB, solids []testkit.Solid) {
	t.Helper()
	for _, tree := range f.Trees {
		SetBalls(t, tree, solids)
	}
}

// SetBalls gives a tree the spheres of the solids.
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
