package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// newTestTree returns an empty tree.
func newTestTree(t *testing.T, cfg Config) *Tree {
	t.Helper()
	tree := new(Tree)
	testkit.Must(t, tree.Begin(cfg))
	return tree
}

// insertAll inserts objects and returns their IDs: as a build into an empty tree, else as pending ones.
func insertAll(t *testing.T, tree *Tree, objects []soa.Object) (ids []uint32) {
	t.Helper()
	centres, union, bad := tree.Survey(objects)
	if bad >= 0 {
		t.Fatalf("object %d is not valid", bad)
	}
	if tree.IDs.Len() > 0 {
		return tree.InsertMore(nil, objects, nil, centres, union)
	}
	testkit.Must(t, tree.Build(nil, objects, nil, centres, union, BuildParams{Frozen: tree.Config.Frozen}))
	for i := range objects {
		ids = append(ids, uint32(i))
	}
	return ids
}

// check fails the test if the tree is not sound.
func check(t *testing.T, tree *Tree) {
	t.Helper()
	testkit.Must(t, tree.Validate(MaxErrors))
}
