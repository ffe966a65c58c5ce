//go:build amd64 && !purego

package trace

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func nearWalk(w *NearWalk, nodes []soa.Node, packets []soa.Packet, budget int) uint32 {
	scaled := w.Scale != 0
	switch cpu.Active {
	case cpu.AVX512:
		if scaled {
			return nearScaledAVX512(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
		}
		return nearWalkAVX512(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
	case cpu.AVX2:
		if scaled {
			return nearScaledAVX2(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
		}
		return nearWalkAVX2(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
	}
	return nearWalkGo(w, nodes, packets, budget)
}

//go:noinline
func nearFind(w *NearWalk, p *NearFound, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		nearFindAVX512(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, p, unsafe.SliceData(ids))
	case cpu.AVX2:
		nearFindAVX2(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, p, unsafe.SliceData(ids))
	default:
		nearFindGo(w, p, nodes, packets, budget)
	}
}

//go:noinline
func nearFirst(w *NearWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	switch cpu.Active {
	case cpu.AVX512:
		nearFirstAVX512(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, idsOf(ids))
	case cpu.AVX2:
		nearFirstAVX2(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, idsOf(ids))
	default:
		nearFirstGo(w, nodes, packets, ids, budget)
	}
}

//go:noescape
func nearWalkAVX512(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearWalkAVX2(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearScaledAVX512(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearScaledAVX2(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearFindAVX512(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int, p *NearFound, ids *[soa.Lanes]uint32)

//go:noescape
func nearFindAVX2(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int, p *NearFound, ids *[soa.Lanes]uint32)

//go:noescape
func nearFirstAVX512(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int, ids *uint32)

//go:noescape
func nearFirstAVX2(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int, ids *uint32)
