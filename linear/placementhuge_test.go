package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Boxes whose lengths, or sums of lengths, are beyond float32 are ordinary objects, with any slack: Validate
// passes after each change, and a tree reads its own file.
func TestPlacementOfHugeBoxes(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	box := func() (b soa.AABB) {
		for a := range 3 {
			most := []float32{1, 1e19, 1e38, math.MaxFloat32 / 2, math.MaxFloat32}[r.IntN(5)]
			x, y := float32((r.Float32()*2-1)*most), float32((r.Float32()*2-1)*most)
			switch r.IntN(4) {
			case 0:
				x, y = -most, most
			case 1:
				y = x
			}
			b.Min[a], b.Max[a] = min(x, y), max(x, y)
		}
		return b
	}
	policies := []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit, linear.PolicyRebuild}
	for _, slack := range []int{-1, 0, 1, 100} {
		for _, policy := range policies {
			tree := newTree(t, linear.Config{Slack: slack, Policy: policy, PendingMin: 4, PendingShare: 1 << 20, Workers: 1})
			var ids []uint32
			for range testkit.Budget(t, 4, 400) {
				for range 8 {
					id, err := tree.Insert(soa.Object{Box: box(), Mask: 1})
					must(t, err)
					ids = append(ids, id)
				}
				for range 4 {
					must(t, tree.Move(ids[r.IntN(len(ids))], box()))
				}
				var boxes []soa.AABB
				for range ids {
					boxes = append(boxes, box())
				}
				n := r.IntN(len(ids))
				must(t, tree.MoveBatch(ids[:n], boxes[:n]))
				if r.IntN(2) == 0 {
					tick(t, tree)
				} else {
					must(t, tree.Flush())
				}
				valid(t, tree)
				again := loaded(t, written(t, tree), linear.CheckFull)
				if again.LayoutDigest() != tree.LayoutDigest() {
					t.Fatalf("slack %d, %v: the tree of the file is another one", slack, policy)
				}
			}
		}
	}
}
