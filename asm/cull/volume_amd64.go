//go:build amd64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func volumeNodes(w *asm.VolumeWalk, nodes []soa.Node, v *Volume, filter *asm.NodeFilter, budget int) {
	switch first := &nodes[0]; cpu.Active {
	case cpu.AVX512:
		switch v.kind() {
		case ShapeFrustum:
			volumeNodesFrustumAVX512(w, first, &v.Planes, filter, budget)
		case frustumFar:
			volumeNodesFrustumFarAVX512(w, first, &v.Planes, filter, budget)
		case ShapeBox:
			volumeNodesBoxAVX512(w, first, &v.Box, filter, budget)
		case ShapeSphere:
			volumeNodesSphereAVX512(w, first, &v.Sphere, filter, budget)
		case ShapeConvex:
			volumeNodesConvexAVX512(w, first, &v.Convex, filter, budget)
		default:
			volumeNodesConvexFarAVX512(w, first, &v.Convex, filter, budget)
		}
	case cpu.AVX2:
		switch v.kind() {
		case ShapeFrustum:
			volumeNodesFrustumAVX2(w, first, &v.Planes, filter, budget)
		case frustumFar:
			volumeNodesFrustumFarAVX2(w, first, &v.Planes, filter, budget)
		case ShapeBox:
			volumeNodesBoxAVX2(w, first, &v.Box, filter, budget)
		case ShapeSphere:
			volumeNodesSphereAVX2(w, first, &v.Sphere, filter, budget)
		case ShapeConvex:
			volumeNodesConvexAVX2(w, first, &v.Convex, filter, budget)
		default:
			volumeNodesConvexFarAVX2(w, first, &v.Convex, filter, budget)
		}
	default:
		volumeNodesGo(w, nodes, v, filter, budget)
	}
}

//go:noinline
func volumePackets(out []asm.Range, packets []soa.Packet, slots []uint32, v *Volume) int {
	_ = out[len(slots)-1]
	to, from, list := &out[0], &packets[0], &slots[0]
	switch cpu.Active {
	case cpu.AVX512:
		switch v.kind() {
		case ShapeFrustum:
			return volumePacketsFrustumAVX512(to, from, list, len(slots), &v.Planes)
		case frustumFar:
			return volumePacketsFrustumFarAVX512(to, from, list, len(slots), &v.Planes)
		case ShapeBox:
			return volumePacketsBoxAVX512(to, from, list, len(slots), &v.Box)
		case ShapeSphere:
			return volumePacketsSphereAVX512(to, from, list, len(slots), &v.Sphere)
		case ShapeConvex:
			return volumePacketsConvexAVX512(to, from, list, len(slots), &v.Convex)
		default:
			return volumePacketsConvexFarAVX512(to, from, list, len(slots), &v.Convex)
		}
	case cpu.AVX2:
		switch v.kind() {
		case ShapeFrustum:
			return volumePacketsFrustumAVX2(to, from, list, len(slots), &v.Planes)
		case frustumFar:
			return volumePacketsFrustumFarAVX2(to, from, list, len(slots), &v.Planes)
		case ShapeBox:
			return volumePacketsBoxAVX2(to, from, list, len(slots), &v.Box)
		case ShapeSphere:
			return volumePacketsSphereAVX2(to, from, list, len(slots), &v.Sphere)
		case ShapeConvex:
			return volumePacketsConvexAVX2(to, from, list, len(slots), &v.Convex)
		default:
			return volumePacketsConvexFarAVX2(to, from, list, len(slots), &v.Convex)
		}
	}
	return volumePacketsGo(out, packets, slots, v)
}

