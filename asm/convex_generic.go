package asm

import "github.com/zoctree/zoctree/soa"

func convexNodesGo(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		n := &nodes[w.Queue[w.Head]]
		w.Head++
		hit, in := uint32(0xff), uint32(0xff)
		for i := 0; i < p.N && hit != 0; i++ {
			c, o := &p.Coef[i], &p.Off[i]
			x, y, z := o[0]/32, o[1]/32, o[2]/32
			hit &= planeMask8(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], c)
			in &= planeMask8(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], c)
		}
		w.sort(n, hit, in, filter)
	}
}

func convexMask(b *soa.Packet, p *Convex) uint32 {
	m := uint32(0xffff)
	for i := 0; i < p.N && m != 0; i++ {
		o := &p.Off[i]
		m &= planeMask16(&b[o[0]/32], &b[o[1]/32], &b[o[2]/32], &p.Coef[i])
	}
	return m
}

func convexPacketsGo(out []Range, packets []soa.Packet, slots []uint32, p *Convex) (n int) {
	for _, slot := range slots {
		if m := convexMask(&packets[slot], p); m != 0 {
			out[n] = Range{slot, RangeHit | m}
			n++
		}
	}
	return n
}

func convexSweepGo(out []Range, packets []soa.Packet, first int, p *Convex) (n int) {
	for i := range packets {
		if m := convexMask(&packets[i], p); m != 0 {
			out[n] = Range{uint32(first + i), RangeHit | m}
			n++
		}
	}
	return n
}
