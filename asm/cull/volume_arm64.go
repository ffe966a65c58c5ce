//go:build arm64 && !purego

package cull

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

func volumeNodes(w *asm.VolumeWalk, nodes []soa.Node, v *Volume, filter *asm.NodeFilter, budget int) {
	first := &nodes[0]
	if cpu.Active != cpu.NEON {
		volumeNodesGo(w, nodes, v, filter, budget)
		return
	}
	switch v.kind() {
	case ShapeFrustum:
		volumeNodesFrustumNEON(w, first, &v.Planes, filter, budget)
	case frustumFar:
		volumeNodesFrustumFarNEON(w, first, &v.Planes, filter, budget)
	case ShapeBox:
		volumeNodesBoxNEON(w, first, &v.Box, filter, budget)
	case ShapeSphere:
		volumeNodesSphereNEON(w, first, &v.Sphere, filter, budget)
	case ShapeConvex:
		volumeNodesConvexNEON(w, first, &v.Convex, filter, budget)
	default:
		volumeNodesConvexFarNEON(w, first, &v.Convex, filter, budget)
	}
}

//go:noinline
func volumePackets(out []asm.Range, packets []soa.Packet, slots []uint32, v *Volume) int {
	_ = out[len(slots)-1]
	to, from, list := &out[0], &packets[0], &slots[0]
	if cpu.Active != cpu.NEON {
		return volumePacketsGo(out, packets, slots, v)
	}
	switch v.kind() {
	case ShapeFrustum:
		return volumePacketsFrustumNEON(to, from, list, len(slots), &v.Planes)
	case frustumFar:
		return volumePacketsFrustumFarNEON(to, from, list, len(slots), &v.Planes)
	case ShapeBox:
		return volumePacketsBoxNEON(to, from, list, len(slots), &v.Box)
	case ShapeSphere:
		return volumePacketsSphereNEON(to, from, list, len(slots), &v.Sphere)
	case ShapeConvex:
		return volumePacketsConvexNEON(to, from, list, len(slots), &v.Convex)
	default:
		return volumePacketsConvexFarNEON(to, from, list, len(slots), &v.Convex)
	}
}

//go:noinline
func volumeIDs(out []uint32, packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32, v *Volume) (done, wrote int) {
	if cpu.Active != cpu.NEON {
		return 0, 0
	}
	to, from, id, list := &out[0], &packets[0], &ids[0][0], &slots[0]
	switch v.kind() {
	case ShapeFrustum:
		return volumeIDsFrustumNEON(to, len(out), from, id, list, len(slots), &v.Planes)
	case frustumFar:
		return volumeIDsFrustumFarNEON(to, len(out), from, id, list, len(slots), &v.Planes)
	case ShapeBox:
		return volumeIDsBoxNEON(to, len(out), from, id, list, len(slots), &v.Box)
	case ShapeSphere:
		return volumeIDsSphereNEON(to, len(out), from, id, list, len(slots), &v.Sphere)
	case ShapeConvex:
		return volumeIDsConvexNEON(to, len(out), from, id, list, len(slots), &v.Convex)
	default:
		return volumeIDsConvexFarNEON(to, len(out), from, id, list, len(slots), &v.Convex)
	}
}

//go:noinline
func volumeWhole(w *asm.VolumeWalk, s *soa.Store, v *Volume, filter *asm.NodeFilter, budget int, ids, out *uint32, room, most int) (done, wrote int) {
	first, from := &s.Nodes.Hot[0], unsafe.SliceData(s.Packets.Bounds)
	if cpu.Active != cpu.NEON {
		return -1, 0
	}
	switch v.kind() {
	case ShapeFrustum:
		return volumeWholeFrustumNEON(w, first, &v.Planes, filter, budget, from, ids, out, room, most)
	case ShapeBox:
		return volumeWholeBoxNEON(w, first, &v.Box, filter, budget, from, ids, out, room, most)
	case ShapeSphere:
		return volumeWholeSphereNEON(w, first, &v.Sphere, filter, budget, from, ids, out, room, most)
	}
	return -1, 0
}

//go:noinline
func volumeScan(out []asm.Range, packets []soa.Packet, first int, v *Volume) int {
	_ = out[len(packets)-1]
	to, from := &out[0], &packets[0]
	if cpu.Active != cpu.NEON {
		return volumeScanGo(out, packets, first, v)
	}
	switch v.kind() {
	case ShapeFrustum:
		return volumeScanFrustumNEON(to, from, first, len(packets), &v.Planes)
	case frustumFar:
		return volumeScanFrustumFarNEON(to, from, first, len(packets), &v.Planes)
	case ShapeBox:
		return volumeScanBoxNEON(to, from, first, len(packets), &v.Box)
	case ShapeSphere:
		return volumeScanSphereNEON(to, from, first, len(packets), &v.Sphere)
	case ShapeConvex:
		return volumeScanConvexNEON(to, from, first, len(packets), &v.Convex)
	default:
		return volumeScanConvexFarNEON(to, from, first, len(packets), &v.Convex)
	}
}

//go:noescape
func volumeNodesFrustumNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesFrustumFarNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesBoxNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Box, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesSphereNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Sphere, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesConvexNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Convex, filter *asm.NodeFilter, budget int)

//go:noescape
func volumeNodesConvexFarNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Convex, filter *asm.NodeFilter, budget int)

//go:noescape
func volumePacketsFrustumNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func volumePacketsFrustumFarNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Planes) (written int)

//go:noescape
func volumePacketsBoxNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Box) (written int)

//go:noescape
func volumePacketsSphereNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Sphere) (written int)

//go:noescape
func volumePacketsConvexNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func volumePacketsConvexFarNEON(out *asm.Range, packets *soa.Packet, slots *uint32, n int, p *Convex) (written int)

//go:noescape
func volumeScanFrustumNEON(out *asm.Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func volumeScanFrustumFarNEON(out *asm.Range, packets *soa.Packet, first, n int, p *Planes) (written int)

//go:noescape
func volumeScanBoxNEON(out *asm.Range, packets *soa.Packet, first, n int, p *Box) (written int)

//go:noescape
func volumeScanSphereNEON(out *asm.Range, packets *soa.Packet, first, n int, p *Sphere) (written int)

//go:noescape
func volumeScanConvexNEON(out *asm.Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func volumeScanConvexFarNEON(out *asm.Range, packets *soa.Packet, first, n int, p *Convex) (written int)

//go:noescape
func volumeIDsFrustumNEON(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)

//go:noescape
func volumeIDsFrustumFarNEON(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Planes) (done, wrote int)

//go:noescape
func volumeIDsBoxNEON(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Box) (done, wrote int)

//go:noescape
func volumeIDsSphereNEON(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Sphere) (done, wrote int)

//go:noescape
func volumeIDsConvexNEON(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)

//go:noescape
func volumeIDsConvexFarNEON(out *uint32, room int, packets *soa.Packet, ids, slots *uint32, n int, p *Convex) (done, wrote int)

//go:noescape
func volumeWholeFrustumNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Planes, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeBoxNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Box, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)

//go:noescape
func volumeWholeSphereNEON(w *asm.VolumeWalk, nodes *soa.Node, p *Sphere, filter *asm.NodeFilter, budget int, packets *soa.Packet, ids, out *uint32, room, most int) (done, wrote int)
