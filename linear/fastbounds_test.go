package linear

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// The fast bounds accept a box only if the full checks accept it and it extends no recorded bound.
func TestFastBounds(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	tree, err := New(Config{PendingMin: 1 << 20})
	testkit.Must(t, err)
	if tree.octree.FastBounds.Contains(&soa.AABB{}) {
		t.Error("a door that nobody has opened lets a box pass")
	}
	if _, err := tree.InsertBatch(nil, scene.All()[0].Make(500, 1)); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for i := range testkit.Budget(t, 30_000, 100_000) {
		box := testkit.RandomBoxes(r, 1, testkit.BoxKinds()[i%len(testkit.BoxKinds())])[0]
		side, from := tree.octree.World.Side(), tree.octree.World.Origin()
		for a := range 3 {
			if i%3 > 0 { // somewhere in the world, or about there
				at := (float64(from[a]) * float64(tree.octree.World.CellSide())) + side*(r.Float64()*1.5-0.25)
				box.Min[a] = float32(at)
				box.Max[a] = float32(at + side*(r.Float64()-0.2)*0.1)
			}
			if r.IntN(50) == 0 {
				box.Min[a] = float32(math.NaN())
			}
			if r.IntN(50) == 0 {
				box.Max[a] = float32(math.Inf(1))
			}
		}
		centres, far, near, extent := tree.octree.Centres, tree.octree.Code.Outlier, tree.octree.Store.Near, tree.octree.Store.Extent
		if tree.octree.FastBounds.Contains(&box) {
			passed++
			c := box.Center()
			tree.octree.FastBounds = octree.FastBounds{Boxes: soa.Empty(), Centres: soa.Empty()}
			tree.octree.WidenBounds(&box)
			switch {
			case box.Check() != nil:
				t.Fatalf("%v passes: %v", box, box.Check())
			case !tree.octree.World.Inside(c):
				t.Fatalf("%v passes, its centre is not in %v", box, tree.octree.World)
			case tree.octree.Centres != centres, tree.octree.Store.Near != near, tree.octree.Store.Extent != extent, tree.octree.Code.Outlier != far:
				t.Fatalf("%v passes, and widens what is known", box)
			}
		} else if tree.admitMove(&box) == nil && i%7 == 0 {
			tree.octree.WidenBounds(&box)
			if !tree.octree.FastBounds.Contains(&box) && tree.octree.Code.Near(&box) && tree.octree.World.Inside(box.Center()) {
				t.Fatalf("%v does not pass when it is known", box)
			}
		}
	}
	if passed < 1000 {
		t.Errorf("%d boxes passed", passed)
	}
}
