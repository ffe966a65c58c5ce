//go:build amd64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func convexNodes(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		convexNodesAVX512(w, &nodes[0], p, filter, budget)
	case cpu.AVX2:
		convexNodesAVX2(w, &nodes[0], p, filter, budget)
	default:
		convexNodesGo(w, nodes, p, filter, budget)
	}
}

//go:noinline
func convexPackets(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	switch _ = out[len(slots)-1]; cpu.Active {
	case cpu.AVX512:
		return convexPacketsAVX512(&out[0], &packets[0], &slots[0], len(slots), p)
	case cpu.AVX2:
		return convexPacketsAVX2(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return convexPacketsGo(out, packets, slots, p)
}

//go:noinline
func convexSweep(out []Range, packets []soa.Packet, first int, p *Convex) int {
	switch _ = out[len(packets)-1]; cpu.Active {
	case cpu.AVX512:
		return convexSweepAVX512(&out[0], &packets[0], first, len(packets), p)
	case cpu.AVX2:
		return convexSweepAVX2(&out[0], &packets[0], first, len(packets), p)
	}
	return convexSweepGo(out, packets, first, p)
}

//go:noescape
func convexNodesAVX512(w *VolumeWalk, nodes *soa.Node, p *Convex, filter *NodeFilter, budget int)

//go:noescape
func convexNodesAVX2(w *VolumeWalk, nodes *soa.Node, p *Convex, filter *NodeFilter, budget int)

//go:noescape
func convexPacketsAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func convexPacketsAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func convexSweepAVX512(out *Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func convexSweepAVX2(out *Range, packets *soa.Packet, first, n int, p *Convex) (written int)
