package query_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A walk for a volume tests the packets on its border one by one, up to three of four;
// of more it scans all.
func TestVolumeScansShare(t *testing.T) {
	const side = 20
	half := box(t, soa.AABB{Min: [3]float32{-1e3, -1e3, -1e3}, Max: [3]float32{1e3, 1e3, 0}})
	var few, many int // cases near the limit
	for share := 26; share < 42; share += 2 {
		// Heaps of objects, a share of them across the border.
		var objects []soa.Object
		for heap := range side * side {
			across := heap*37%100 < share
			for i := range 16 {
				b := testkit.Cube(float32(10*(heap%side)+i%4), float32(10*(heap/side)+i/4), -2, 0.25)
				if across {
					b.Max[2] = 2
				}
				objects = append(objects, soa.Object{Box: b, Mask: 1})
			}
		}
		v := plant(t, objects, true).View()
		border := 0
		for slot := range v.Slots() {
			if slices.ContainsFunc(v.IDs(uint32(slot)), func(id uint32) bool { return objects[id].Box.Max[2] > 0 }) {
				border++
			}
		}
		want := border
		if 4*border > 3*v.Slots() {
			want = v.Slots()
		}
		if c := half.Explain(v, query.Filter{}, nil); c.Packets != want {
			t.Errorf("%d of %d packets on the border: %d are tested, want %d", border, v.Slots(), c.Packets, want)
		}
		switch s := 8 * border / v.Slots(); s {
		case 5:
			few++
		case 6:
			many++
		}
	}
	if few == 0 || many == 0 {
		t.Errorf("%d trees with less than 3/4 on the border, %d with more", few, many)
	}
}

// A search for any hit ends in a scan where all nodes are on the border. The scan finds the hit at every position.
func TestAnyScans(t *testing.T) {
	const n = 4000
	q := box(t, testkit.Cube(5, 5, 0, 1))
	for _, at := range []int{-1, 0, n / 2, n - 1} {
		objects := make([]soa.Object, n)
		for i := range objects {
			x, y := float32(10), float32(1) // beams in two directions, about one point
			if i%2 != 0 {
				x, y = y, x
			}
			if i == at {
				x, y = 10, 10
			}
			objects[i] = soa.Object{Box: soa.AABB{Min: [3]float32{-x, -y, -1}, Max: [3]float32{x, y, 1}}, Mask: 1}
		}
		v := plant(t, objects, true).View()
		testkit.EachTier(t, func(t *testing.T) {
			for _, f := range []query.Filter{{}, {Mask: 1}, {Mask: 2}} {
				if got, want := q.Any(v, f), at >= 0 && f.Mask != 2; got != want {
					t.Errorf("object %d is met, filter %+v: any %v", at, f, got)
				}
			}
			if c := q.Explain(v, query.Filter{}, nil); c.Packets != v.Slots() {
				t.Errorf("%d of %d packets are tested: no scan", c.Packets, v.Slots())
			}
		})
	}
}
