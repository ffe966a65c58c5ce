//go:build amd64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// seenConstants is the numbers that kernels broadcast, named in seen_amd64.h.
//
//lint:ignore U1000 assembly reads it
var seenConstants = [24]uint32{
	0x7fffffff, 0x3f000000, 0x3f800000, ^uint32(depth.RectColumns - 1), ^uint32(depth.RectRows - 1), 2,
	8: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
}

// firstPixel returns the pixels of a picture, nil if p is nil.
func firstPixel(p *depth.Picture) *float32 {
	if p == nil {
		return nil
	}
	return unsafe.SliceData(p.Pix)
}

//go:noinline
func seenNodes(w *Seen, nodes []soa.Node, planes *Planes, filter *asm.NodeFilter, l *Lens, p *depth.Picture, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		seenNodesAVX512(w, &nodes[0], planes, filter, budget, l, p, firstPixel(p))
	case cpu.AVX2:
		seenNodesAVX2(w, &nodes[0], planes, filter, budget, l, p, firstPixel(p))
	default:
		seenNodesGo(w, nodes, planes, filter, l, p, budget)
	}
}

//go:noinline
func seenPackets(out []asm.Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *depth.Picture) (n, hidden int) {
	_ = out[len(slots)-1]
	switch cpu.Active {
	case cpu.AVX512:
		return seenPacketsAVX512(&out[0], &packets[0], &slots[0], len(slots), planes, l, p, firstPixel(p))
	case cpu.AVX2:
		return seenPacketsAVX2(&out[0], &packets[0], &slots[0], len(slots), planes, l, p, firstPixel(p))
	}
	return seenPacketsGo(out, packets, slots, planes, l, p)
}

//go:noinline
func seenRanges(out []asm.Range, packets []soa.Packet, ranges []asm.Range, l *Lens, p *depth.Picture) (n, hidden int) {
	_ = out[len(ranges)-1]
	switch cpu.Active {
	case cpu.AVX512:
		return seenRangesAVX512(&out[0], &packets[0], &ranges[0], len(ranges), l, p, firstPixel(p))
	case cpu.AVX2:
		return seenRangesAVX2(&out[0], &packets[0], &ranges[0], len(ranges), l, p, firstPixel(p))
	}
	return seenRangesGo(out, packets, ranges, l, p)
}

//go:noinline
func seenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *depth.Picture, _ int) {
	switch cpu.Active {
	case cpu.AVX512:
		seenAreasAVX512(areas, b, l, p)
	case cpu.AVX2:
		seenAreasAVX2(areas, b, l, p)
	default:
		seenAreasGo(areas, b, m, l, p)
	}
}

//go:noescape
func seenNodesAVX512(w *Seen, nodes *soa.Node, planes *Planes, filter *asm.NodeFilter, budget int, l *Lens, p *depth.Picture, pix *float32)

//go:noescape
func seenNodesAVX2(w *Seen, nodes *soa.Node, planes *Planes, filter *asm.NodeFilter, budget int, l *Lens, p *depth.Picture, pix *float32)

//go:noescape
func seenPacketsAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, planes *Planes, l *Lens, p *depth.Picture, pix *float32) (written, hidden int)

//go:noescape
func seenPacketsAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, planes *Planes, l *Lens, p *depth.Picture, pix *float32) (written, hidden int)

//go:noescape
func seenRangesAVX512(out *asm.Range, packets *soa.Packet, ranges *asm.Range, n int, l *Lens, p *depth.Picture, pix *float32) (written, hidden int)

//go:noescape
func seenRangesAVX2(out *asm.Range, packets *soa.Packet, ranges *asm.Range, n int, l *Lens, p *depth.Picture, pix *float32) (written, hidden int)

//go:noescape
func seenAreasAVX512(areas *[soa.Lanes]float32, b *soa.Packet, l *Lens, p *depth.Picture)

//go:noescape
func seenAreasAVX2(areas *[soa.Lanes]float32, b *soa.Packet, l *Lens, p *depth.Picture)
