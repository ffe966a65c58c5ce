//go:build arm64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func frustumNodesFar(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	if _ = nodes[0]; cpu.Active == cpu.NEON {
		frustumNodesFarNEON(w, &nodes[0], p, filter, budget)
		return
	}
	farNodesGo(w, nodes, p.rows(), filter, budget)
}

//go:noinline
func frustumPacketsFar(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	if _ = out[len(slots)-1]; cpu.Active == cpu.NEON {
		return frustumPacketsFarNEON(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return farPacketsGo(out, packets, slots, p.rows())
}

//go:noinline
func frustumSweepFar(out []Range, packets []soa.Packet, first int, p *Planes) int {
	if _ = out[len(packets)-1]; cpu.Active == cpu.NEON {
		return frustumSweepFarNEON(&out[0], &packets[0], first, len(packets), p)
	}
	return farSweepGo(out, packets, first, p.rows())
}

func convexNodesFar(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	if _ = nodes[0]; cpu.Active == cpu.NEON {
		convexNodesFarNEON(w, &nodes[0], p, filter, budget)
		return
	}
	farNodesGo(w, nodes, p.rows(), filter, budget)
}

//go:noinline
func convexPacketsFar(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	if _ = out[len(slots)-1]; cpu.Active == cpu.NEON {
		return convexPacketsFarNEON(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return farPacketsGo(out, packets, slots, p.rows())
}

//go:noinline
func convexSweepFar(out []Range, packets []soa.Packet, first int, p *Convex) int {
	if _ = out[len(packets)-1]; cpu.Active == cpu.NEON {
		return convexSweepFarNEON(&out[0], &packets[0], first, len(packets), p)
	}
	return farSweepGo(out, packets, first, p.rows())
}

//go:noescape
func frustumNodesFarNEON(w *VolumeWalk, nodes *soa.Node, p *Planes, filter *NodeFilter, budget int)

//go:noescape
func frustumPacketsFarNEON(out *Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func frustumSweepFarNEON(out *Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func convexNodesFarNEON(w *VolumeWalk, nodes *soa.Node, p *Convex, filter *NodeFilter, budget int)

//go:noescape
func convexPacketsFarNEON(out *Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func convexSweepFarNEON(out *Range, packets *soa.Packet, first, n int, p *Convex) (written int)
