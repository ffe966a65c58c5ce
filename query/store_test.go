package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// A store with only the columns that an area of package interest documents has the results of the tree.
func TestAppendStore(t *testing.T) {
	for _, n := range []int{0, 40, 2000} {
		testAppendStore(t, n)
	}
}

func testAppendStore(t *testing.T, n int) {
	objects := testkit.SceneByName(t, "city").Make(n, 1)
	tree := plant(t, objects, true)
	of := tree.View().Store()
	var s soa.Store
	s.Near, s.Extent, s.Count = of.Near, of.Extent, of.Count
	s.Packets.Bounds, s.Packets.IDs, s.Packets.Masks = of.Packets.Bounds, of.Packets.IDs, of.Packets.Masks
	s.Packets.Moving, s.Packets.Counts = of.Packets.Moving, of.Packets.Counts
	if len(of.Packets.Counts) > 8 {
		s.Nodes.Hot, s.Nodes.Slots = of.Nodes.Hot, of.Nodes.Slots
	}
	whole := sphere(t, scene.Sphere{Center: [3]float32{}, Radius: 1e6})
	small := testkit.Cube(5, 5, 5, 10)
	box := box(t, small)
	for _, f := range []query.Filter{{}, {Mask: 3}, {Motion: query.StaticOnly}} {
		keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact, Only: f.Only}
		testkit.SameIDSet(t, (*walk.Sphere)(&whole).Begin(&s).Append(nil, &keep), whole.Append(nil, tree.View(), f))
		testkit.SameIDSet(t, (*walk.Box)(&box).Begin(&s).Append([]uint32{1 << 20}, &keep), append([]uint32{1 << 20}, box.Append(nil, tree.View(), f)...))
	}
}
