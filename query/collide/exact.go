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
	sized bool        // frame is set, to the box if the object has no oriented box

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
		o.solid.SetBox(o.aligned())
		o.boxed = true
	}
	return &o.solid
}

// aligned returns the box of the object.
func (o *bounded) aligned() *soa.AABB {
	b, l := o.packet, o.lane
	return &soa.AABB{
		Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
		Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
	}
}

// framed returns the frame of the oriented box of an object, or of its box.
func (o *bounded) framed() *exact.Frame {
	if !o.sized {
		if o.sized = true; o.turned {
			o.frame.Set(&o.oriented)
		} else {
			o.frame.SetBox(o.aligned())
		}
	}
	return &o.frame
}

// near reports whether each bound of one object is at most a distance from each bound of the other; 0: they
// overlap. The box stands for an object without a bound.
func (o *bounded) near(q *bounded, distance float64) bool {
	switch {
	case o.round && q.round && !exact.BallsNear(&o.sphere, &q.sphere, distance):
		return false
	case o.turned && q.turned && !o.solid.Overlaps(&q.solid) && !o.framesNear(q, distance):
		return false
	}
	return o.ballNear(q, distance) && q.ballNear(o, distance) && o.turnedNear(q, distance) && q.turnedNear(o, distance)
}

// framesNear reports whether two oriented boxes that do not overlap, or one and a box, are at most a distance
// apart.
func (o *bounded) framesNear(q *bounded, distance float64) bool {
	return distance > 0 && o.framed().Near(q.framed(), distance)
}

// ballNear reports whether the sphere of an object, if it has one, is near the oriented box of another, or its
// box if it has no bound.
func (o *bounded) ballNear(q *bounded, distance float64) bool {
	if !o.round {
		return true
	}
	s := &o.sphere
	if !q.turned {
		return q.round || exact.BallNearBox(s, q.packet, q.lane, distance)
	}
	reach := float64(s[3]) + float64(distance*exact.Widen)
	return q.framed().Distance([3]float64{float64(s[0]), float64(s[1]), float64(s[2])}) <= reach
}

// turnedNear reports whether the oriented box of an object, if it has one, is near the box of another that has no
// bound.
func (o *bounded) turnedNear(q *bounded, distance float64) bool {
	return !o.turned || q.round || q.turned || o.solid.Overlaps(q.box()) || o.framesNear(q, distance)
}

// keepExact keeps the hits of objects whose bounds overlap, or are within the distance.
func (w *search) keepExact(hits []pair.Hit) []pair.Hit {
	x, y := &w.x.Packets, &w.y.Packets
	var a, b bounded
	distance := float64(w.walk.Reach)
	n := 0
	for _, h := range hits {
		a.set(x, h.A.Slot(), h.A.Lane())
		for m := h.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			if b.set(y, h.B, l); !a.near(&b, distance) {
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
