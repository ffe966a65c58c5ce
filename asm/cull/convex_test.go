package cull_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

func convexKernels(p *cull.Convex) *kernels {
	return &kernels{
		name:   fmt.Sprintf("convex %x", p.Coef[:p.N]),
		Volume: &cull.Volume{Shape: cull.ShapeConvex, Convex: *p},
		ref: func(box *kernel.Columns) (hit, inside bool) {
			return planesRef(box, p.Coef[:p.N], p.Wide[:p.N], p.Near, p.Two)
		},
	}
}

// convexOf prepares planes without changes.
func convexOf(extent [3]float32, planes ...[4]float32) *cull.Convex {
	c := new(cull.Convex)
	c.Set(planes, extent, extent)
	return c
}

// randomConvex has one to 32 planes with one bound, few of which cut.
func randomConvex(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	extent := testkit.Extent(testkit.RandomBoxes(rng, 1, kind))
	return convexKernels(randomConvexOf(rng, kind, extent, extent)).at(t, at)
}

func randomConvexOf(rng *rand.Rand, kind testkit.BoxKind, near, extent [3]float32) *cull.Convex {
	planes := make([][4]float32, 1+rng.IntN(cull.MaxPlanes))
	for i := range planes {
		planes[i] = always
		if i == 0 || rng.IntN(len(planes)) < 2 {
			raw := testkit.RandomPlane(rng, kind)
			planes[i] = cull.ScalePlane([4]float64{float64(raw[0]), float64(raw[1]), float64(raw[2]), float64(raw[3])})
		}
	}
	rng.Shuffle(len(planes), func(i, j int) { planes[i], planes[j] = planes[j], planes[i] })
	c := new(cull.Convex)
	c.Set(planes, near, extent)
	return c
}

// Six planes are prepared as a frustum is; planes left by a larger volume are not read; no planes hold every box and
// no empty lane.
func TestConvexSet(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	extent := [3]float32{104, 104, 104}
	nowhere := make([][4]float32, cull.MaxPlanes)
	for i := range nowhere {
		nowhere[i] = never
	}
	testkit.EachTier(t, func(t *testing.T) {
		for range 100 {
			raw := randomFrustum(rng, testkit.BoxesSmall)
			six := scaled(raw)
			p, c := prepared(raw, extent), convexOf(extent, nowhere...)
			c.Set(six[:], extent, extent)
			if c.N != 6 || [6][4]float32(c.Coef[:6]) != p.Coef || [6][4]uint32(c.Off[:6]) != p.Off {
				t.Fatalf("planes %x: %x, want %x", raw, c.Coef[:6], p.Coef)
			}
			packets, _ := kernel.RandomPackets(rng, 20, testkit.BoxesSmall)
			sameRanges(t, "six planes", convexKernels(c).Scan(nil, packets, 0, 20), frustumKernels(&p).Scan(nil, packets, 0, 20))
		}
		c := convexOf(extent, nowhere...)
		c.Set(nil, [3]float32{}, [3]float32{})
		var packet soa.Packet
		for l := range soa.Lanes {
			kernel.SetPacketBox(&packet, l, kernel.EmptyBox)
		}
		kernel.SetPacketBox(&packet, 0, kernel.ColumnsOf(soa.AABB{}))
		sameRanges(t, "no planes", convexKernels(c).Scan(nil, []soa.Packet{packet}, 0, 1), []asm.Range{{First: 0, N: asm.RangeHit | 1}})
	})
	if testkit.Panic(func() { convexOf(extent, append(nowhere, never)...) }) == nil {
		t.Error("33 planes: no panic")
	}
}

// A lane that SetWithin hits is inside all planes, exactly, for planes through corners of boxes too; a lane
// farther inside than the widening is hit.
func TestConvexSetWithin(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		hit, missed, close := 0, 0, 0
		for round := range 300 {
			boxes := testkit.RandomBoxes(rng, soa.Lanes, testkit.BoxesSmall)
			extent := testkit.Extent(boxes)
			near := extent
			if round%3 == 0 {
				near = testkit.Extent(boxes[:4])
			}
			planes := make([][4]float32, 1+rng.IntN(4))
			for i := range planes {
				raw := testkit.RandomPlane(rng, testkit.BoxesSmall)
				p := [4]float64{float64(raw[0]), float64(raw[1]), float64(raw[2]), float64(raw[3])}
				if rng.IntN(2) == 0 {
					p[3] -= least(&p, &boxes[rng.IntN(len(boxes))])
				}
				planes[i] = cull.ScalePlane(p)
			}
			var packet soa.Packet
			for l := range boxes {
				kernel.SetPacketBox(&packet, l, kernel.ColumnsOf(boxes[l]))
			}
			c := new(cull.Convex)
			c.SetWithin(planes, near, extent)
			v, lanes := cull.Volume{Shape: cull.ShapeConvex, Convex: *c}, uint32(0)
			for _, r := range v.Scan(nil, []soa.Packet{packet}, 0, 1) {
				lanes = r.N & 0xffff
			}
			for l := range boxes {
				inside, surely := true, true
				for _, p := range planes {
					q := [4]float64{float64(p[0]), float64(p[1]), float64(p[2]), 0}
					at, size := least(&q, &boxes[l])+float64(p[3]), 0.0 // exact, but for the last digits
					for a := range 3 {
						size += math.Abs(q[a]) * float64(extent[a])
					}
					size += math.Abs(float64(p[3]))
					inside, surely = inside && at >= -size*0x1p-50, surely && at > size*0x1p-20
					if math.Abs(at) < size*0x1p-23 {
						close++
					}
				}
				switch got := lanes>>l&1 != 0; {
				case got && !inside || surely && !got:
					t.Fatalf("planes %x, box %v: hit %t, inside %t, surely %t", planes, boxes[l], got, inside, surely)
				case got:
					hit++
				default:
					missed++
				}
			}
		}
		if hit < 100 || missed < 100 || close < 100 {
			t.Errorf("%d hit, %d missed, %d close to a plane", hit, missed, close)
		}
	})
}

// least returns the least value of a plane over a box.
func least(p *[4]float64, b *soa.AABB) (sum float64) {
	for a := range 3 {
		x := b.Min[a]
		if p[a] < 0 {
			x = b.Max[a]
		}
		sum += p[a] * float64(x)
	}
	return sum + p[3]
}
