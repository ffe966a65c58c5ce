package collide

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// bounded is an object of a pair and its bounds.
type bounded struct {
	sphere        [4]float32
	round, turned bool
	packet        *soa.Packet
	lane          int

	solid exact.Solid // if it has an oriented box, or once needed
	frame exact.Frame // once needed
	boxed bool        // solid holds its box
	sized bool        // frame is set

	oriented soa.OrientedBox
}

// set reads the object in a lane.
func (o *bounded) set(p *soa.PacketColumns, slot uint32, lane int) {
	o.sphere, o.round = p.Sphere(slot, lane)
	o.packet, o.lane = &p.Bounds[slot], lane
	o.boxed, o.sized = false, false
	o.turned = false
	if len(p.OrientedBoxes) > 0 {
		if o.oriented, o.turned = p.Oriented(slot, lane); o.turned {
			o.solid.SetOriented(&o.oriented)
		}
	}
}

// box returns the box of an object without an oriented box as a solid.
func (o *bounded) box() *exact.Solid {
	if !o.boxed {
		b, l := o.packet, o.lane
		o.solid.SetBox(&soa.AABB{
			Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
			Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
		})
		o.boxed = true
	}
	return &o.solid
}

// overlaps reports whether each bound of one object overlaps each bound of the other. The box stands
// for an object without a bound.
func (o *bounded) overlaps(q *bounded) bool {
	switch {
	case o.round && q.round && !exact.BallsOverlap(&o.sphere, &q.sphere):
		return false
	case o.turned && q.turned && !o.solid.Overlaps(&q.solid):
		return false
	}
	return o.ballMeets(q) && q.ballMeets(o) && o.turnedMeets(q) && q.turnedMeets(o)
}

// ballMeets reports whether the sphere of an object, if it has one, overlaps the oriented box of
// another, or its box if it has no bound.
func (o *bounded) ballMeets(q *bounded) bool {
	switch {
	case !o.round:
		return true
	case !q.turned:
		return q.round || exact.BallOverlapsBox(&o.sphere, q.packet, q.lane)
	case !q.sized:
		q.frame.Set(&q.oriented)
		q.sized = true
	}
	s := &o.sphere
	return q.frame.Distance([3]float64{float64(s[0]), float64(s[1]), float64(s[2])}) <= float64(s[3])
}

// turnedMeets reports whether the oriented box of an object, if it has one, overlaps the box of
// another that has no bound.
func (o *bounded) turnedMeets(q *bounded) bool {
	return !o.turned || q.round || q.turned || o.solid.Overlaps(q.box())
}

// keepExact keeps the hits of objects whose bounds overlap.
func (w *search) keepExact(hits []pair.Hit) []pair.Hit {
	x, y := &w.x.Packets, &w.y.Packets
	var a, b bounded
	n := 0
	for _, h := range hits {
		a.set(x, h.A.Slot(), h.A.Lane())
		for m := h.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			if b.set(y, h.B, l); !a.overlaps(&b) {
				h.Mask &^= 1 << l
			}
		}
		if h.Mask != 0 {
			hits[n] = h
			n++
		}
	}
	return hits[:n]
}
