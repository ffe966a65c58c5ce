package cull

import "github.com/zoctree/zoctree/soa"

// convexNodeMasks returns the children of n that the planes intersect, and the contained ones.
func convexNodeMasks(n *soa.Node, p *Convex) (hit, in uint32) {
	return planesNodeMasks(n, p.Coef[:p.N], p.Off[:p.N])
}

// convexMask returns the boxes of a packet that the planes intersect.
func convexMask(b *soa.Packet, p *Convex) uint32 { return planesMask(b, p.Coef[:p.N], p.Off[:p.N]) }
