//go:build amd64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func boxNodes(w *VolumeWalk, nodes []soa.Node, p *Box, filter *NodeFilter, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		boxNodesAVX512(w, &nodes[0], p, filter, budget)
	case cpu.AVX2:
		boxNodesAVX2(w, &nodes[0], p, filter, budget)
	default:
		boxNodesGo(w, nodes, p, filter, budget)
	}
}

//go:noinline
func boxPackets(out []Range, packets []soa.Packet, slots []uint32, p *Box) int {
	switch _ = out[len(slots)-1]; cpu.Active {
	case cpu.AVX512:
		return boxPacketsAVX512(&out[0], &packets[0], &slots[0], len(slots), p)
	case cpu.AVX2:
		return boxPacketsAVX2(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return boxPacketsGo(out, packets, slots, p)
}

//go:noinline
func boxSweep(out []Range, packets []soa.Packet, first int, p *Box) int {
	switch _ = out[len(packets)-1]; cpu.Active {
	case cpu.AVX512:
		return boxSweepAVX512(&out[0], &packets[0], first, len(packets), p)
	case cpu.AVX2:
		return boxSweepAVX2(&out[0], &packets[0], first, len(packets), p)
	}
	return boxSweepGo(out, packets, first, p)
}

//go:noescape
func boxNodesAVX512(w *VolumeWalk, nodes *soa.Node, p *Box, filter *NodeFilter, budget int)

//go:noescape
func boxNodesAVX2(w *VolumeWalk, nodes *soa.Node, p *Box, filter *NodeFilter, budget int)

//go:noescape
func boxPacketsAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, p *Box) (written int)

//go:noescape
func boxPacketsAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, p *Box) (written int)

//go:noescape
func boxSweepAVX512(out *Range, packets *soa.Packet, first, n int, p *Box) (written int)

//go:noescape
func boxSweepAVX2(out *Range, packets *soa.Packet, first, n int, p *Box) (written int)
