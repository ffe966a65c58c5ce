package linear_test

import (
	"math"
	rational "math/big"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
)

// The exact preimages of all points or vectors within a radius are within the reported bound.
func TestTransformLocalWithin(t *testing.T) {
	eachTransform(t, testkit.Budget(t, 5, 300), func(t *testing.T, rng *rand.Rand, p linear.Transform) {
		e := exactly(p)
		var v, within [3]float64
		for a := range 3 {
			v[a] = rng.NormFloat64() * float64(int(1)<<rng.IntN(20))
			if rng.IntN(4) > 0 {
				within[a] = math.Ldexp(rng.ExpFloat64(), -rng.IntN(60))
			}
		}
		local, off := (*xform.Transform)(&p).LocalWithin(v, within)
		if plain, at := p.Local(v); plain != local || within == [3]float64{} && at != off {
			t.Fatalf("%v off %v, want those of Local, %v off %v", local, off, plain, at)
		}
		vector, vectorOff := (*xform.Transform)(&p).LocalVector(v, within)
		here := e.local([3]float64{})
		for corner := range 8 {
			var at [3]*rational.Rat
			for a := range 3 {
				at[a] = rat(v[a])
				if corner>>a&1 == 0 {
					at[a].Sub(at[a], rat(within[a]))
				} else {
					at[a].Add(at[a], rat(within[a]))
				}
			}
			for j, exact := range e.localOf(at) {
				wrong := new(rational.Rat).Sub(exact, rat(local[j]))
				if wrong.Abs(wrong).Cmp(rat(off[j])) > 0 {
					t.Fatalf("local %v of %v within %v, off %v: %s wrong", local, v, within, off, wrong.FloatString(40))
				}
				wrong.Sub(exact, here[j])
				wrong.Sub(wrong, rat(vector[j]))
				if wrong.Abs(wrong).Cmp(rat(vectorOff[j])) > 0 {
					t.Fatalf("vector %v of %v within %v, off %v: %s wrong", vector, v, within, vectorOff, wrong.FloatString(40))
				}
			}
		}
		if p.Kind() <= linear.TransformTranslation && (vector != v || vectorOff != within) {
			t.Fatalf("a translation makes %v off %v of %v off %v", vector, vectorOff, v, within)
		}
	})
}
