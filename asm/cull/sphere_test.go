package cull_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

func sphereKernels(p *cull.Sphere) *kernels {
	return &kernels{
		name:   fmt.Sprintf("sphere %x", *p),
		Volume: &cull.Volume{Shape: cull.ShapeSphere, Sphere: *p},
		ref: func(box *kernel.Columns) (hit, inside bool) {
			var near, far [3]float32
			for a, c := range p.Center {
				lo, hi := box[2*a], box[2*a+1]
				n := (c - min(max(c, lo), hi)) * p.Scale
				f := max(c-lo, hi-c) * p.Scale
				near[a], far[a] = n*n, f*f
			}
			hit = float32(near[0]+near[1])+near[2] <= p.Limit
			return hit, hit && float32(far[0]+far[1])+far[2] <= p.Limit
		},
	}
}

func randomSphere(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	b := testkit.RandomBoxes(rng, 1, kind)[0]
	radius := float32(math.Abs(float64(b.Max[2])))
	if kind == testkit.BoxesSmall {
		radius = 60 * rng.Float32()
	}
	p := cull.MakeSphere(b.Min, radius)
	return sphereKernels(&p).at(t, at)
}

// A box that intersects the ball in exact arithmetic is found. The results are those of the reference, and no further
// than the documented bound.
func TestSphereLosesNothing(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := 3000
	if !testkit.Long(t) {
		rounds = 300
	}
	testkit.EachTier(t, func(t *testing.T) {
		held := 0
		for range rounds {
			kind := testkit.BoxKinds()[rng.IntN(4)]
			boxes := testkit.RandomBoxes(rng, 33, kind)
			center := testkit.RandomBoxes(rng, 1, kind)[0].Min
			radius := touchingRadius(rng, center, &boxes[0])
			p := cull.MakeSphere(center, radius)
			got, want := sphereKernels(&p).hits(boxes), testkit.DefinitionSphere(boxes, center, radius)
			held += len(want)
			if !testkit.NothingLost(t, got, want) || !testkit.SameIDs(t, got, testkit.ReferenceSphere(boxes, center, radius)) {
				t.Fatalf("centre %x, radius %x, boxes %x", center, radius, boxes)
			}
			for _, i := range got {
				if !near(&boxes[i], center, radius) {
					t.Fatalf("centre %x, radius %x holds box %x", center, radius, boxes[i])
				}
			}
		}
		if held == 0 {
			t.Error("no box is held by any sphere")
		}
	})
}

// touchingRadius returns the distance of the box rounded to a neighbour, or a
// multiple or part of it.
func touchingRadius(rng *rand.Rand, c [3]float32, b *soa.AABB) float32 {
	var sum float64
	for a := range 3 {
		d := max(float64(b.Min[a])-float64(c[a]), float64(c[a])-float64(b.Max[a]), 0)
		sum += d * d
	}
	r := float32(min(math.Sqrt(sum), math.MaxFloat32))
	switch rng.IntN(6) {
	case 0:
		return math.Nextafter32(r, 0)
	case 1:
		return min(math.Nextafter32(r, math.MaxFloat32), math.MaxFloat32)
	case 2:
		return min(r*rng.Float32()*4, math.MaxFloat32)
	case 3:
		return 0
	}
	return r
}

// near reports whether the exact distance is at most radius*(1 + 2^-21) + 2^-73.
func near(b *soa.AABB, c [3]float32, radius float32) bool {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(x) }
	sum := exact(0)
	for a := range 3 {
		d := exact(float64(c[a]))
		d.Sub(d, exact(float64(min(max(c[a], b.Min[a]), b.Max[a]))))
		sum.Add(sum, d.Mul(d, d))
	}
	limit := exact(float64(radius))
	limit.Mul(limit, exact(1+0x1p-21))
	limit.Add(limit, exact(0x1p-73))
	return sum.Cmp(limit.Mul(limit, limit)) <= 0
}

// The limit agrees with the oracle's in every bit.
func TestMakeSphere(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	check := func(radius float32) {
		p := cull.MakeSphere([3]float32{1, 2, 3}, radius)
		limit, scale := testkit.SphereLimit(radius)
		if p.Limit != limit || p.Scale != scale || p.Center != [3]float32{1, 2, 3} || !(p.Limit <= 0x1.00001p126) {
			t.Fatalf("radius %x: %x, want limit %x, scale %x", radius, p, limit, scale)
		}
	}
	for _, r := range []float32{0, 0x1p-149, 0x1p-75, 1, 0x1.fffffep61, 0x1p62, math.MaxFloat32} {
		check(r)
	}
	for range 20000 {
		check(math.Float32frombits(rng.Uint32N(0x7F800000)))
	}
}
