//go:build amd64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func frustumNodesFar(w *VolumeWalk, nodes []soa.Node, p *Planes, filter *NodeFilter, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		frustumNodesFarAVX512(w, &nodes[0], p, filter, budget)
	case cpu.AVX2:
		frustumNodesFarAVX2(w, &nodes[0], p, filter, budget)
	default:
		farNodesGo(w, nodes, p.rows(), filter, budget)
	}
}

//go:noinline
func frustumPacketsFar(out []Range, packets []soa.Packet, slots []uint32, p *Planes) int {
	switch _ = out[len(slots)-1]; cpu.Active {
	case cpu.AVX512:
		return frustumPacketsFarAVX512(&out[0], &packets[0], &slots[0], len(slots), p)
	case cpu.AVX2:
		return frustumPacketsFarAVX2(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return farPacketsGo(out, packets, slots, p.rows())
}

//go:noinline
func frustumSweepFar(out []Range, packets []soa.Packet, first int, p *Planes) int {
	switch _ = out[len(packets)-1]; cpu.Active {
	case cpu.AVX512:
		return frustumSweepFarAVX512(&out[0], &packets[0], first, len(packets), p)
	case cpu.AVX2:
		return frustumSweepFarAVX2(&out[0], &packets[0], first, len(packets), p)
	}
	return farSweepGo(out, packets, first, p.rows())
}

func convexNodesFar(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter, budget int) {
	switch _ = nodes[0]; cpu.Active {
	case cpu.AVX512:
		convexNodesFarAVX512(w, &nodes[0], p, filter, budget)
	case cpu.AVX2:
		convexNodesFarAVX2(w, &nodes[0], p, filter, budget)
	default:
		farNodesGo(w, nodes, p.rows(), filter, budget)
	}
}

//go:noinline
func convexPacketsFar(out []Range, packets []soa.Packet, slots []uint32, p *Convex) int {
	switch _ = out[len(slots)-1]; cpu.Active {
	case cpu.AVX512:
		return convexPacketsFarAVX512(&out[0], &packets[0], &slots[0], len(slots), p)
	case cpu.AVX2:
		return convexPacketsFarAVX2(&out[0], &packets[0], &slots[0], len(slots), p)
	}
	return farPacketsGo(out, packets, slots, p.rows())
}

//go:noinline
func convexSweepFar(out []Range, packets []soa.Packet, first int, p *Convex) int {
	switch _ = out[len(packets)-1]; cpu.Active {
	case cpu.AVX512:
		return convexSweepFarAVX512(&out[0], &packets[0], first, len(packets), p)
	case cpu.AVX2:
		return convexSweepFarAVX2(&out[0], &packets[0], first, len(packets), p)
	}
	return farSweepGo(out, packets, first, p.rows())
}

//go:noescape
func frustumNodesFarAVX512(w *VolumeWalk, nodes *soa.Node, p *Planes, filter *NodeFilter, budget int)

//go:noescape
func frustumNodesFarAVX2(w *VolumeWalk, nodes *soa.Node, p *Planes, filter *NodeFilter, budget int)

//go:noescape
func frustumPacketsFarAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func frustumPacketsFarAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func frustumSweepFarAVX512(out *Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func frustumSweepFarAVX2(out *Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func convexNodesFarAVX512(w *VolumeWalk, nodes *soa.Node, p *Convex, filter *NodeFilter, budget int)

//go:noescape
func convexNodesFarAVX2(w *VolumeWalk, nodes *soa.Node, p *Convex, filter *NodeFilter, budget int)

//go:noescape
func convexPacketsFarAVX512(out *Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func convexPacketsFarAVX2(out *Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func convexSweepFarAVX512(out *Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func convexSweepFarAVX2(out *Range, packets *soa.Packet, first, n int, p *Convex) (written int)
