//go:build arm64 && !purego

package trace

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func nearWalk(w *NearWalk, nodes []soa.Node, packets []soa.Packet, budget int) uint32 {
	if cpu.Active == cpu.NEON {
		if w.Scale != 0 {
			return nearScaledNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
		}
		return nearWalkNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
	}
	return nearWalkGo(w, nodes, packets, budget)
}

//go:noinline
func nearFind(w *NearWalk, p *NearFound, nodes []soa.Node, packets []soa.Packet, _ [][soa.Lanes]uint32, budget int) {
	if cpu.Active == cpu.NEON {
		nearFindNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, p)
		return
	}
	nearFindGo(w, p, nodes, packets, budget)
}

//go:noinline
func nearFirst(w *NearWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	if cpu.Active == cpu.NEON {
		nearFirstNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, unsafe.SliceData(ids))
		return
	}
	nearFirstGo(w, nodes, packets, ids, budget)
}

//go:noescape
func nearWalkNEON(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearScaledNEON(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int) (mask uint32)

//go:noescape
func nearFindNEON(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int, p *NearFound)

//go:noescape
func nearFirstNEON(w *NearWalk, nodes *soa.Node, packets *soa.Packet, budget int, ids *[soa.Lanes]uint32)
