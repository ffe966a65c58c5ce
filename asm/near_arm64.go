//go:build arm64 && !purego

package asm

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func nearWalk(w *Near, nodes []soa.Node, packets []soa.Packet, budget int) uint32 {
	if cpu.Active == cpu.NEON {
		if w.Scale != 0 {
			return nearScaledNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
		}
		return nearWalkNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
	}
	return nearWalkGo(w, nodes, packets, budget)
}

//go:noinline
func nearKeep(w *Near, p *Keep, nodes []soa.Node, packets []soa.Packet, _ [][soa.Lanes]uint32, budget int) {
	if cpu.Active == cpu.NEON {
		nearKeepNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, p)
		return
	}
	nearKeepGo(w, p, nodes, packets, budget)
}

//go:noescape
func nearWalkNEON(w *Near, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearScaledNEON(w *Near, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearKeepNEON(w *Near, nodes *soa.Node, packets *soa.Packet, budget int, p *Keep)
