package asm

import "github.com/zoctree/zoctree/soa"

// nearest returns the scaled distance of c from the interval [lo, hi], up to its
// sign.
func (p *Sphere) nearest(c, lo, hi float32) float32 {
	x := c
	if x < lo {
		x = lo
	}
	if x > hi {
		x = hi
	}
	return (c - x) * p.Scale
}

// furthest returns the scaled distance of c from the further end.
func (p *Sphere) furthest(c, lo, hi float32) float32 {
	d := c - lo
	if e := hi - c; e > d {
		d = e
	}
	return d * p.Scale
}

// within compares the sum of three squares.
func (p *Sphere) within(dx, dy, dz float32) uint32 {
	return bit(float32(float32(dx*dx)+float32(dy*dy))+float32(dz*dz) <= p.Limit)
}

// sphereNodeMasks returns the children of n that meet the ball, and those inside.
func sphereNodeMasks(n *soa.Node, p *Sphere) (hit, in uint32) {
	x, y, z := p.Center[0], p.Center[1], p.Center[2]
	b := &n.Bounds
	for i := range soa.Fan {
		dx := p.nearest(x, b[soa.MinX][i], b[soa.MaxX][i])
		dy := p.nearest(y, b[soa.MinY][i], b[soa.MaxY][i])
		dz := p.nearest(z, b[soa.MinZ][i], b[soa.MaxZ][i])
		if p.within(dx, dy, dz) == 0 {
			continue
		}
		hit |= 1 << i
		dx = p.furthest(x, b[soa.MinX][i], b[soa.MaxX][i])
		dy = p.furthest(y, b[soa.MinY][i], b[soa.MaxY][i])
		dz = p.furthest(z, b[soa.MinZ][i], b[soa.MaxZ][i])
		in |= p.within(dx, dy, dz) << i
	}
	return hit, in
}

// sphereMask returns the boxes of a packet that meet the ball.
func sphereMask(b *soa.Packet, p *Sphere) (m uint32) {
	x, y, z := p.Center[0], p.Center[1], p.Center[2]
	for i := soa.Lanes - 1; i >= 0; i-- {
		dx := p.nearest(x, b[soa.MinX][i], b[soa.MaxX][i])
		dy := p.nearest(y, b[soa.MinY][i], b[soa.MaxY][i])
		dz := p.nearest(z, b[soa.MinZ][i], b[soa.MaxZ][i])
		m = m<<1 | p.within(dx, dy, dz)
	}
	return m
}
