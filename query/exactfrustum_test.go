package query_test

import (
	"math"
	"math/big"
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

// dyadic returns a number of so many bits that no sum of products of a scaled
// plane with coordinates is rounded: they lie between 2^-426 and 2^410.
func dyadic(x float64) *big.Float { return new(big.Float).SetPrec(1024).SetFloat64(x) }

// The bound that the doc of Frustum states: an object that is kept beyond a plane is no further beyond it, in exact
// arithmetic, for any numbers. The absolute term is needed.
func TestPlaneBounds(t *testing.T) {
	const u = 0x1p-24
	r := testkit.Rand(testkit.Seed(t))
	rounds := testkit.Budget(t, 150, 1200)
	kept, beyond, absolute := 0, 0, 0
	for round := range rounds {
		kind := testkit.BoxKinds()[round%4]
		small := round%5 == 0 // the denormals alone
		var objects []soa.Object
		for _, b := range testkit.RandomBoxes(r, 20, kind) {
			for a := 0; a < 3 && small; a++ {
				p, q := math.Float32frombits(r.Uint32N(50)), math.Float32frombits(r.Uint32N(50))
				b.Min[a], b.Max[a] = -max(p, q), min(p, q)
			}
			objects = append(objects, soa.Object{Box: b})
		}
		v := plant(t, objects, true).View()
		extent := testkit.Extent(objects)
		for range 20 {
			planes := make([][4]float32, 1)
			planes[0] = testkit.RandomPlane(r, kind)
			if b := objects[r.IntN(len(objects))].Box; r.IntN(2) == 0 || small { // it touches a corner, or nearly
				n := &planes[0]
				if small {
					*n = [4]float32{float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())}
				}
				if d := -(n[0]*b.Max[0] + n[1]*b.Max[1] + n[2]*b.Max[2]); d-d == 0 {
					n[3] = d
				}
			}
			// Scaled, as given: a power of two loses nothing here.
			p := planes[0]
			scale := dyadic(1)
			if m := max(math.Abs(float64(p[0])), math.Abs(float64(p[1])), math.Abs(float64(p[2]))); m != 0 {
				_, e := math.Frexp(m)
				scale = dyadic(math.Ldexp(1, -2-e))
			}
			var coef [4]*big.Float
			size := dyadic(0)
			for k := range coef {
				coef[k] = dyadic(float64(p[k]))
				coef[k].Mul(coef[k], scale)
				part := dyadic(0).Abs(coef[k])
				if k < 3 {
					part.Mul(part, dyadic(float64(extent[k])))
				}
				size.Add(size, part)
			}
			relative := size.Mul(size, dyadic(14*u))
			rest := dyadic(1)
			for _, x := range extent {
				rest.Add(rest, dyadic(float64(x)))
			}
			rest.Mul(rest, dyadic(0x1p-146))
			bound := dyadic(0).Add(relative, rest)
			var six [6][4]float32
			six[r.IntN(6)] = p
			c := convex(t, planes)
			ids := append(frustum(t, six).Append(nil, v, query.Filter{}), c.Append(nil, v, query.Filter{})...)
			for _, id := range ids {
				b := objects[id].Box
				at := dyadic(0).Set(coef[3])
				for a := range 3 {
					corner := b.Max[a]
					if p[a] < 0 {
						corner = b.Min[a]
					}
					term := dyadic(float64(corner))
					at.Add(at, term.Mul(term, coef[a]))
				}
				kept++
				if at.Sign() >= 0 {
					continue
				}
				beyond++
				out := at.Neg(at)
				if out.Cmp(relative) > 0 {
					absolute++
				}
				if out.Cmp(bound) > 0 {
					t.Fatalf("plane %x keeps %x, beyond by %v, the bound is %v + %v", p, b, out, relative, rest)
				}
			}
		}
	}
	t.Logf("%d kept, %d beyond a plane, %d by more than the relative term", kept, beyond, absolute)
	if beyond < 10 || absolute < 10 {
		t.Error("too few to tell")
	}
}
