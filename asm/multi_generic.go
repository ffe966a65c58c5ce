package asm

import (
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

func multiNodesGo(w *FrustaWalk, nodes []soa.Node, filter *NodeFilter, budget int) {
	q := &w.Queue
	for ; budget > 0 && w.Head < len(q.Refs); budget-- {
		n := &nodes[q.Refs[w.Head]]
		var open, in [soa.Fan]uint64
		for l := range in {
			in[l] = q.In[w.Head]
		}
		for left := q.Open[w.Head]; left != 0; left &= left - 1 {
			v := bits.TrailingZeros64(left)
			hit, inside := multiNodeMasks(n, &w.Planes[v])
			for l := range open {
				open[l] |= uint64(hit&^inside>>l&1) << v
				in[l] |= uint64(inside>>l&1) << v
			}
		}
		w.Head++
		for l, ref := range n.Child {
			if open[l]|in[l] == 0 || ref&filter.Flags == 0 || filter.Mask != 0 && n.Mask[l]&filter.Mask == 0 {
				continue
			}
			ref &= refKeep
			switch {
			case open[l] == 0:
				w.Inside.Add(uint32(ref), 0, in[l])
			case ref.IsPacket():
				w.Packets.Add(ref.Index(), open[l], in[l])
			default:
				q.Add(ref.Index(), open[l], in[l])
			}
		}
	}
}

// multiNodeMasks and multiMask are the masks of planes with one bound or two.
func multiNodeMasks(n *soa.Node, p *Planes) (hit, in uint32) {
	if p.Two {
		return farNodeMasks(n, p.rows())
	}
	return frustumNodeMasks(n, p)
}

func multiMask(b *soa.Packet, p *Planes) uint32 {
	if p.Two {
		return farMask(b, p.rows())
	}
	return frustumMask(b, p)
}

// frustumNodeMasks returns the children of n that a frustum meets, and of these
// those inside.
func frustumNodeMasks(n *soa.Node, p *Planes) (hit, in uint32) {
	hit, in = 0xff, 0xff
	for i := range p.Coef {
		x, y, z := p.Off[i][0]/32, p.Off[i][1]/32, p.Off[i][2]/32
		hit &= planeMask8(&n.Bounds[x], &n.Bounds[y], &n.Bounds[z], &p.Coef[i])
		if hit == 0 {
			return 0, 0
		}
		if in &= hit; in != 0 {
			in &= planeMask8(&n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1], &p.Coef[i])
		}
	}
	return hit, in & hit
}

func multiPacketsGo(e *seeing) {
	at := func(p unsafe.Pointer, i, size int) unsafe.Pointer { return unsafe.Add(p, i*size) }
	slots, keep := unsafe.Slice(e.slots, e.n), unsafe.Slice(e.keep, e.n)
	open, in := unsafe.Slice(e.open, e.n), unsafe.Slice(e.in, e.n)
	ids, viewers := unsafe.Slice(e.ids, e.n*soa.Lanes), unsafe.Slice(e.viewers, e.n*soa.Lanes)
	e.wrote = 0
	for i, slot := range slots {
		b := (*soa.Packet)(at(unsafe.Pointer(e.packets), int(slot), int(unsafe.Sizeof(soa.Packet{}))))
		column := (*[soa.Lanes]uint32)(at(unsafe.Pointer(e.columns), int(slot), 4*soa.Lanes))
		var seen [soa.Lanes]uint64
		for l := range seen {
			seen[l] = in[i]
		}
		for left := open[i]; left != 0; left &= left - 1 {
			v := bits.TrailingZeros64(left)
			p := (*Planes)(at(unsafe.Pointer(e.planes), v, int(unsafe.Sizeof(Planes{}))))
			for m := multiMask(b, p); m != 0; m &= m - 1 {
				seen[bits.TrailingZeros32(m)&(soa.Lanes-1)] |= 1 << v
			}
		}
		for m := uint32(keep[i]); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			if seen[l] != 0 {
				ids[e.wrote], viewers[e.wrote] = column[l], seen[l]
				e.wrote++
			}
		}
	}
}
