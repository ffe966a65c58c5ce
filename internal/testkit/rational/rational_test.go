package rational

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Results are those of big.Rat, also where operands and results are the same variable.
func TestRat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	const n = 4
	var got [n]Rat
	var want [n]big.Rat
	quotients := 0
	for step := range 6_000 {
		i, j, k := rng.IntN(n), rng.IntN(n), rng.IntN(n)
		if step%12 == 0 { // keep numbers short
			for i := range got {
				x := math.Ldexp(float64(rng.IntN(2001)-1000), rng.IntN(80)-40)
				switch rng.IntN(20) {
				case 0:
					x = -math.MaxFloat64
				case 1:
					x = math.SmallestNonzeroFloat64
				}
				got[i].SetFloat64(x)
				want[i].SetFloat64(x)
			}
		}
		switch op := rng.IntN(9); {
		case op == 0:
			got[i].Neg(&got[j])
			want[i].Neg(&want[j])
		case op == 1:
			got[i].Abs(&got[j])
			want[i].Abs(&want[j])
		case op == 2:
			x := rng.Int64N(7) - 3
			got[i].SetInt64(x)
			want[i].SetInt64(x)
		case op == 3 && want[k].Sign() != 0:
			quotients++
			got[i].Quo(&got[j], &got[k])
			want[i].Quo(&want[j], &want[k])
		case op == 4 && want[k].Sign() != 0:
			got[i].Inv(&got[k])
			want[i].Inv(&want[k])
		case op == 5:
			got[i].Sub(&got[j], &got[k])
			want[i].Sub(&want[j], &want[k])
		case op == 6:
			got[i].Mul(&got[j], &got[k])
			want[i].Mul(&want[j], &want[k])
		case op == 7:
			got[i].Set(&got[j])
			want[i].Set(&want[j])
		default:
			got[i].Add(&got[j], &got[k])
			want[i].Add(&want[j], &want[k])
		}
		for i := range got {
			x, exactly := got[i].Float64()
			y, exact := want[i].Float64()
			if got[i].Rat().Cmp(&want[i]) != 0 || got[i].Sign() != want[i].Sign() || got[i].String() != want[i].String() || x != y || exactly != exact {
				t.Fatalf("step %d: %v, want %v", step, &got[i], &want[i])
			}
		}
		if got[j].Cmp(&got[k]) != want[j].Cmp(&want[k]) {
			t.Fatalf("step %d: %v and %v compare as %d", step, &want[j], &want[k], got[j].Cmp(&got[k]))
		}
	}
	if quotients < 300 {
		t.Errorf("%d quotients", quotients)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got[0].SetFloat64(x) != nil {
			t.Errorf("%v is rational", x)
		}
	}
}
