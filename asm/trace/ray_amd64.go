//go:build amd64 && !purego

package trace

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func rayNext(w *RayWalk, nodes []soa.Node, packets []soa.Packet, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		rayNextAVX512(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
	case cpu.AVX2:
		rayNextAVX2(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
	default:
		rayNextGo(w, nodes, packets, budget)
	}
}

//go:noinline
func rayFirst(w *RayWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		rayFirstAVX512(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, idsOf(ids))
	case cpu.AVX2:
		rayFirstAVX2(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, idsOf(ids))
	default:
		rayFirstGo(w, nodes, packets, ids, budget)
	}
}

// idsOf returns the address of the first ID, which may not exist.
func idsOf(ids [][soa.Lanes]uint32) *uint32 { return (*uint32)(unsafe.Pointer(unsafe.SliceData(ids))) }

//go:noinline
func rayNodes(w *RayWalk, nodes []soa.Node, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		rayNodesAVX512(w, unsafe.SliceData(nodes), budget)
	case cpu.AVX2:
		rayNodesAVX2(w, unsafe.SliceData(nodes), budget)
	default:
		rayNodesGo(w, nodes, budget)
	}
}

//go:noinline
func rayPackets(w *RayWalk, packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32) {
	switch cpu.Active {
	case cpu.AVX512:
		rayPacketsAVX512(w, &packets[0], &ids[0][0], &slots[0], len(slots))
	case cpu.AVX2:
		rayPacketsAVX2(w, &packets[0], &ids[0][0], &slots[0], len(slots))
	default:
		rayPacketsGo(w, packets, slots)
	}
}

//go:noescape
func rayNextAVX512(w *RayWalk, nodes *soa.Node, packets *soa.Packet, budget int)

//go:noescape
func rayNextAVX2(w *RayWalk, nodes *soa.Node, packets *soa.Packet, budget int)

//go:noescape
func rayFirstAVX512(w *RayWalk, nodes *soa.Node, packets *soa.Packet, budget int, ids *uint32)

//go:noescape
func rayFirstAVX2(w *RayWalk, nodes *soa.Node, packets *soa.Packet, budget int, ids *uint32)

//go:noescape
func rayNodesAVX512(w *RayWalk, nodes *soa.Node, budget int)

//go:noescape
func rayNodesAVX2(w *RayWalk, nodes *soa.Node, budget int)

//go:noescape
func rayPacketsAVX512(w *RayWalk, packets *soa.Packet, ids, slots *uint32, n int)

//go:noescape
func rayPacketsAVX2(w *RayWalk, packets *soa.Packet, ids, slots *uint32, n int)
