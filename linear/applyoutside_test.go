package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// An object that is removed as outside in the middle of a batch is not changed by the rest of the batch, and
// neither is a new object with its ID.
func TestApplyRemovedOutside(t *testing.T) {
	tree := newTree(t, linear.Config{World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove})
	insert(t, tree, grid(3))
	out := cube(90, 0, 0, 1)
	var b linear.Batch
	b.Move(5, out)
	b.Tick()
	b.Insert(soa.Object{Box: cube(1, 2, 3, 1), Mask: 1})
	b.SetMask(5, 9)
	b.MoveBatch([]uint32{5, 6}, []soa.AABB{cube(7, 7, 7, 1), cube(8, 8, 8, 1)})
	b.SetSphere(5, [4]float32{7, 7, 7, 1})
	b.Move(5, cube(4, 4, 4, 1))
	b.RemoveBatch([]uint32{5, 7})
	ids, err := tree.Apply(&b)
	must(t, err)
	valid(t, tree)
	o, _ := tree.Object(5)
	p, _ := tree.Object(6)
	if len(ids) != 1 || ids[0] != 5 || o != (soa.Object{Box: cube(1, 2, 3, 1), Mask: 1}) || p.Box != cube(8, 8, 8, 1) || tree.Has(7) || tree.Len() != 26 {
		t.Errorf("IDs %v, object 5 is %v, 6 is %v, %d objects", ids, o, p, tree.Len())
	}
}
