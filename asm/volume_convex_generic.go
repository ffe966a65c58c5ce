package asm

import "github.com/zoctree/zoctree/soa"

// convexNodeMasks returns the children of n that the planes meet, and of these
// those inside.
func convexNodeMasks(n *soa.Node, p *Convex) (hit, in uint32) {
	hit, in = 0xffff, 0xffff
	for i := 0; i < p.N && hit != 0; i++ {
		c, o := &p.Coef[i], &p.Off[i]
		x, y, z := o[0]/64, o[1]/64, o[2]/64
		hit &= planeMask(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], c)
		in &= planeMask(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], c)
	}
	return hit, in
}

// convexMask returns the boxes of a packet that the planes meet.
func convexMask(b *soa.Packet, p *Convex) uint32 {
	m := uint32(0xffff)
	for i := 0; i < p.N && m != 0; i++ {
		o := &p.Off[i]
		m &= planeMask(&b[o[0]/64], &b[o[1]/64], &b[o[2]/64], &p.Coef[i])
	}
	return m
}
