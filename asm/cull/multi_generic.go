package cull

import (
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func multiNodesGo(w *FrustaWalk, nodes []soa.Node, filter *asm.NodeFilter, budget int) {
	q := &w.Queue
	for ; budget > 0 && w.Head < len(q.Refs); budget-- {
		n := &nodes[q.Refs[w.Head]]
		var open, in [soa.Fan]uint64
		for l := range in {
			in[l] = q.In[w.Head]
		}
		for left := q.Open[w.Head]; left != 0; left &= left - 1 {
			v := bits.TrailingZeros64(left)
			hit, inside := viewNodeMasks(n, &w.Planes[v])
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

// viewNodeMasks and viewMask are the masks of planes with one bound or two.
func viewNodeMasks(n *soa.Node, p *Planes) (hit, in uint32) {
	if p.Two {
		rows := p.rows()
		return farNodeMasks(n, &rows)
	}
	return frustumNodeMasks(n, p)
}

func viewMask(b *soa.Packet, p *Planes) uint32 {
	if p.Two {
		rows := p.rows()
		return farMask(b, &rows)
	}
	return frustumMask(b, p)
}

func multiPacketsGo(e *seeing) {
	slots, keep := unsafe.Slice(e.slots, e.n), unsafe.Slice(e.keep, e.n)
	open, in := unsafe.Slice(e.open, e.n), unsafe.Slice(e.in, e.n)
	ids, viewers := unsafe.Slice(e.ids, e.n*soa.Lanes), unsafe.Slice(e.viewers, e.n*soa.Lanes)
	e.wrote = 0
	for i, slot := range slots {
		b := lane.At(e.packets, int(slot))
		column := lane.At(e.columns, int(slot))
		var seen [soa.Lanes]uint64
		for l := range seen {
			seen[l] = in[i]
		}
		for left := open[i]; left != 0; left &= left - 1 {
			v := bits.TrailingZeros64(left)
			p := lane.At(e.planes, v)
			for m := viewMask(b, p); m != 0; m &= m - 1 {
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
