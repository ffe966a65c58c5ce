package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The counters of a ray do not include the work of the previous one.
func TestRayCountsAnew(t *testing.T) {
	var objects []soa.Object
	for i := range 3000 {
		x := [3]float32{float32(i % 10), float32(i / 10 % 10), float32(i / 100)}
		objects = append(objects, soa.Object{Box: soa.AABB{Min: x, Max: [3]float32{x[0] + 0.5, x[1] + 0.5, x[2] + 0.5}}, Mask: 1 << (i % 2)})
	}
	v := plant(t, objects, true).View()
	for _, flt := range []query.Filter{{}, {Mask: 1}} {
		for i := range 10 {
			y := float32(i) + 0.25
			whole := rayOf(t, [3]float32{-1, y, 0.25}, [3]float32{1, 0, 0}, 100)
			part := rayOf(t, [3]float32{-1, y, 1.25}, [3]float32{1, 0, 0}, float32(i)+1.25)
			ids, few := whole.AppendIDs(nil, v, flt), part.AppendIDs(nil, v, flt)
			if n := whole.Count(v, flt); n != len(ids) {
				t.Errorf("after another ray: %d, want %d", n, len(ids))
			}
			if n := part.Count(v, flt); n != len(few) {
				t.Errorf("after another ray: %d, want %d", n, len(few))
			}
		}
	}
}
