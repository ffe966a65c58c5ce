package collide_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// numberAt returns a number of about a binary exponent, sometimes a zero, the smallest denormal number or one of
// another exponent.
func numberAt(rng *rand.Rand, e int) (x float32) {
	switch rng.IntN(10) {
	case 0:
		return 0
	case 1:
		x = 0x1p-149
	case 2:
		x = float32(math.Ldexp(1+rng.Float64(), rng.IntN(e+150)-149))
	default:
		x = float32(math.Ldexp(1+rng.Float64(), max(e-rng.IntN(4), -149)))
	}
	if x = min(x, math.MaxFloat32); rng.IntN(2) == 0 {
		x = -x
	}
	return x
}

// ballsWithin reports whether two balls are at most a distance apart, in exact arithmetic.
func ballsWithin(a, b *[4]float32, distance float32) bool {
	number := func(x float32) *rational.Rat { return new(rational.Rat).SetFloat64(float64(x)) }
	sum := new(rational.Rat)
	for k := range 3 {
		d := number(a[k])
		d.Sub(d, number(b[k]))
		sum.Add(sum, d.Mul(d, d))
	}
	reach := number(a[3])
	reach.Add(reach, number(b[3]))
	reach.Add(reach, number(distance))
	return sum.Cmp(reach.Mul(reach, reach)) <= 0
}

// At any binary exponent of the coordinates, pairs are those of boxes at most the distance apart in exact arithmetic,
// and of balls none that are is lost: on every tier, also at a distance of denormal numbers, and at one whose square
// is beyond float32.
func TestEveryExponentNear(t *testing.T) {
	seed, near, round := testkit.Seed(t), 0, 0
	for number := range testkit.Budget(t, 1, 40) {
		for e := -149; e <= 127; e++ {
			rng := rand.New(rand.NewPCG(seed+uint64(number)<<32, uint64(e+149)))
			objects := make([]soa.Object, 2+rng.IntN(40))
			for i := range objects {
				b := &objects[i].Box
				for a := range 3 {
					p, q := numberAt(rng, e), numberAt(rng, e)
					if rng.IntN(3) == 0 {
						q = p
					}
					b.Min[a], b.Max[a] = min(p, q), max(p, q)
				}
			}
			tree := trees.Plant(t, objects, rng.IntN(2) == 0)
			flt := collide.Filter{Distance: typicalDistance(rng, objects)}
			if rng.IntN(4) == 0 {
				flt.Distance = max(numberAt(rng, e), 0)
			}
			pairs := testkit.ReferencePairs[soa.Object](objects)
			if flt.Distance > 0 {
				pairs = testkit.ReferencePairsNear(objects, flt.Distance)
			}
			near += len(pairs)
			testkit.EachTier(t, func(t *testing.T) { checkPairs(t, collide.Append(nil, collide.Within(tree.View()), flt), pairs) })
			if t.Failed() {
				t.Fatalf("exponent %d, round %d, distance %x: %x", e, number, flt.Distance, objects)
			}
			round += nearBalls(t, rng, tree, objects, flt, e)
		}
	}
	if t.Logf("%d pairs of boxes, %d of balls", near, round); near < 10_000 || round < 1000 {
		t.Error("too few are near")
	}
}

// nearBalls gives balls to the objects and returns the number of their pairs, none of which may be lost.
func nearBalls(t *testing.T, rng *rand.Rand, tree *linear.Tree, objects []soa.Object, flt collide.Filter, e int) (near int) {
	t.Helper()
	balls := make([][4]float32, len(objects))
	for i := range objects {
		for a := range 3 {
			balls[i][a] = max(min(numberAt(rng, e), math.MaxFloat32/4), -math.MaxFloat32/4)
		}
		balls[i][3] = min(max(numberAt(rng, e), 0), math.MaxFloat32/4)
		body := soa.Ball{Sphere: balls[i]}
		testkit.Must(t, tree.Move(uint32(i), body.Box()))
		testkit.Must(t, tree.SetSphere(uint32(i), balls[i]))
	}
	flt.Exact = true
	testkit.EachTier(t, func(t *testing.T) {
		near = 0
		got := map[testkit.IndexPair]bool{}
		for _, p := range collide.Append(nil, collide.Within(tree.View()), flt) {
			got[testkit.IndexPair{A: int(min(p.A, p.B)), B: int(max(p.A, p.B))}] = true
		}
		for i := range balls {
			for j := range balls[:i] {
				if !ballsWithin(&balls[i], &balls[j], flt.Distance) {
					continue
				}
				if near++; !got[testkit.IndexPair{A: j, B: i}] {
					t.Errorf("exponent %d, distance %x: the balls %x and %x are lost", e, flt.Distance, balls[j], balls[i])
				}
			}
		}
	})
	return near
}
