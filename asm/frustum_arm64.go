//go:build arm64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func frustumNodes(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	if _ = nodes[0]; cpu.Active == cpu.NEON {
		frustumNodesNEON(w, &nodes[0], p, filter, budget)
		return
	}
	frustumNodesGo(w, nodes, p, filter, budget)
}

//go:noinline
func frustumPackets(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	if _ = out[len(slots)-1]; cpu.Active == cpu.NEON {
		return frustumPacketsNEON(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return frustumPacketsGo(out, packets, slots, p)
}

//go:noinline
func frustumSweep(out []Range, packets []soa.Packet, first int, p *Planes) int {
	if _ = out[len(packets)-1]; cpu.Active == cpu.NEON {
		return frustumSweepNEON(&out[0], &packets[0], first, len(packets), p)
	}
	return frustumSweepGo(out, packets, first, p)
}

//go:noescape
func frustumNodesNEON(w *VolumeWalk, nodes *soa.Node, p *Planes, filter *NodeFilter, budget int)

//go:noescape
func frustumPacketsNEON(out *Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func frustumSweepNEON(out *Range, packets *soa.Packet, first, n int, p *Planes) (written int)
