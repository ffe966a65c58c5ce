package cull

import (
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// planeRows is a volume of planes with two bounds, in the layout of the far kernels in Go.
type planeRows struct {
	coef [][4]float32
	off  [][4]uint32
	wide []float32
	near *Box
}

func (p *Planes) rows() planeRows { return planeRows{p.Coef[:], p.Off[:], p.Wide[:], &p.Near} }

// rows returns the planes of a volume with two bounds, else the zero value.
func (v *Volume) rows() planeRows {
	switch v.kind() {
	case frustumFar:
		return v.Planes.rows()
	case convexFar:
		c := &v.Convex
		return planeRows{c.Coef[:c.N], c.Off[:c.N], c.Wide[:c.N], &c.Near}
	}
	return planeRows{}
}

// lanesWithin returns a bit for each lane inside the closed interval.
func lanesWithin(min, max []float32, lo, hi float32) (m uint32) {
	for i := len(min) - 1; i >= 0; i-- {
		m = m<<1 | lane.Bit(min[i] >= lo)&lane.Bit(max[i] <= hi)
	}
	return m
}

// farNodeMasks returns the children of n that the planes intersect, and the contained ones.
func farNodeMasks(n *soa.Node, p *planeRows) (hit, in uint32) {
	near := uint32(0xffff)
	for c := 0; c < len(n.Bounds); c += 2 {
		near &= lanesWithin(n.Bounds[c][:], n.Bounds[c+1][:], p.near[c], p.near[c+1])
	}
	hit, in = 0xffff, 0xffff
	for i := 0; i < len(p.coef) && hit != 0; i++ {
		c, x, y, z := p.coef[i], p.off[i][0]/64, p.off[i][1]/64, p.off[i][2]/64
		in &= planeMask(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], &c)
		m := planeMask(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], &c)
		if near != 0xffff {
			c[3] = p.wide[i]
			m = m&near | planeMask(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], &c)&^near
		}
		hit &= m
	}
	return hit, in & hit
}

// farMask returns the boxes of a packet that the planes intersect.
func farMask(b *soa.Packet, p *planeRows) (hit uint32) {
	near := uint32(0xffff)
	for c := 0; c < len(b); c += 2 {
		near &= lanesWithin(b[c][:], b[c+1][:], p.near[c], p.near[c+1])
	}
	hit = 0xffff
	for i := 0; i < len(p.coef) && hit != 0; i++ {
		c, x, y, z := p.coef[i], p.off[i][0]/64, p.off[i][1]/64, p.off[i][2]/64
		m := planeMask(&b[x], &b[y], &b[z], &c)
		if near != 0xffff {
			c[3] = p.wide[i]
			m = m&near | planeMask(&b[x], &b[y], &b[z], &c)&^near
		}
		hit &= m
	}
	return hit
}
