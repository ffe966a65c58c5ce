package asm

import "github.com/zoctree/zoctree/soa"

// convexNodeMasks returns the children of n that the planes meet, and of these
// those inside.
func convexNodeMasks(n *soa.Node, p *Convex) (hit, in uint32) {
	return planesNodeMasks(n, p.Coef[:p.N], p.Off[:p.N])
}

// convexMask returns the boxes of a packet that the planes meet.
func convexMask(b *soa.Packet, p *Convex) uint32 { return planesMask(b, p.Coef[:p.N], p.Off[:p.N]) }
