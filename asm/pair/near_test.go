package pair_test

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// exactSquare returns the square of the distance of two boxes in exact arithmetic.
func exactSquare(a, b kernel.Columns) *big.Float {
	wide := func(x float32) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(float64(x)) }
	sum := wide(0)
	for i := 0; i < 6; i += 2 {
		d := wide(b[i])
		d.Sub(d, wide(a[i+1]))
		if e := wide(a[i]); e.Sub(e, wide(b[i+1])).Cmp(d) > 0 {
			d = e
		}
		if d.Sign() > 0 {
			sum.Add(sum, d.Mul(d, d))
		}
	}
	return sum
}

// nearRef returns the square of the distance of two boxes as documented.
func nearRef(a, b kernel.Columns, limit *pair.Limit) float32 {
	var s [3]float32
	for k := range s {
		d := max(b[2*k]-a[2*k+1], a[2*k]-b[2*k+1], 0) * limit.Scale
		s[k] = d * d
	}
	return float32(s[0]+s[1]) + s[2]
}

// distanceOf returns the distance of two boxes rounded to a neighbour, or any.
func distanceOf(a, b kernel.Columns, pick func(n int) int) float32 {
	square, _ := exactSquare(a, b).Float64()
	d := float32(min(math.Sqrt(square), math.MaxFloat32))
	switch pick(5) {
	case 0:
		d = math.Nextafter32(d, 0)
	case 1:
		d = math.Nextafter32(d, math.MaxFloat32)
	case 2:
		d = math.Float32frombits(uint32(pick(0x7F7FFFFF)))
	}
	return max(d, math.SmallestNonzeroFloat32)
}

// Every tier: hits keep the lanes within the limit, with the documented bits. Lanes in exact arithmetic within the
// distance are kept, lanes beyond it are in doubt, and no empty lane is kept.
func TestPairNear(t *testing.T) {
	seed := testkit.Seed(t)
	kept, doubts := 0, 0
	kernel.EachPlace(t, []int{1, 2, 9}, func(t *testing.T, at kernel.Place, n int) {
		rng := testkit.Rand(seed)
		for _, kind := range testkit.BoxKinds() {
			for round := range testkit.Again(40, 4) {
				objects := round%2 == 0
				w := &pair.Walk{X: pairSide(t, rng, at, n, kind), Y: pairSide(t, rng, at, n, kind)}
				box := func(h *pair.Hit) kernel.Columns {
					if objects {
						return kernel.NodeBox(&w.X.Nodes[h.A.Slot()], h.A.Lane())
					}
					return kernel.PacketBox(&w.X.Packets.Bounds[h.A.Slot()], h.A.Lane())
				}
				var hits []pair.Hit
				most := 40
				if n == 9 && round < 2 {
					most = 3 * pair.NearPerCall
				}
				for range 1 + rng.IntN(most) {
					h := pair.Hit{A: soa.MakeLocation(rng.Uint32N(uint32(n)), rng.IntN(soa.Lanes)), B: rng.Uint32N(uint32(n)), Mask: 1 + rng.Uint32N(0xffff), Doubt: rng.Uint32()}
					if b := box(&h); b[0] <= b[1] {
						hits = append(hits, h)
					}
				}
				if len(hits) == 0 {
					continue
				}
				probe := &hits[rng.IntN(len(hits))]
				distance := distanceOf(box(probe), kernel.PacketBox(&w.Y.Packets.Bounds[probe.B], 0), rng.IntN)
				limit := pair.MakeLimit(distance)
				square := new(big.Float).SetPrec(1200).SetFloat64(float64(distance))
				square.Mul(square, square)
				var want []pair.Hit
				doubt := false
				for _, h := range hits {
					mask := h.Mask
					h.Mask, h.Doubt = 0, 0
					for m := mask; m != 0; m &= m - 1 {
						l := bits.TrailingZeros32(m)
						to := kernel.PacketBox(&w.Y.Packets.Bounds[h.B], l)
						d2 := nearRef(box(&h), to, &limit)
						if d2 <= limit.Most {
							h.Mask |= 1 << l
						}
						if d2 <= limit.Most && d2 > limit.Sure {
							h.Doubt |= 1 << l
						}
						if to[0] > to[1] {
							if d2 <= limit.Most {
								t.Fatal("an empty lane is near")
							}
							continue
						}
						if within := exactSquare(box(&h), to).Cmp(square) <= 0; within != (d2 <= limit.Most) && h.Doubt>>l&1 == 0 {
							t.Fatalf("%v: %x and %x, distance %x: within %v, square %x of %x", kind, box(&h), to, distance, within, d2, limit)
						}
						kept += int(h.Mask >> l & 1)
						doubts += int(h.Doubt >> l & 1)
					}
					if h.Mask != 0 {
						want = append(want, h)
					}
					doubt = doubt || h.Doubt != 0
				}
				testkit.EachTier(t, func(t *testing.T) {
					g := *w
					g.Hits = kernel.Put(t, at, hits)
					if got := pair.Near(&g, &limit, objects); got != doubt || !slices.Equal(g.Hits, want) {
						t.Fatalf("%v, distance %x: %v %v, want %v %v", kind, distance, got, g.Hits, doubt, want)
					}
				})
			}
		}
	})
	if kept < 100 || doubts < 10 {
		t.Errorf("%d lanes kept, %d in doubt", kept, doubts)
	}
	testkit.EachTier(t, func(t *testing.T) {
		if pair.Near(new(pair.Walk), new(pair.Limit), false) {
			t.Error("no hits are in doubt")
		}
	})
}

// The limits are those documented, for every distance.
func TestMakeLimit(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for i := range 20000 {
		d := math.Float32frombits(1 + rng.Uint32N(0x7F7FFFFF))
		if i == 0 {
			d = math.MaxFloat32
		}
		if i == 1 {
			d = math.SmallestNonzeroFloat32
		}
		l := pair.MakeLimit(d)
		r := float64(d) * float64(l.Scale)
		if frac, _ := math.Frexp(float64(l.Scale)); frac != 0.5 || r >= 0x1p61 || r < 0x1p60 && l.Scale != 0x1p127 {
			t.Fatalf("%x is scaled by %x", d, l.Scale)
		}
		// r*r has 48 bits: the products are within 2^-52 of their exact values.
		if !(float64(l.Sure) <= r*r*(1-5.99*0x1p-24) && float64(l.Sure) > r*r*(1-8.1*0x1p-24)) ||
			!(float64(l.Most) >= r*r*(1+5.99*0x1p-24) && float64(l.Most) < r*r*(1+8.1*0x1p-24)) {
			t.Fatalf("%x: %x, square %x", d, l, r*r)
		}
	}
}
