//go:build amd64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func frustumNodes(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		frustumNodesAVX512(w, &nodes[0], p, filter, budget)
	case cpu.AVX2:
		frustumNodesAVX2(w, &nodes[0], p, filter, budget)
	default:
		frustumNodesGo(w, nodes, p, filter, budget)
	}
}

//go:noinline
func frustumPackets(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	switch _ = out[len(slots)-1]; cpu.Active {
	case cpu.AVX512:
		return frustumPacketsAVX512(&out[0], &packets[0], &slots[0], len(slots), p)
	case cpu.AVX2:
		return frustumPacketsAVX2(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return frustumPacketsGo(out, packets, slots, p)
}

//go:noinline
func frustumSweep(out []Range, packets []soa.Packet, first int, p *Planes) int {
	switch _ = out[len(packets)-1]; cpu.Active {
	case cpu.AVX512:
		return frustumSweepAVX512(&out[0], &packets[0], first, len(packets), p)
	case cpu.AVX2:
		return frustumSweepAVX2(&out[0], &packets[0], first, len(packets), p)
	}
	return frustumSweepGo(out, packets, first, p)
}

//go:noescape
func frustumNodesAVX512(w *VolumeWalk, nodes *soa.Node, p *Planes, filter *NodeFilter, budget int)

//go:noescape
func frustumNodesAVX2(w *VolumeWalk, nodes *soa.Node, p *Planes, filter *NodeFilter, budget int)

//go:noescape
func frustumPacketsAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func frustumPacketsAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func frustumSweepAVX512(out *Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func frustumSweepAVX2(out *Range, packets *soa.Packet, first, n int, p *Planes) (written int)
