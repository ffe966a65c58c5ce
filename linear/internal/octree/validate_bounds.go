package octree

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// tightBox returns the union of the boxes in the first lanes of a packet, and whether all of them are valid boxes:
// none is inverted or has a NaN.
func tightBox(b *soa.Packet, lanes int) (tight soa.AABB, boxes bool) {
	boxes = true
	for a := range 3 {
		least, most := float32(math.Inf(1)), float32(math.Inf(-1))
		lo, hi := b[2*a][:lanes], b[2*a+1][:lanes]
		for l, x := range lo {
			y := hi[l]
			if !(x <= y) {
				boxes = false
			}
			if x < least {
				least = x
			}
			if y > most {
				most = y
			}
		}
		tight.Min[a], tight.Max[a] = least, most
	}
	return tight, boxes
}

// plain reports whether all boxes of a slot are sound and within the bounds of coordinates of near boxes. It tests
// their union, which suffices for most slots.
func (c *checker) plain(slot uint32) bool {
	p := &c.s.Packets
	tight, boxes := tightBox(&p.Bounds[slot], int(p.Counts[slot]))
	if !boxes || tight.Check() != nil || !c.t.Code.Near(&tight) {
		return false
	}
	for a := range 3 {
		if most := max(-tight.Min[a], tight.Max[a]); !(most <= c.s.Extent[a] && most <= c.s.Near[a]) {
			return false
		}
	}
	return true
}

// bounds checks the bounds of a lane, which holds an object if live is true.
func (c *checker) bounds(slot uint32, l int, live bool) {
	p := &c.s.Packets
	box := p.Box(slot, l)
	sphere, round := p.Sphere(slot, l)
	oriented, turned := p.Oriented(slot, l)
	if !live {
		if round || turned {
			c.fail("slot %d lane %d is free and has a bound", slot, l)
		}
		return
	}
	if round {
		if err := CheckSphere(sphere, box); err != nil {
			c.fail("slot %d lane %d: %v", slot, l, err)
		}
	}
	if turned {
		if err := CheckInside(&oriented, box); err != nil {
			c.fail("slot %d lane %d: %v", slot, l, err)
		}
	}
}
