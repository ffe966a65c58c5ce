package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Far balls are tested by the wide form of each plane, the last one included: a ball inside all planes, in a box that
// one plane cuts, is found.
func TestExactFarBallsByEachPlane(t *testing.T) {
	var planes [][4]float32
	const far = 1e6
	for a := range 3 {
		for _, side := range []float32{1, -1} {
			p := [4]float32{3: far}
			p[a] = side
			planes = append(planes, p)
		}
	}
	tree := trees.New(t, linear.Config{})
	var objects []soa.Object
	for i := range 4000 {
		x := [3]float32{float32(i%16) - 8, float32(i/16%16) - 8, float32(i/256) - 8}
		objects = append(objects, soa.Object{Box: soa.AABB{Min: x, Max: x}})
	}
	trees.Insert(t, tree, objects)
	want := map[uint32]bool{}
	for k, p := range planes {
		// A box that the plane cuts, and in it a ball on this side or beyond.
		for _, inside := range []bool{true, false} {
			var c [3]float32
			a := k / 2
			c[a] = -p[a] * far
			box := soa.AABB{Min: c, Max: c}
			for b := range 3 {
				box.Min[b], box.Max[b] = c[b]-1000, c[b]+1000
			}
			if c[a] += p[a] * 900; !inside {
				c[a] -= p[a] * 1800
			}
			id, err := tree.Insert(soa.Object{Box: box})
			testkit.Must(t, err)
			testkit.Must(t, tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 50}))
			if inside {
				want[id] = true
			}
		}
	}
	testkit.Must(t, tree.Tick())
	convex := convex(t, planes)
	six := frustum(t, [6][4]float32(planes))
	for name, got := range map[string][]uint32{
		"convex":  convex.Append(nil, tree.View(), query.Filter{Exact: true}),
		"frustum": six.Append(nil, tree.View(), query.Filter{Exact: true}),
	} {
		met := 0
		for _, id := range got {
			if int(id) >= len(objects) {
				if !want[id] {
					t.Errorf("%s: ball %d is beyond a plane", name, id)
				}
				met++
			}
		}
		if met != len(want) {
			t.Errorf("%s: %d far balls of %d", name, met, len(want))
		}
	}
}
