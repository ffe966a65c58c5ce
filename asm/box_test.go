package asm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func boxKernels(p *asm.Box) *kernels {
	return &kernels{
		name:   fmt.Sprintf("box %x", *p),
		Volume: &asm.Volume{Shape: asm.ShapeBox, Box: *p},
		ref: func(box *columns) (hit, inside bool) {
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

func randomBox(t testing.TB, at place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	b := testkit.RandomBoxes(rng, 1, kind)[0]
	if kind == testkit.BoxesSmall {
		for a := range 3 {
			b.Min[a] -= 60 * rng.Float32()
			b.Max[a] += 60 * rng.Float32()
		}
	}
	p := asm.MakeBox(b.Min, b.Max)
	return boxKernels(&p).at(t, at)
}

// A box of any size finds itself, touching boxes, and no empty lane.
func TestBoxTouches(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			for range 200 {
				boxes := testkit.RandomBoxes(rng, 5, kind)
				q := asm.MakeBox(boxes[0].Min, boxes[0].Max)
				corner := asm.MakeBox(boxes[0].Max, boxes[0].Max)
				var packet soa.Packet
				for l := range soa.Lanes {
					c := emptyBox
					if l < len(boxes) {
						c = columnsOf(boxes[l])
					}
					setPacketBox(&packet, l, c)
				}
				for _, p := range []*asm.Box{&q, &corner} {
					got := boxKernels(p).Scan(nil, []soa.Packet{packet}, 0, 1)
					if len(got) != 1 || got[0].N&1 == 0 || got[0].N&0xffe0 != 0 {
						t.Fatalf("box %x over %x: %x", *p, boxes, got)
					}
				}
			}
		}
	})
}
