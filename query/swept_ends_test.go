package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

func pointsAlongX(xs ...float32) (objects []soa.Object) {
	for _, x := range xs {
		objects = append(objects, soa.Object{Mask: 1, Box: soa.AABB{Min: [3]float32{x}, Max: [3]float32{x}}})
	}
	return objects
}

// A hit at the end of a query and a hit a rounding later have one Dist. The smallest ID is first, also when it is the
// later one, in one packet or in many, of all forms.
func TestTiesAtTheEnd(t *testing.T) {
	for _, end := range []float32{0x1p-20, 1, 3, 1000} {
		beyond := math.Nextafter32(end, infinity)
		for name, xs := range map[string][]float32{"two": {beyond, end}, "many": nil} {
			for i := range 100 {
				if name == "many" {
					xs = append(xs, []float32{beyond, end}[i/50])
				}
			}
			v := plant(t, pointsAlongX(xs...), true).View()
			ray := rayOf(t, [3]float32{}, [3]float32{1}, end)
			box := sweptBoxOf(t, soa.AABB{}, [3]float32{end})
			type caster interface {
				hitQuery
				FirstID(linear.View, query.Filter) (uint32, float32, bool)
				FirstFunc(linear.View, query.Filter, func(uint32, float32) (float32, bool)) (uint32, float32, bool)
			}
			testkit.EachTier(t, func(t *testing.T) {
				for q, dist := range map[caster]float32{&ray: end, &box: 1} {
					for _, f := range []query.Filter{{}, {Mask: 1}} {
						all := q.Append(nil, v, f)
						if len(all) != len(xs) || all[0].ID != 0 || all[0].Dist != dist || all[len(all)-1].Dist != dist {
							t.Fatalf("%s up to %v: %d hits, those begin with %+v", name, end, len(all), all[:min(len(all), 1)])
						}
						h, ok := q.First(v, f)
						id, d, found := q.FirstID(v, f)
						tested, by, says := q.FirstFunc(v, f, func(_ uint32, tEnter float32) (float32, bool) { return tEnter, true })
						if !ok || h != all[0] || !found || id != 0 || d != dist || !says || tested != 0 || by != dist {
							t.Errorf("%s up to %v: nearest %+v, first %d at %v, tested %d at %v, want %+v", name, end, h, id, d, tested, by, all[0])
						}
					}
				}
			})
		}
	}
}

// Boxes that a ball hits at times that round to one denormal: the smallest ID is the first hit, also when it is hit a
// little later, in another packet.
func TestSweptSphereDenormalTies(t *testing.T) {
	const unit, n = 0x1p-149, 100
	for _, sign := range []float32{1, -1} {
		for _, late := range []int{0, 1} { // the half of IDs that is hit later
			for _, above := range []int{0, 1} { // that on the other side of the way
				var objects []soa.Object
				for i := range n {
					x, y := sign*4*unit, float32(0)
					if i*2/n == late {
						x = sign * 5 * unit
					}
					if i*2/n == above {
						y = 0x1p-130
					}
					objects = append(objects, soa.Object{Mask: 1, Box: soa.AABB{Min: [3]float32{x, y - 0x1p-130}, Max: [3]float32{x, y}}})
				}
				v := plant(t, objects, true).View()
				q := sweptSphereOf(t, [3]float32{}, 0, [3]float32{sign * 0x3p-141})
				all := q.Append(nil, v, query.Filter{})
				if len(all) != n || all[0].Dist != all[n-1].Dist || all[0].ID != 0 {
					t.Fatalf("sign %v, late %d: %d hits, those begin with %+v", sign, late, len(all), all[:min(len(all), 1)])
				}
				if h, ok := q.First(v, query.Filter{}); !ok || h != all[0] {
					t.Errorf("sign %v, late %d: the nearest is %+v, want %+v", sign, late, h, all[0])
				}
			}
		}
	}
}

// A point that moves reaches the surface itself: there is no direction from there to it. A ball without radius hits
// spheres without radius, also along an axis.
func TestSweptPoints(t *testing.T) {
	b := soa.AABB{Min: [3]float32{2, 0, 0}, Max: [3]float32{4, 1, 1}}
	v := plant(t, []soa.Object{{Box: b, Mask: 1}}, true).View()
	s := sweptSphereOf(t, [3]float32{0, 0.5, 0.25}, 0, [3]float32{4, 0, 0})
	if h, ok := s.First(v, query.Filter{}); !ok || h.Dist != 0.5 || h.Pos != [3]float32{2, 0.5, 0.25} || h.Normal != [3]float32{} {
		t.Errorf("a point hits %+v, %v", h, ok)
	}
	for a := range 3 {
		var at, motion [3]float32
		at[a], motion[a] = 2, 4
		v := plantBalls(t, [][4]float32{{at[0], at[1], at[2], 0}}, []soa.AABB{{Min: at, Max: at}})
		s := sweptSphereOf(t, [3]float32{}, 0, motion)
		r := rayOf(t, [3]float32{}, motion, 1)
		for _, q := range []hitQuery{&s, &r} {
			want := query.Hit{Dist: 0.5, Pos: at}
			if h, ok := q.First(v, query.Filter{Exact: true}); !ok || h != want {
				t.Errorf("along axis %d: %+v, %v, want %+v", a, h, ok, want)
			}
		}
	}
}
