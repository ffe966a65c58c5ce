package cull_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// The box around a packet is that of plain comparisons, with any signs of its numbers, and any number of lanes in
// use.
func TestHull(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range 2000 {
		for _, kind := range testkit.BoxKinds() {
			n := 1 + rng.IntN(soa.Lanes)
			sign := []func(x float32) float32{
				func(x float32) float32 { return x },
				func(x float32) float32 { return -x },
				func(x float32) float32 { return float32(math.Abs(float64(x))) },
				func(x float32) float32 { return -float32(math.Abs(float64(x))) },
			}[rng.IntN(4)]
			var p soa.Packet
			want := kernel.EmptyBox
			for l := range soa.Lanes {
				kernel.SetPacketBox(&p, l, kernel.EmptyBox)
			}
			for l, b := range testkit.RandomBoxes(rng, n, kind) {
				var c kernel.Columns
				for a := range 3 {
					x, y := sign(b.Min[a]), sign(b.Max[a])
					c[2*a], c[2*a+1] = min(x, y), max(x, y)
				}
				kernel.SetPacketBox(&p, l, c)
				want = kernel.UnionRef(want, c)
			}
			if got := cull.Hull(&p); [6]float32(got[:6]) != want {
				t.Fatalf("%v, %d lanes: the box of %v is %v, want %v", kind, n, p, got[:6], want)
			}
		}
	}
}
