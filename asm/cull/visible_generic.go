package cull

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func visibleNodesGo(w *VisibleWalk, nodes []soa.Node, planes *Planes, filter *asm.NodeFilter, l *Lens, p *depth.Picture, budget int) {
	rows := planes.rows()
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		entry := w.Queue[w.Head]
		n := &nodes[entry&^InsideFlag]
		w.Head++
		hit, in := uint32(0xffff), uint32(0xffff)
		switch {
		case entry&InsideFlag != 0:
		case !planes.Two:
			hit, in = frustumNodeMasks(n, planes)
		default:
			hit, in = farNodeMasks(n, &rows)
		}
		for ; hit != 0; hit &= hit - 1 {
			lane := bits.TrailingZeros32(hit) & (soa.Fan - 1)
			ref := n.Child[lane]
			if ref&filter.Flags == 0 || filter.Mask != 0 && n.Mask[lane]&filter.Mask == 0 {
				continue
			}
			hidden := p != nil && l.hides(p, &n.Bounds, lane)
			to := ref.Index() | in>>lane&1*InsideFlag
			switch {
			case hidden && ref.IsPacket():
				w.HiddenPackets++
			case hidden:
				w.HiddenNodes++
			case ref.IsPacket():
				w.Packets = append(w.Packets, to)
			default:
				w.Queue = append(w.Queue, to)
			}
		}
	}
}

func visiblePacketsGo(out []asm.Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *depth.Picture) (n, hidden int) {
	rows := planes.rows()
	for _, entry := range slots {
		slot := entry &^ InsideFlag
		b := &packets[slot]
		var hit uint32
		switch {
		case entry&InsideFlag != 0:
			hit = lane.LiveMask(b)
		case !planes.Two:
			hit = frustumMask(b, planes)
		default:
			hit = farMask(b, &rows)
		}
		m := hit
		if p != nil {
			m = visibleMask(b, hit, l, p)
			hidden += ones(hit) - ones(m)
		}
		if m != 0 {
			out[n] = asm.Range{First: slot, N: asm.RangeHit | m}
			n++
		}
	}
	return n, hidden
}

// visibleRangesGo writes to out, which may be the memory of ranges.
func visibleRangesGo(out []asm.Range, packets []soa.Packet, ranges []asm.Range, l *Lens, p *depth.Picture) (n, hidden int) {
	for _, r := range ranges {
		m := visibleMask(&packets[r.First], r.N&0xffff, l, p)
		hidden += ones(r.N&0xffff) - ones(m)
		if m != 0 {
			out[n] = asm.Range{First: r.First, N: asm.RangeHit | m}
			n++
		}
	}
	return n, hidden
}

// visibleMask returns the lanes of m whose boxes the picture does not hide.
func visibleMask(b *soa.Packet, m uint32, l *Lens, p *depth.Picture) (visible uint32) {
	for visible = m; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros32(m) & (soa.Lanes - 1); l.hides(p, b, lane) {
			visible &^= 1 << lane
		}
	}
	return visible
}

func visibleAreasGo(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *depth.Picture) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		areas[lane] = l.area(p, b, lane)
	}
}

func ones(m uint32) int { return bits.OnesCount32(m) }
