package asm

import "github.com/zoctree/zoctree/soa"

// planeMask returns a bit for each lane whose p-vertex lies inside the plane.
// x, y and z are the columns of the p-vertex. Lanes go down, so that each shifts
// by a constant.
func planeMask(x, y, z *[soa.Lanes]float32, c *[4]float32) (m uint32) {
	nx, ny, nz, d := c[0], c[1], c[2], c[3]
	for i := soa.Lanes - 1; i >= 0; i-- {
		s := float32(float32(nx*x[i])+float32(ny*y[i])) + float32(nz*z[i])
		m = m<<1 | bit(s+d >= 0)
	}
	return m
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// frustumNodeMasks returns the children of n that the planes meet, and of these
// those inside.
func frustumNodeMasks(n *soa.Node, p *Planes) (hit, in uint32) {
	hit, in = 0xffff, 0xffff
	for i := range p.Coef {
		x, y, z := p.Off[i][0]/64, p.Off[i][1]/64, p.Off[i][2]/64
		hit &= planeMask(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], &p.Coef[i])
		if hit == 0 {
			return 0, 0
		}
		if in &= hit; in != 0 {
			in &= planeMask(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], &p.Coef[i])
		}
	}
	return hit, in & hit
}

// frustumMask returns the boxes of a packet that the planes meet.
func frustumMask(b *soa.Packet, p *Planes) uint32 {
	m := uint32(0xffff)
	for i := range p.Coef {
		o := &p.Off[i]
		m &= planeMask(&b[o[0]/64], &b[o[1]/64], &b[o[2]/64], &p.Coef[i])
		if m == 0 {
			break
		}
	}
	return m
}
