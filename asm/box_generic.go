package asm

import "github.com/zoctree/zoctree/soa"

func boxNodesGo(w *VolumeWalk, nodes []soa.Node, p *Box, filter *NodeFilter, budget int) {
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		n := &nodes[w.Queue[w.Head]]
		w.Head++
		hit, in := uint32(0xff), uint32(0xff)
		for a := 0; a < 6 && hit != 0; a += 2 {
			h, i := boxMask8(&n.Bounds[a], &n.Bounds[a+1], p[a], p[a+1])
			hit, in = hit&h, in&i
		}
		w.sort(n, hit, in, filter)
	}
}

// boxMask8 returns a bit for each lane whose interval meets the one from qlo to
// qhi, and one for each that lies inside.
func boxMask8(lo, hi *[soa.Fan]float32, qlo, qhi float32) (hit, in uint32) {
	for i := range soa.Fan {
		hit |= (bit(lo[i] <= qhi) & bit(hi[i] >= qlo)) << i
		in |= (bit(lo[i] >= qlo) & bit(hi[i] <= qhi)) << i
	}
	return hit, in
}

func boxMask16(lo, hi *[soa.Lanes]float32, qlo, qhi float32) (hit uint32) {
	for i := range soa.Lanes {
		hit |= (bit(lo[i] <= qhi) & bit(hi[i] >= qlo)) << i
	}
	return hit
}

func boxMask(b *soa.Packet, p *Box) uint32 {
	m := boxMask16(&b[soa.MinX], &b[soa.MaxX], p[soa.MinX], p[soa.MaxX])
	if m != 0 {
		m &= boxMask16(&b[soa.MinY], &b[soa.MaxY], p[soa.MinY], p[soa.MaxY])
	}
	if m != 0 {
		m &= boxMask16(&b[soa.MinZ], &b[soa.MaxZ], p[soa.MinZ], p[soa.MaxZ])
	}
	return m
}

func boxPacketsGo(out []Range, packets []soa.Packet, slots []uint32, p *Box) (n int) {
	for _, slot := range slots {
		if m := boxMask(&packets[slot], p); m != 0 {
			out[n] = Range{slot, RangeHit | m}
			n++
		}
	}
	return n
}

func boxSweepGo(out []Range, packets []soa.Packet, first int, p *Box) (n int) {
	for i := range packets {
		if m := boxMask(&packets[i], p); m != 0 {
			out[n] = Range{uint32(first + i), RangeHit | m}
			n++
		}
	}
	return n
}
