//go:build amd64 && !purego

package asm

import "github.com/zoctree/zoctree/soa"

//go:noinline
func seenNodes(w *Seen, nodes []soa.Node, planes *Planes, filter *NodeFilter, l *Lens, p *Picture, budget int) {
	seenNodesGo(w, nodes, planes, filter, l, p, budget)
}

//go:noinline
func seenPackets(out []Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *Picture) (n, hidden int) {
	return seenPacketsGo(out, packets, slots, planes, l, p)
}

//go:noinline
func seenRanges(out []Range, packets []soa.Packet, ranges []Range, l *Lens, p *Picture) (n, hidden int) {
	return seenRangesGo(out, packets, ranges, l, p)
}

//go:noinline
func seenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *Picture, _ int) {
	seenAreasGo(areas, b, m, l, p)
}
