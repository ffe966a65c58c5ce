//go:build arm64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func convexNodes(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	if _ = nodes[0]; cpu.Active == cpu.NEON {
		convexNodesNEON(w, &nodes[0], p, filter, budget)
		return
	}
	convexNodesGo(w, nodes, p, filter, budget)
}

//go:noinline
func convexPackets(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	if _ = out[len(slots)-1]; cpu.Active == cpu.NEON {
		return convexPacketsNEON(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return convexPacketsGo(out, packets, slots, p)
}

//go:noinline
func convexSweep(out []Range, packets []soa.Packet, first int, p *Convex) int {
	if _ = out[len(packets)-1]; cpu.Active == cpu.NEON {
		return convexSweepNEON(&out[0], &packets[0], first, len(packets), p)
	}
	return convexSweepGo(out, packets, first, p)
}

//go:noescape
func convexNodesNEON(w *VolumeWalk, nodes *soa.Node, p *Convex, filter *NodeFilter, budget int)

//go:noescape
func convexPacketsNEON(out *Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func convexSweepNEON(out *Range, packets *soa.Packet, first, n int, p *Convex) (written int)
