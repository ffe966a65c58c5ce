package query_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

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
