package cull_test

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// MakePlanes and the oracle's independent preparation agree in every bit.
func TestPlanesMatchOracle(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Again(20_000, 4000) {
		kind := testkit.BoxKinds()[rng.IntN(4)]
		raw := randomFrustum(rng, kind)
		for i := range raw {
			raw[i][rng.IntN(4)] = testkit.RandomPlane(rng, testkit.BoxKinds()[rng.IntN(4)])[0]
		}
		extent := testkit.Extent(testkit.RandomBoxes(rng, 1, kind))
		near := shrunk(rng, extent)
		s := scaled(raw)
		p, oracle := cull.MakePlanes(&s, near, extent), testkit.PreparePlanes(raw, near, extent)
		if p.Near != cull.MakeBox([3]float32{-near[0], -near[1], -near[2]}, near) || p.Two != (near != extent) {
			t.Fatalf("near %v, extent %v: near box %v, two bounds %v", near, extent, p.Near, p.Two)
		}
		for i, want := range oracle.Near {
			for k := range want {
				if math.Float32bits(p.Coef[i][k]) != math.Float32bits(want[k]) {
					t.Fatalf("plane %x over %x: %x, want %x", raw[i], near, p.Coef[i], want)
				}
			}
			if wide := oracle.Far[i][3]; math.Float32bits(p.Wide[i]) != math.Float32bits(wide) || p.Wide[i] < p.Coef[i][3] {
				t.Fatalf("plane %x over %x: %x, want %x", raw[i], extent, p.Wide[i], wide)
			}
			for a := range 3 {
				column := uint32(2*a + 1)
				if raw[i][a] < 0 && want[a] != 0 {
					column--
				}
				if p.Off[i][a] != column*64 {
					t.Fatalf("plane %x: offset %d on axis %d", p.Coef[i], p.Off[i][a], a)
				}
				most := 0.25
				if max(extent[0], extent[1], extent[2]) < 0x1p-64 {
					most = 0x1p62
				}
				if m := math.Abs(float64(p.Coef[i][a])); m >= most {
					t.Fatalf("plane %x is not scaled", p.Coef[i])
				}
			}
		}
	}
}

// hits returns the boxes that a scan finds.
func (k *kernels) hits(boxes []soa.AABB) (found []int) {
	packets := make([]soa.Packet, (len(boxes)+soa.Lanes-1)/soa.Lanes)
	for i := range len(packets) * soa.Lanes {
		c := kernel.EmptyBox
		if i < len(boxes) {
			c = kernel.ColumnsOf(boxes[i])
		}
		kernel.SetPacketBox(&packets[i/soa.Lanes], i%soa.Lanes, c)
	}
	for _, r := range k.Scan(nil, packets, 0, len(packets)) {
		for m := uint16(r.N); m != 0; m &= m - 1 {
			found = append(found, int(r.First)*soa.Lanes+bits.TrailingZeros16(m))
		}
	}
	return found
}

// A box that intersects the original planes in exact arithmetic is found, and the results are those of the reference.
func TestFrustumLosesNothing(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := 4000
	if !testkit.Long(t) {
		rounds = 400
	}
	testkit.EachTier(t, func(t *testing.T) {
		held := 0
		for range rounds {
			boxes := testkit.RandomBoxes(rng, 33, testkit.BoxKinds()[rng.IntN(4)])
			raw := randomFrustum(rng, testkit.BoxKinds()[rng.IntN(4)])
			touch(rng, &raw[0], &boxes[0])
			p := prepared(raw, testkit.Extent(boxes))
			got, want := frustumKernels(&p).hits(boxes), testkit.DefinitionFrustum(boxes, raw)
			held += len(want)
			if !testkit.NothingLost(t, got, want) || !testkit.SameIDs(t, got, testkit.ReferenceFrustum(boxes, raw)) {
				t.Fatalf("planes %x, boxes %x", raw, boxes)
			}
		}
		if held == 0 {
			t.Error("no box is held by any frustum")
		}
	})
}

// touch moves the plane through the corner of the box that is furthest along
// the normal, as near as float32 goes.
func touch(rng *rand.Rand, plane *[4]float32, b *soa.AABB) {
	var d float64
	for a := range 3 {
		v := b.Max[a]
		if plane[a] < 0 {
			v = b.Min[a]
		}
		d -= float64(plane[a]) * float64(v)
	}
	if math.Abs(d) <= math.MaxFloat32 && rng.IntN(4) > 0 {
		plane[3] = float32(d)
	}
}

// Planes of float64 are rounded to float32; that is within the widening too.
func TestScalePlaneFloat64(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Again(3000, 600) {
		boxes := testkit.RandomBoxes(rng, 16, testkit.BoxKinds()[rng.IntN(4)])
		exp := rng.IntN(2000) - 1000
		var plane [4]float64
		for a := range 3 {
			plane[a] = math.Ldexp(rng.NormFloat64(), exp-rng.IntN(8))
			v := boxes[0].Max[a]
			if plane[a] < 0 {
				v = boxes[0].Min[a]
			}
			plane[3] -= plane[a] * float64(v)
		}
		if !(math.Abs(plane[3]) <= math.MaxFloat64) {
			continue // the terms overflow
		}
		c := [6][4]float32{cull.ScalePlane(plane), always, always, always, always, always}
		p := cull.MakePlanes(&c, testkit.Extent(boxes), testkit.Extent(boxes))
		found := frustumKernels(&p).hits(boxes)
		for i := range boxes {
			if intersects(&plane, &boxes[i]) && !slices.Contains(found, i) {
				t.Fatalf("plane %x loses box %x", plane, boxes[i])
			}
		}
	}
}

// intersects is the exact test of one plane at the p-vertex.
func intersects(plane *[4]float64, b *soa.AABB) bool {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2600).SetFloat64(x) }
	sum := exact(plane[3])
	for a := range 3 {
		v := b.Max[a]
		if plane[a] < 0 {
			v = b.Min[a]
		}
		product := exact(plane[a])
		sum.Add(sum, product.Mul(product, exact(float64(v))))
	}
	return sum.Sign() >= 0
}
