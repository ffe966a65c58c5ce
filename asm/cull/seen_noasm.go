//go:build (!amd64 && !arm64) || purego

package cull

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/soa"
)

func seenNodes(w *Seen, nodes []soa.Node, planes *Planes, filter *asm.NodeFilter, l *Lens, p *depth.Picture, budget int) {
	seenNodesGo(w, nodes, planes, filter, l, p, budget)
}

func seenPackets(out []asm.Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *depth.Picture) (n, hidden int) {
	return seenPacketsGo(out, packets, slots, planes, l, p)
}

func seenRanges(out []asm.Range, packets []soa.Packet, ranges []asm.Range, l *Lens, p *depth.Picture) (n, hidden int) {
	return seenRangesGo(out, packets, ranges, l, p)
}

func seenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *depth.Picture, _ int) {
	seenAreasGo(areas, b, m, l, p)
}
