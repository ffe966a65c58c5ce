package cull_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

func boxKernels(p *cull.Box) *kernels {
	return &kernels{
		name:   fmt.Sprintf("box %x", *p),
		Volume: &cull.Volume{Shape: cull.ShapeBox, Box: *p},
		ref: func(box *kernel.Columns) (hit, inside bool) {
			hit, inside = true, true
			for a := 0; a < 6; a += 2 {
				lo, hi := box[a], box[a+1]
				hit = hit && lo <= p[a+1] && hi >= p[a]
				inside = inside && lo >= p[a] && hi <= p[a+1]
			}
			return hit, inside
		},
	}
}

func randomBox(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	b := testkit.RandomBoxes(rng, 1, kind)[0]
	if kind == testkit.BoxesSmall {
		for a := range 3 {
			b.Min[a] -= 60 * rng.Float32()
			b.Max[a] += 60 * rng.Float32()
		}
	}
	p := cull.MakeBox(b.Min, b.Max)
	return boxKernels(&p).at(t, at)
}

// A box of any size finds itself, touching boxes, and no empty lane.
func TestBoxTouches(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			for range 200 {
				boxes := testkit.RandomBoxes(rng, 5, kind)
				q := cull.MakeBox(boxes[0].Min, boxes[0].Max)
				corner := cull.MakeBox(boxes[0].Max, boxes[0].Max)
				var packet soa.Packet
				for l := range soa.Lanes {
					c := kernel.EmptyBox
					if l < len(boxes) {
						c = kernel.ColumnsOf(boxes[l])
					}
					kernel.SetPacketBox(&packet, l, c)
				}
				for _, p := range []*cull.Box{&q, &corner} {
					got := boxKernels(p).Scan(nil, []soa.Packet{packet}, 0, 1)
					if len(got) != 1 || got[0].N&1 == 0 || got[0].N&0xffe0 != 0 {
						t.Fatalf("box %x over %x: %x", *p, boxes, got)
					}
				}
			}
		}
	})
}
