package asm

import "github.com/zoctree/zoctree/soa"

// convexNodeMasks returns the children of n that the planes meet, and of these
// those inside.
func convexNodeMasks(n *soa.Node, p *Convex) (hit, in uint32) {
	hit, in = 0xff, 0xff
	for i := 0; i < p.N && hit != 0; i++ {
		c, o := &p.Coef[i], &p.Off[i]
		x, y, z := o[0]/32, o[1]/32, o[2]/32
		hit &= planeMask8(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], c)
		in &= planeMask8(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], c)
	}
	return hit, in
}

// convexMask returns the boxes of a packet that the planes meet.
func convexMask(b *soa.Packet, p *Convex) uint32 {
	m := uint32(0xffff)
	for i := 0; i < p.N && m != 0; i++ {
		o := &p.Off[i]
		m &= planeMask16(&b[o[0]/32], &b[o[1]/32], &b[o[2]/32], &p.Coef[i])
	}
	return m
}
