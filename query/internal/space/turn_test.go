package space

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// randomTurn returns a transform that is not aligned and the bounds of a part, of any magnitude. One in four transforms
// keeps the origin, so that planes cut the images of the smallest parts.
func randomTurn(rng *rand.Rand) (transform *xform.Transform, rows [12]float64, part soa.AABB) {
	for transform = new(xform.Transform); transform.AtMost(xform.Aligned); {
		scale, far := math.Ldexp(1, rng.IntN(3)*(rng.IntN(60)-30)), math.Ldexp(float64(min(rng.IntN(4), 1)), rng.IntN(20)-10)
		for i := range rows {
			if rows[i] = rng.NormFloat64() * scale; i%4 == 3 {
				rows[i] *= far
			}
		}
		transform.Set(&rows)
	}
	size := math.Ldexp(1, rng.IntN(3)*(rng.IntN(80)-40))
	for a := range 3 {
		part.Min[a] = float32(rng.NormFloat64() * size)
		part.Max[a] = part.Min[a] + float32(rng.IntN(4))*rng.Float32()*float32(size)
	}
	return transform, rows, part
}

// The kernel that moves a box query into a part sets the planes of the code in Go, bit by bit, for boxes that cut the
// part, contain it or are outside, of any magnitude, and with sides that are known to be clear.
func TestTurn(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		var results [3]int
		var planes [cull.MaxPlanes]int
		n := testkit.Budget(t, 30_000, 3_000_000)
		for range n {
			transform, rows, part := randomTurn(rng)
			var e Extent
			e.Set(&part)
			e.Clear = rng.Uint32N(64) & rng.Uint32N(64)
			image := transform.Box(&part)
			from := walk.Volume{Kind: walk.KindBox}
			for a := range 3 {
				lo, hi := float64(image.Min[a]), float64(image.Max[a])
				at := lo + (hi-lo)*rng.Float64()
				from.Min[a], from.Max[a] = at, at+(hi-lo)*rng.Float64()
				switch rng.IntN(9) {
				case 0:
					from.Min[a] = lo
				case 1, 2:
					from.Min[a] = lo - (hi - lo)
				case 3, 4:
					from.Max[a] = hi + (hi - lo)
				case 5:
					from.Min[a] -= (hi - lo) / 2
				case 6:
					from.Min[a] = -math.MaxFloat32
				}
			}
			if rng.IntN(4) == 0 {
				a := rng.IntN(3)
				from.Min[a], from.Max[a] = from.Max[a], from.Max[a]+1
			}
			from.SetMiddle()
			var got cull.Convex
			var to walk.Volume
			side, ok := Turn(&got, &from, nil, transform, &e)
			if !ok {
				continue
			}
			expected := Move(&to, &from, transform, &e)
			results[side]++
			if samePlanes(t, &got, &to, side, expected, &e, from.Box(), part, rows); side == exact.Partly {
				planes[got.N]++
			}
		}
		if cpu.Active != cpu.AVX2 && cpu.Active != cpu.AVX512 {
			return
		}
		if total := results[0] + results[1] + results[2]; total < n/2 || min(results[0], results[1], results[2]) < n/100 {
			t.Errorf("results %v of %d", results, n)
		}
		for i, found := range planes[1:10] {
			if found == 0 {
				t.Errorf("no cell of %d planes", 1+i)
			}
		}
	})
}

// samePlanes checks that planes are those of the moved volume, bit by bit, if the side is Partly.
func samePlanes(t *testing.T, got *cull.Convex, to *walk.Volume, side, expected exact.Relation, e *Extent, from any, part soa.AABB, rows [12]float64) {
	t.Helper()
	if side != expected {
		t.Fatalf("%v in %v under %v: %v, want %v", from, part, rows, side, expected)
	}
	if side != exact.Partly {
		return
	}
	var want cull.Convex
	most := [3]float32{float32(e.Most[0]), float32(e.Most[1]), float32(e.Most[2])}
	to.SetConvex(&want, &soa.Store{Near: most, Extent: most})
	if got.N != want.N || got.Two {
		t.Fatalf("%v in %v under %v: %d planes, want %d", from, part, rows, got.N, want.N)
	}
	for i := range got.N {
		for k, x := range got.Coef[i] {
			if math.Float32bits(x) != math.Float32bits(want.Coef[i][k]) || got.Off[i][k] != want.Off[i][k] {
				t.Fatalf("%v in %v under %v: plane %d of %d is %v at %v, want %v at %v", from, part, rows, i, got.N,
					got.Coef[i], got.Off[i], want.Coef[i], want.Off[i])
			}
		}
	}
}

// The kernel that moves planes does likewise, for planes that are near the part and far from it, any number of them.
func TestTurnPlanes(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		var results [3]int
		var planes [cull.MaxPlanes + 1]int
		n := testkit.Budget(t, 30_000, 3_000_000)
		for range n {
			transform, rows, part := randomTurn(rng)
			var e Extent
			e.Set(&part)
			image := transform.Box(&part)
			from := walk.Volume{Kind: walk.KindPlanes, N: rng.IntN(cull.MaxPlanes + 1)}
			reach := []float64{0.5, 1, 1, 4}[rng.IntN(4)]
			var middle [3]float64
			size := 0.0
			for a := range 3 {
				lo, hi := float64(image.Min[a]), float64(image.Max[a])
				middle[a] = (lo + hi) / 2
				size = max(size, (hi-lo)/2)
			}
			for i := range from.N {
				p := &from.Planes[i]
				scale := math.Ldexp(1, rng.IntN(2)*(rng.IntN(40)-20))
				length := 0.0
				for a := range 3 {
					p[a] = rng.NormFloat64() * scale
					length += p[a] * p[a]
					p[3] -= p[a] * middle[a]
				}
				p[3] += math.Sqrt(length) * size * reach * (rng.Float64()*2 + 0.25*rng.NormFloat64())
				if rng.IntN(20*from.N) == 0 {
					*p = [4]float64{}
				}
			}
			if from.N == 6 && rng.IntN(2) == 0 {
				from.Kind = walk.KindFrustum
			}
			var moving cull.MovingPlanes
			moving.Set(from.Planes[:from.N])
			var got cull.Convex
			var to walk.Volume
			side, ok := Turn(&got, &from, &moving, transform, &e)
			if !ok {
				continue
			}
			expected := Move(&to, &from, transform, &e)
			results[side]++
			if samePlanes(t, &got, &to, side, expected, &e, from.Planes[:from.N], part, rows); side == exact.Partly {
				planes[got.N]++
			}
		}
		if cpu.Active < cpu.AVX2 {
			return
		}
		if total := results[0] + results[1] + results[2]; total < n/2 || min(results[0], results[1], results[2]) < n/100 {
			t.Errorf("results %v of %d", results, n)
		}
		for i, found := range planes[1:20] {
			if found == 0 {
				t.Errorf("no result of %d planes", 1+i)
			}
		}
	})
}
