package asm

import "github.com/zoctree/zoctree/soa"

// boxNodeMasks returns the children of n that meet the box, and those inside.
func boxNodeMasks(n *soa.Node, p *Box) (hit, in uint32) {
	hit, in = 0xffff, 0xffff
	for a := 0; a < 6 && hit != 0; a += 2 {
		h, i := boxMasks(&n.Bounds[a], &n.Bounds[a+1], p[a], p[a+1])
		hit, in = hit&h, in&i
	}
	return hit, in
}

// boxMasks returns a bit for each lane whose interval meets the one from qlo to
// qhi, and one for each that lies inside. Lanes go down, as in planeMask.
func boxMasks(lo, hi *[soa.Lanes]float32, qlo, qhi float32) (hit, in uint32) {
	for i := soa.Lanes - 1; i >= 0; i-- {
		hit = hit<<1 | bit(lo[i] <= qhi)&bit(hi[i] >= qlo)
		in = in<<1 | bit(lo[i] >= qlo)&bit(hi[i] <= qhi)
	}
	return hit, in
}

// meetMask returns a bit for each lane whose interval meets the one from qlo to qhi.
func meetMask(lo, hi *[soa.Lanes]float32, qlo, qhi float32) (hit uint32) {
	for i := soa.Lanes - 1; i >= 0; i-- {
		hit = hit<<1 | bit(lo[i] <= qhi)&bit(hi[i] >= qlo)
	}
	return hit
}

// boxMask returns the boxes of a packet that meet the box.
func boxMask(b *soa.Packet, p *Box) uint32 {
	m := meetMask(&b[soa.MinX], &b[soa.MaxX], p[soa.MinX], p[soa.MaxX])
	if m != 0 {
		m &= meetMask(&b[soa.MinY], &b[soa.MaxY], p[soa.MinY], p[soa.MaxY])
	}
	if m != 0 {
		m &= meetMask(&b[soa.MinZ], &b[soa.MaxZ], p[soa.MinZ], p[soa.MaxZ])
	}
	return m
}
