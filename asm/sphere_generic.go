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

func sphereNodesGo(w *VolumeWalk, nodes []soa.Node, p *Sphere, filter *NodeFilter, budget int) {
	x, y, z := p.Center[0], p.Center[1], p.Center[2]
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		n := &nodes[w.Queue[w.Head]]
		w.Head++
		b := &n.Bounds
		hit, in := uint32(0), uint32(0)
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
		w.sort(n, hit, in, filter)
	}
}

func sphereMask(b *soa.Packet, p *Sphere) (m uint32) {
	x, y, z := p.Center[0], p.Center[1], p.Center[2]
	for i := range soa.Lanes {
		dx := p.nearest(x, b[soa.MinX][i], b[soa.MaxX][i])
		dy := p.nearest(y, b[soa.MinY][i], b[soa.MaxY][i])
		dz := p.nearest(z, b[soa.MinZ][i], b[soa.MaxZ][i])
		m |= p.within(dx, dy, dz) << i
	}
	return m
}

func spherePacketsGo(out []Range, packets []soa.Packet, slots []uint32, p *Sphere) (n int) {
	for _, slot := range slots {
		if m := sphereMask(&packets[slot], p); m != 0 {
			out[n] = Range{slot, RangeHit | m}
			n++
		}
	}
	return n
}

func sphereSweepGo(out []Range, packets []soa.Packet, first int, p *Sphere) (n int) {
	for i := range packets {
		if m := sphereMask(&packets[i], p); m != 0 {
			out[n] = Range{uint32(first + i), RangeHit | m}
			n++
		}
	}
	return n
}
