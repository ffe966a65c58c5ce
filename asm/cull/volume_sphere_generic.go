package cull

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// furthest returns the scaled distance of c from the further end of the interval.
func furthest(lo, hi, c, scale float32) float32 {
	d, e := int32(math.Float32bits(c-lo)), int32(math.Float32bits(hi-c)) // one is not negative
	return math.Float32frombits(uint32(max(d, e))) * scale
}

// sphereNodeMasks returns the children of n that intersect the ball, and the contained ones.
func sphereNodeMasks(n *soa.Node, p *Sphere) (hit, in uint32) {
	var dist [soa.Fan]float32
	b := &n.Bounds
	hit = lane.WithinMask(b, &p.Center, p.Scale, p.Limit, &dist)
	for left := hit; left != 0; left &= left - 1 {
		l := bits.TrailingZeros32(left) & (soa.Fan - 1)
		dx := furthest(b[soa.MinX][l], b[soa.MaxX][l], p.Center[0], p.Scale)
		dy := furthest(b[soa.MinY][l], b[soa.MaxY][l], p.Center[1], p.Scale)
		dz := furthest(b[soa.MinZ][l], b[soa.MaxZ][l], p.Center[2], p.Scale)
		in |= lane.Bit(float32(float32(dx*dx)+float32(dy*dy))+float32(dz*dz) <= p.Limit) << l
	}
	return hit, in
}

// sphereMask returns the boxes of a packet that intersect the ball.
func sphereMask(b *soa.Packet, p *Sphere) uint32 {
	var dist [soa.Lanes]float32
	return lane.WithinMask(b, &p.Center, p.Scale, p.Limit, &dist)
}