//go:noinline
func volumeIDs(out []uint32, packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32, v *Volume) (done, wrote int) {
	to, from, id, list := &out[0], &packets[0], &ids[0][0], &slots[0]
	switch cpu.Active {
	case cpu.AVX512:
		switch v.kind() {
		case ShapeFrustum:
			return volumeIDsFrustumAVX512(to, len(out), from, id, list, len(slots), &v.Planes)
		case frustumFar:
			return volumeIDsFrustumFarAVX512(to, len(out), from, id, list, len(slots), &v.Planes)
		case ShapeBox:
			return volumeIDsBoxAVX512(to, len(out), from, id, list, len(slots), &v.Box)
		case ShapeSphere:
			return volumeIDsSphereAVX512(to, len(out), from, id, list, len(slots), &v.Sphere)
		case ShapeConvex:
			return volumeIDsConvexAVX512(to, len(out), from, id, list, len(slots), &v.Convex)
		default:
			return volumeIDsConvexFarAVX512(to, len(out), from, id, list, len(slots), &v.Convex)
		}
	case cpu.AVX2:
		switch v.kind() {
		case ShapeFrustum:
			return volumeIDsFrustumAVX2(to, len(out), from, id, list, len(slots), &v.Planes)
		case frustumFar:
			return volumeIDsFrustumFarAVX2(to, len(out), from, id, list, len(slots), &v.Planes)
		case ShapeBox:
			return volumeIDsBoxAVX2(to, len(out), from, id, list, len(slots), &v.Box)
		case ShapeSphere:
			return volumeIDsSphereAVX2(to, len(out), from, id, list, len(slots), &v.Sphere)
		case ShapeConvex:
			return volumeIDsConvexAVX2(to, len(out), from, id, list, len(slots), &v.Convex)
		default:
			return volumeIDsConvexFarAVX2(to, len(out), from, id, list, len(slots), &v.Convex)
		}
	}
	return 0, 0
}

//go:noinline
func volumeWhole(w *asm.VolumeWalk, s *soa.Store, v *Volume, filter *asm.NodeFilter, budget int, ids, out *uint32, room, most int) (done, wrote int) {
	first, from := &s.Nodes.Hot[0], unsafe.SliceData(s.Packets.Bounds)
	switch cpu.Active {
	case cpu.AVX512:
		switch v.kind() {
		case ShapeFrustum:
			return volumeWholeFrustumAVX512(w, first, &v.Planes, filter, budget, from, ids, out, room, most)
		case ShapeBox:
			return volumeWholeBoxAVX512(w, first, &v.Box, filter, budget, from, ids, out, room, most)
		case ShapeSphere:
			return volumeWholeSphereAVX512(w, first, &v.Sphere, filter, budget, from, ids, out, room, most)
		}
	case cpu.AVX2:
		switch v.kind() {
		case ShapeFrustum:
			return volumeWholeFrustumAVX2(w, first, &v.Planes, filter, budget, from, ids, out, room, most)
		case ShapeBox:
			return volumeWholeBoxAVX2(w, first, &v.Box, filter, budget, from, ids, out, room, most)
		case ShapeSphere:
			return volumeWholeSphereAVX2(w, first, &v.Sphere, filter, budget, from, ids, out, room, most)
		}
	}
	return -1, 0
}

//go:noinline
func volumeScan(out []asm.Range, packets []soa.Packet, first int, v *Volume) int {
	_ = out[len(packets)-1]
	to, from := &out[0], &packets[0]
	switch cpu.Active {
	case cpu.AVX512:
		switch v.kind() {
		case ShapeFrustum:
			return volumeScanFrustumAVX512(to, from, first, len(packets), &v.Planes)
		case frustumFar:
			return volumeScanFrustumFarAVX512(to, from, first, len(packets), &v.Planes)
		case ShapeBox:
			return volumeScanBoxAVX512(to, from, first, len(packets), &v.Box)
		case ShapeSphere:
			return volumeScanSphereAVX512(to, from, first, len(packets), &v.Sphere)
		case ShapeConvex:
			return volumeScanConvexAVX512(to, from, first, len(packets), &v.Convex)
		default:
			return volumeScanConvexFarAVX512(to, from, first, len(packets), &v.Convex)
		}
	case cpu.AVX2:
		switch v.kind() {
		case ShapeFrustum:
			return volumeScanFrustumAVX2(to, from, first, len(packets), &v.Planes)
		case frustumFar:
			return volumeScanFrustumFarAVX2(to, from, first, len(packets), &v.Planes)
		case ShapeBox:
			return volumeScanBoxAVX2(to, from, first, len(packets), &v.Box)
		case ShapeSphere:
			return volumeScanSphereAVX2(to, from, first, len(packets), &v.Sphere)
		case ShapeConvex:
			return volumeScanConvexAVX2(to, from, first, len(packets), &v.Convex)
		default:
			return volumeScanConvexFarAVX2(to, from, first, len(packets), &v.Convex)
		}
	}
	return volumeScanGo(out, packets, first, v)
}

