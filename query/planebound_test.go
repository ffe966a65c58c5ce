package query_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The bound that the doc of Frustum states: what is kept beyond a plane is no
// further beyond it, in exact arithmetic, whatever the numbers. The absolute term is
// needed.
func TestPlaneBounds(t *testing.T) {
	const u = 0x1p-24
	r := testkit.Rand(testkit.Seed(t))
	rounds := 600
	if testing.Short() || testkit.RaceEnabled {
		rounds = 150
	}
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
			scale := exact(1)
			if m := max(math.Abs(float64(p[0])), math.Abs(float64(p[1])), math.Abs(float64(p[2]))); m != 0 {
				_, e := math.Frexp(m)
				scale = exact(math.Ldexp(1, -2-e))
			}
			var coef [4]*big.Rat
			size := new(big.Rat)
			for k := range coef {
				coef[k] = new(big.Rat).Mul(exact(float64(p[k])), scale)
				part := new(big.Rat).Abs(coef[k])
				if k < 3 {
					part.Mul(part, exact(float64(extent[k])))
				}
				size.Add(size, part)
			}
			relative := new(big.Rat).Mul(size, exact(14*u))
			rest := new(big.Rat).SetInt64(1)
			for _, x := range extent {
				rest.Add(rest, exact(float64(x)))
			}
			rest.Mul(rest, exact(0x1p-146))
			var six [6][4]float32
			six[r.IntN(6)] = p
			c, err := query.ConvexPlanes(planes)
			failed(t, err)
			ids := append(frustum(t, six).Append(nil, v, query.Filter{}), c.Append(nil, v, query.Filter{})...)
			for _, id := range ids {
				b := objects[id].Box
				at := new(big.Rat).Set(coef[3])
				for a := range 3 {
					corner := b.Max[a]
					if p[a] < 0 {
						corner = b.Min[a]
					}
					at.Add(at, new(big.Rat).Mul(coef[a], exact(float64(corner))))
				}
				kept++
				if at.Sign() < 0 {
					beyond++
				}
				out := at.Neg(at)
				if out.Cmp(relative) > 0 {
					absolute++
				}
				if out.Cmp(new(big.Rat).Add(relative, rest)) > 0 {
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
