package linear_test

import (
	"context"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
)

// Build makes the tree that InsertBatch makes, byte by byte, and refuses a tree with objects.
func TestBuildIsInsertBatch(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		for _, n := range []int{0, 1, 15, 16, 17, 300, 5000} {
			objects := sceneOf(t, "city", n)
			want, got := newTree(t, linear.Config{Frozen: frozen}), newTree(t, linear.Config{Frozen: frozen})
			insert(t, want, objects)
			must(t, got.Build(context.Background(), objects, linear.RebuildOptions{Frozen: frozen}))
			must(t, got.Validate())
			a, b := storeBits(want.View().Store()), storeBits(got.View().Store())
			for name := range a {
				if !slices.Equal(a[name], b[name]) {
					t.Errorf("n %d, frozen %v: column %s differs", n, frozen, name)
				}
			}
			v := got.View()
			if err := got.Build(nil, objects, linear.RebuildOptions{}); n > 0 && err == nil {
				t.Error("a tree with objects is built")
			}
			v.Len() // it has not changed
		}
	}
}