//go:noescape
func volumeNodesFrustumAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesFrustumAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesFrustumFarAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesFrustumFarAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesBoxAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Box, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesBoxAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Box, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesSphereAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Sphere, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesSphereAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Sphere, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesConvexAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Convex, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesConvexAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Convex, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesConvexFarAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Convex, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesConvexFarAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Convex, filter *asm.NodeFilter, budget int)

//go:noescape
func volumePacketsFrustumAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func volumePacketsFrustumAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func volumePacketsFrustumFarAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func volumePacketsFrustumFarAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func volumePacketsBoxAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Box) (written int)

//go:noescape
func volumePacketsBoxAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Box) (written int)

//go:noescape
func volumePacketsSphereAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Sphere) (written int)

//go:noescape
func volumePacketsSphereAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Sphere) (written int)

//go:noescape
func volumePacketsConvexAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func volumePacketsConvexAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func volumePacketsConvexFarAVX512(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func volumePacketsConvexFarAVX2(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func volumeScanFrustumAVX512(out *asm.Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func volumeScanFrustumAVX2(out *asm.Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func volumeScanFrustumFarAVX512(out *asm.Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func volumeScanFrustumFarAVX2(out *asm.Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func volumeScanBoxAVX512(out *asm.Range, packets *soa.Packet, first, n int, p *Box) (written int)

//go:noescape
func volumeScanBoxAVX2(out *asm.Range, packets *soa.Packet, first, n int, p *Box) (written int)

//go:noescape
func volumeScanSphereAVX512(out *asm.Range, packets *soa.Packet, first, n int, p *Sphere) (written int)

//go:noescape
func volumeScanSphereAVX2(out *asm.Range, packets *soa.Packet, first, n int, p *Sphere) (written int)

//go:noescape
func volumeScanConvexAVX512(out *asm.Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func volumeScanConvexAVX2(out *asm.Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func volumeScanConvexFarAVX512(out *asm.Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func volumeScanConvexFarAVX2(out *asm.Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func volumeIDsFrustumAVX512(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)

//go:noescape
func volumeIDsFrustumAVX2(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)

//go:noescape
func volumeIDsFrustumFarAVX512(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)

//go:noescape
func volumeIDsFrustumFarAVX2(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)

//go:noescape
func volumeIDsBoxAVX512(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Box) (done, wrote int)

//go:noescape
func volumeIDsBoxAVX2(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Box) (done, wrote int)

//go:noescape
func volumeIDsSphereAVX512(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Sphere) (done, wrote int)

//go:noescape
func volumeIDsSphereAVX2(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Sphere) (done, wrote int)

//go:noescape
func volumeIDsConvexAVX512(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)

//go:noescape
func volumeIDsConvexAVX2(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)

//go:noescape
func volumeIDsConvexFarAVX512(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)

//go:noescape
func volumeIDsConvexFarAVX2(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)

//go:noescape
func volumeWholeFrustumAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeFrustumAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeBoxAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Box, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeBoxAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Box, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeSphereAVX512(w *asm.VolumeWalk, nodes *soa.Node, p *Sphere, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeSphereAVX2(w *asm.VolumeWalk, nodes *soa.Node, p *Sphere, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)
