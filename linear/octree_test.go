package linear

import (
	"testing"

	"github.com/zoctree/zoctree/soa"
)

// newTestTree returns an empty tree.
func newTestTree(t *testing.T, cfg settings) *Tree {
	t.Helper()
	tree := new(Tree)
	if err := tree.begin(cfg); err != nil {
		t.Fatal(err)
	}
	return tree
}

// insertAll inserts objects and returns their IDs: as a build into an empty tree, else as pending ones.
func insertAll(t *testing.T, tree *Tree, objects []soa.Object) (ids []uint32) {
	t.Helper()
	centres, union, bad := tree.survey(objects)
	if bad >= 0 {
		t.Fatalf("object %d is not valid", bad)
	}
	if tree.ids.Len() > 0 {
		return tree.insertMore(nil, objects, nil, centres, union)
	}
	if err := tree.build(nil, objects, nil, centres, union, buildParams{Frozen: tree.cfg.Frozen}); err != nil {
		t.Fatal(err)
	}
	for i := range objects {
		ids = append(ids, uint32(i))
	}
	return ids
}

// check fails the test if the tree is not sound.
func check(t *testing.T, tree *Tree) {
	t.Helper()
	if err := tree.validate(maxErrors); err != nil {
		t.Fatal(err)
	}
}
