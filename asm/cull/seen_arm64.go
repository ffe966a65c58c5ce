//go:build arm64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// Kernels load a lens as 24 words.
var (
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.Lo) - 4*3]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.X) - 4*6]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.Y) - 4*9]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.W) - 4*12]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.T) - 4*15]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.W1) - 4*18]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.EX) - 4*19]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Lens{}.Least) - 4*23]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(depth.PictureLevel{}) - 32]struct{}{}
)

//go:noinline
func seenNodes(w *Seen, nodes []soa.Node, planes *Planes, filter *asm.NodeFilter, l *Lens, p *depth.Picture, budget int) {
	if cpu.Active == cpu.NEON {
		seenNodesNEON(w, &nodes[0], planes, filter, budget, l, p)
		return
	}
	seenNodesGo(w, nodes, planes, filter, l, p, budget)
}

//go:noinline
func seenPackets(out []asm.Range, packets []soa.Packet, slots []uint32, planes *Planes, l *Lens, p *depth.Picture) (n, hidden int) {
	_ = out[len(slots)-1]
	if cpu.Active == cpu.NEON {
		return seenPacketsNEON(&out[0], &packets[0], &slots[0], len(slots), planes, l, p)
	}
	return seenPacketsGo(out, packets, slots, planes, l, p)
}

//go:noinline
func seenRanges(out []asm.Range, packets []soa.Packet, ranges []asm.Range, l *Lens, p *depth.Picture) (n, hidden int) {
	_ = out[len(ranges)-1]
	if cpu.Active == cpu.NEON {
		return seenRangesNEON(&out[0], &packets[0], &ranges[0], len(ranges), l, p)
	}
	return seenRangesGo(out, packets, ranges, l, p)
}

//go:noinline
func seenAreas(areas *[soa.Lanes]float32, b *soa.Packet, m uint32, l *Lens, p *depth.Picture, _ int) {
	if cpu.Active == cpu.NEON {
		seenAreasNEON(areas, b, l, p)
		return
	}
	seenAreasGo(areas, b, m, l, p)
}

//go:noescape
func seenNodesNEON(w *Seen, nodes *soa.Node, planes *Planes, filter *asm.NodeFilter, budget int, l *Lens, p *depth.Picture)

//go:noescape
func seenPacketsNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, planes *Planes, l *Lens, p *depth.Picture) (written, hidden int)

//go:noescape
func seenRangesNEON(out *asm.Range, packets *soa.Packet, ranges *asm.Range, n int, l *Lens, p *depth.Picture) (written, hidden int)

//go:noescape
func seenAreasNEON(areas *[soa.Lanes]float32, b *soa.Packet, l *Lens, p *depth.Picture)
