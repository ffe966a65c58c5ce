//go:build arm64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func sphereNodes(w *VolumeWalk, nodes []soa.Node, p *Sphere, filter *NodeFilter, budget int) {
	if _ = nodes[0]; cpu.Active == cpu.NEON {
		sphereNodesNEON(w, &nodes[0], p, filter, budget)
		return
	}
	sphereNodesGo(w, nodes, p, filter, budget)
}

//go:noinline
func spherePackets(out []Range, packets []soa.Packet, slots []uint32, p *Sphere) int {
	if _ = out[len(slots)-1]; cpu.Active == cpu.NEON {
		return spherePacketsNEON(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return spherePacketsGo(out, packets, slots, p)
}

//go:noinline
func sphereSweep(out []Range, packets []soa.Packet, first int, p *Sphere) int {
	if _ = out[len(packets)-1]; cpu.Active == cpu.NEON {
		return sphereSweepNEON(&out[0], &packets[0], first, len(packets), p)
	}
	return sphereSweepGo(out, packets, first, p)
}

//go:noescape
func sphereNodesNEON(w *VolumeWalk, nodes *soa.Node, p *Sphere, filter *NodeFilter, budget int)

//go:noescape
func spherePacketsNEON(out *Range, packets *soa.Packet, slots *uint32, n int, p *Sphere) (written int)

//go:noescape
func sphereSweepNEON(out *Range, packets *soa.Packet, first, n int, p *Sphere) (written int)
