//go:build amd64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func sphereNodes(w *VolumeWalk, nodes []soa.Node, p *Sphere, filter *NodeFilter, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		sphereNodesAVX512(w, &nodes[0], p, filter, budget)
	case cpu.AVX2:
		sphereNodesAVX2(w, &nodes[0], p, filter, budget)
	default:
		sphereNodesGo(w, nodes, p, filter, budget)
	}
}

//go:noinline
func spherePackets(out []Range, packets []soa.Packet, slots []uint32, p *Sphere) int {
	switch _ = out[len(slots)-1]; cpu.Active {
	case cpu.AVX512:
		return spherePacketsAVX512(&out[0], &packets[0], &slots[0], len(slots), p)
	case cpu.AVX2:
		return spherePacketsAVX2(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return spherePacketsGo(out, packets, slots, p)
}

//go:noinline
func sphereSweep(out []Range, packets []soa.Packet, first int, p *Sphere) int {
	switch _ = out[len(packets)-1]; cpu.Active {
	case cpu.AVX512:
		return sphereSweepAVX512(&out[0], &packets[0], first, len(packets), p)
	case cpu.AVX2:
		return sphereSweepAVX2(&out[0], &packets[0], first, len(packets), p)
	}
	return sphereSweepGo(out, packets, first, p)
}

//go:noescape
func sphereNodesAVX512(w *VolumeWalk, nodes *soa.Node, p *Sphere, filter *NodeFilter, budget int)

//go:noescape
func sphereNodesAVX2(w *VolumeWalk, nodes *soa.Node, p *Sphere, filter *NodeFilter, budget int)

//go:noescape
func spherePacketsAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, p *Sphere) (written int)

//go:noescape
func spherePacketsAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, p *Sphere) (written int)

//go:noescape
func sphereSweepAVX512(out *Range, packets *soa.Packet, first, n int, p *Sphere) (written int)

//go:noescape
func sphereSweepAVX2(out *Range, packets *soa.Packet, first, n int, p *Sphere) (written int)
