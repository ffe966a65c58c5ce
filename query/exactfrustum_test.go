package query_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// wide returns the planes in float64.
func wide(planes [6][4]float32) (p [6][4]float64) {
	for i := range p {
		for k, x := range planes[i] {
			p[i][k] = float64(x)
		}
	}
	return p
}

// checkPrecise fails unless the second test removes only objects outside a frustum, and the same ones on every tree
// and tier; one tree is queried in all forms. filters are the filters of the frusta, in turns. It returns the numbers
// kept by both tests on the last tree.
func checkPrecise(t *testing.T, f forest, frusta [][6][4]float32, filters []query.Filter) (first, second int) {
	t.Helper()
	orders := make([][][]uint32, len(treeForms)) // of the first tier
	testkit.EachTier(t, func(t *testing.T) {
		for i, form := range treeForms {
			v := f.Trees[form].View()
			for k, planes := range frusta {
				flt, p := filters[k%len(filters)], frustum(t, planes).Precise()
				got := p.Append(nil, v, flt)
				if i == k%len(treeForms) {
					got = forms(t, p, p.All(v, flt), v, flt)
				}
				if k == len(orders[i]) {
					orders[i] = append(orders[i], got)
				}
				if !testkit.SameIDs(t, got, orders[i][k]) || t.Failed() {
					t.Fatalf("tree %s, planes %x", form, planes)
				}
			}
		}
	})
	for k, planes := range frusta {
		exact := wide(planes)
		meets := map[uint32]bool{} // of the removed objects
		var same []uint32
		var near [3]float32
		for i, form := range treeForms {
			v := f.Trees[form].View()
			kept := slices.Sorted(slices.Values(frustum(t, planes).Append(nil, v, filters[k%len(filters)])))
			order := slices.Sorted(slices.Values(orders[i][k]))
			// Trees with other near bounds widen planes by less.
			if s := v.Store(); i == 0 {
				same, near = order, s.Near
			} else if s.Near == near {
				testkit.SameIDs(t, order, same)
			}
			testkit.NothingLost(t, kept, order)
			for _, id := range kept {
				if _, found := slices.BinarySearch(order, id); found {
					continue
				}
				met, judged := meets[id]
				if !judged {
					met = testkit.MeetsFrustum(&f.Objects[id].Box, &exact, 0)
					meets[id] = met
				}
				if met {
					t.Errorf("object %d, %x, meets the frustum and is removed", id, f.Objects[id].Box)
				}
			}
			if t.Failed() {
				t.Fatalf("tree %s, planes %x", form, planes)
			}
			if i == len(treeForms)-1 {
				first, second = first+len(kept), second+len(order)
			}
		}
	}
	return first, second
}

// The second test removes nearly all boxes outside the frustum.
func TestPreciseRemoves(t *testing.T) {
	for _, name := range []string{"uniform", "city", "surface"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 6000, 20_000), 1)
		v := plant(t, objects, true).View()
		for _, share := range []float64{0.001, 0.01, 0.1} {
			first, second, exact := 0, 0, 0
			for _, c := range scene.Cameras(objects, share, 20, 1) {
				q := frustum(t, c.Planes())
				kept := q.Append(nil, v, query.Filter{})
				first += len(kept)
				second += q.Precise().Count(v, query.Filter{})
				planes := wide(c.Planes())
				for _, id := range kept {
					if testkit.MeetsFrustum(&objects[id].Box, &planes, 0) {
						exact++
					}
				}
			}
			t.Logf("%s, share %v: first test %d, second %d, exact %d", name, share, first, second, exact)
			if second < exact || second > first {
				t.Errorf("%s, share %v: first test %d, second %d, exact %d", name, share, first, second, exact)
			}
			if first-second < (first-exact)*9/10 {
				t.Errorf("%s, share %v: removes %d of %d", name, share, first-second, first-exact)
			}
		}
	}
}

// A repeated plane bounds nothing: objects on the open side stay.
func TestPreciseRepeatedPlane(t *testing.T) {
	planes := [6][4]float32{{1, 0, 0.25, 1}, {-1, 0, 0.25, 1}, {0, 1, 0.25, 1}, {0, -1, 0.25, 1}, {0, 0, 1, 1}, {0, 0, 1, 1}}
	var objects []soa.Object
	for z := range 100 {
		at := [3]float32{float32(z % 5), float32(z % 3), float32(z)}
		objects = append(objects, soa.Object{Box: soa.AABB{Min: [3]float32{at[0] - 2, at[1] - 2, at[2]}, Max: [3]float32{at[0] + 2, at[1] + 2, at[2] + 60}}, Mask: 1})
	}
	if first, second := checkPrecise(t, plantAll(t, objects), [][6][4]float32{planes}, filters[:1]); first == 0 || second != first {
		t.Errorf("%d of %d are left", second, first)
	}
}
