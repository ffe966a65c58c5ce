package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// nearExponent returns a number of about a binary exponent, from that of the smallest denormal number on.
func nearExponent(r *rand.Rand, e int) float32 {
	x := float32(math.Ldexp(1+r.Float64(), max(e-r.IntN(4), -149)))
	switch r.IntN(10) {
	case 0:
		x = 0
	case 1:
		x = 0x1p-149
	}
	if x = min(x, math.MaxFloat32/8); r.IntN(2) == 0 {
		x = -x
	}
	return x
}

// inPlanes reports whether in exact arithmetic the image of a box, times scale and moved by
// shift, has for each plane a point inside.
func inPlanes(planes *[6][4]float32, b *soa.AABB, scale float64, shift [3]float64) bool {
	number := func(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }
	for i := range planes {
		at := number(float64(planes[i][3]))
		for a := range 3 {
			n, corner := planes[i][a], b.Max[a]
			if n < 0 {
				corner = b.Min[a]
			}
			x := new(rational.Rat).Mul(number(float64(corner)), number(scale))
			at.Add(at, x.Mul(x.Add(x, number(shift[a])), number(float64(n))))
		}
		if at.Sign() < 0 {
			return false
		}
	}
	return true
}

// No frustum loses an object of a part that it contains in exact arithmetic, at any binary exponents of the
// coordinates: under the identity, where the part is moved, and where it is larger or smaller.
func TestEveryExponent(t *testing.T) {
	seed := testkit.Seed(t)
	held := 0
	for round := range testkit.Budget(t, 1, 20) {
		for e := -149; e <= 124; e++ {
			r := rand.New(rand.NewPCG(seed+uint64(round)<<32, uint64(e+149)))
			tree := trees.New(t, linear.Config{})
			objects := make([]soa.Object, 16)
			for i := range objects {
				o := &objects[i]
				for a := range 3 {
					p, q := nearExponent(r, e), nearExponent(r, e)
					o.Box.Min[a], o.Box.Max[a] = min(p, q), max(p, q)
				}
				o.Mask = 1
			}
			trees.Insert(t, tree, objects)
			scale, shift := 1.0, [3]float64{}
			switch (round + e + 149) % 3 {
			case 1:
				for a := range shift {
					shift[a] = float64(nearExponent(r, e))
				}
			case 2:
				scale = math.Ldexp(1, r.IntN(9)-4)
			}
			transform, err := linear.NewTransform([12]float64{scale, 0, 0, shift[0], 0, scale, 0, shift[1], 0, 0, scale, shift[2]})
			testkit.Must(t, err)
			s := newScene(t)
			if _, err := s.AddInstance(tree, transform, linear.InstanceOptions{}); err != nil {
				continue // the part would be beyond float32
			}
			for range 3 {
				// Planes through a corner of an object, or next to it.
				var planes [6][4]float32
				o := &objects[r.IntN(len(objects))].Box
				for i := range planes {
					d := 0.0
					for a := range 3 {
						n := float32(r.NormFloat64())
						x := float64(o.Min[a])
						if r.IntN(2) == 0 {
							x = float64(o.Max[a])
						}
						planes[i][a] = n
						d -= float64(n) * (x*scale + shift[a])
					}
					planes[i][3] = min(max(float32(d), -math.MaxFloat32), math.MaxFloat32)
				}
				f := queries.Frustum(t, planes)
				var must []uint32
				for i := range objects {
					if inPlanes(&planes, &objects[i].Box, scale, shift) {
						must = append(must, uint32(i))
					}
				}
				held += len(must)
				for _, tier := range testkit.Tiers() {
					former, err := asm.SetTier(tier)
					testkit.Must(t, err)
					var answer scene.Answer
					scene.Append(&answer, f, s.View(), query.Filter{})
					asm.SetTier(former)
					for _, i := range must {
						if !slices.Contains(answer.IDs, i) {
							t.Fatalf("%s, exponent %d, scale %v, shift %v: planes %x lose %x", tier, e, scale, shift, planes, objects[i].Box)
						}
					}
				}
			}
		}
	}
	t.Logf("%d objects are held", held)
	if held < 1000 {
		t.Error("the frusta hold too little")
	}
}

// The bounds of a part that touch a plane in exact arithmetic are not outside after the plane has been scaled to
// x/8 >= 2^-149, since 5/8 of the smallest denormal number is rounded to one.
func TestSmallestPlane(t *testing.T) {
	const at = 5 * 0x1p-149
	tree := trees.New(t, linear.Config{})
	trees.Insert(t, tree, []soa.Object{{Mask: 1}})
	s := newScene(t)
	for _, rows := range [][12]float64{
		{0: 1, 3: at, 5: 1, 10: 1},                      // moved along the normal
		{0: 1, 3: at, 5: 0.6, 6: -0.8, 9: 0.8, 10: 0.6}, // turned about the normal
	} {
		transform, err := linear.NewTransform(rows)
		testkit.Must(t, err)
		_ = place(t, s, tree, transform, linear.InstanceOptions{})
	}
	f := queries.Frustum(t, [6][4]float32{{1, 0, 0, -at}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}, {0, 0, 1, 1}, {0, 0, -1, 1}})
	testkit.EachTier(t, func(t *testing.T) {
		var answer scene.Answer
		if scene.Append(&answer, f, s.View(), query.Filter{}); len(answer.IDs) != 2 {
			t.Errorf("%d objects, want the two at the plane", len(answer.IDs))
		}
	})
}
