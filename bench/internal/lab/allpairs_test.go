package lab

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
)

// The sample of objects distinguishes right pairs from wrong ones.
func TestAllPairsVerify(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(200, 1)
	tree := must.Get(BuildFrozen(objects, 1, nil))
	b := &SceneTree{Objects: objects}
	boxes := b.Boxes()
	q := &AllPairs{}
	if !q.Verify(tree.View(), boxes, 0) || q.Pass(tree.View()) == 0 {
		t.Error("right pairs are refused, or there are none")
	}
	far := slices.Clone(boxes)
	for a := range 3 {
		far[q.pairs[0].A].Min[a], far[q.pairs[0].A].Max[a] = 1e6, 1e6
	}
	if q.Verify(tree.View(), far, 0) {
		t.Error("a pair that is none is not noticed")
	}
}
