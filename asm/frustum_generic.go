package asm

import (
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// planeMask16 returns a bit for each lane whose p-vertex lies inside the plane.
// x, y and z are the columns of the p-vertex. Lanes go down, so that each shifts
// by a constant.
func planeMask16(x, y, z *[soa.Lanes]float32, c *[4]float32) (m uint32) {
	nx, ny, nz, d := c[0], c[1], c[2], c[3]
	for i := soa.Lanes - 1; i >= 0; i-- {
		s := float32(float32(nx*x[i])+float32(ny*y[i])) + float32(nz*z[i])
		m = m<<1 | bit(s+d >= 0)
	}
	return m
}

// planeMask8 is planeMask16 for the children of a node.
func planeMask8(x, y, z *[soa.Fan]float32, c *[4]float32) (m uint32) {
	nx, ny, nz, d := c[0], c[1], c[2], c[3]
	for i := soa.Fan - 1; i >= 0; i-- {
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

func frustumNodesGo(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		n := &nodes[w.Queue[w.Head]]
		w.Head++
		hit, in := uint32(0xff), uint32(0xff)
		for i := range p.Coef {
			x, y, z := p.Off[i][0]/32, p.Off[i][1]/32, p.Off[i][2]/32
			hit &= planeMask8(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], &p.Coef[i])
			if hit == 0 {
				break
			}
			if in &= hit; in == 0 {
				continue
			}
			in &= planeMask8(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], &p.Coef[i])
		}
		w.sort(n, hit, in, filter)
	}
}

// sort appends the children of n that were hit to the list each belongs to.
func (w *VolumeWalk) sort(n *soa.Node, hit, in uint32, filter *NodeFilter) {
	for ; hit != 0; hit &= hit - 1 {
		lane := bits.TrailingZeros32(hit) & (soa.Fan - 1)
		ref := n.Child[lane]
		if ref&filter.Flags == 0 || filter.Mask != 0 && n.Mask[lane]&filter.Mask == 0 {
			continue
		}
		ref &= soa.RefPacket | soa.RefIndex
		switch {
		case in>>lane&1 != 0:
			w.Inside = append(w.Inside, ref)
		case ref.IsPacket():
			w.Packets = append(w.Packets, ref.Index())
		default:
			w.Queue = append(w.Queue, ref.Index())
		}
	}
}

func frustumMask(b *soa.Packet, p *Planes) uint32 {
	m := uint32(0xffff)
	for i := range p.Coef {
		o := &p.Off[i]
		m &= planeMask16(&b[o[0]/32], &b[o[1]/32], &b[o[2]/32], &p.Coef[i])
		if m == 0 {
			break
		}
	}
	return m
}

func frustumPacketsGo(out []Range, packets []soa.Packet, slots []uint32, p *Planes) (n int) {
	for _, slot := range slots {
		if m := frustumMask(&packets[slot], p); m != 0 {
			out[n] = Range{slot, RangeHit | m}
			n++
		}
	}
	return n
}

func frustumSweepGo(out []Range, packets []soa.Packet, first int, p *Planes) (n int) {
	for i := range packets {
		if m := frustumMask(&packets[i], p); m != 0 {
			out[n] = Range{uint32(first + i), RangeHit | m}
			n++
		}
	}
	return n
}
