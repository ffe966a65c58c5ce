//go:build arm64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func boxNodes(w *VolumeWalk, nodes []soa.Node, p *Box, filter *NodeFilter, budget int) {
	if _ = nodes[0]; cpu.Active == cpu.NEON {
		boxNodesNEON(w, &nodes[0], p, filter, budget)
		return
	}
	boxNodesGo(w, nodes, p, filter, budget)
}

//go:noinline
func boxPackets(out []Range, packets []soa.Packet, slots []uint32, p *Box) int {
	if _ = out[len(slots)-1]; cpu.Active == cpu.NEON {
		return boxPacketsNEON(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return boxPacketsGo(out, packets, slots, p)
}

//go:noinline
func boxSweep(out []Range, packets []soa.Packet, first int, p *Box) int {
	if _ = out[len(packets)-1]; cpu.Active == cpu.NEON {
		return boxSweepNEON(&out[0], &packets[0], first, len(packets), p)
	}
	return boxSweepGo(out, packets, first, p)
}

//go:noescape
func boxNodesNEON(w *VolumeWalk, nodes *soa.Node, p *Box, filter *NodeFilter, budget int)

//go:noescape
func boxPacketsNEON(out *Range, packets *soa.Packet, slots *uint32, n int, p *Box) (written int)

//go:noescape
func boxSweepNEON(out *Range, packets *soa.Packet, first, n int, p *Box) (written int)
