//go:build arm64 && !purego

package trace

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

//go:noinline
func rayNext(w *RayWalk, nodes []soa.Node, packets []soa.Packet, budget int) {
	if cpu.Active == cpu.NEON {
		rayNextNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget)
		return
	}
	rayNextGo(w, nodes, packets, budget)
}

//go:noinline
func rayFirst(w *RayWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	if cpu.Active == cpu.NEON {
		rayFirstNEON(w, unsafe.SliceData(nodes), unsafe.SliceData(packets), budget, unsafe.SliceData(ids))
		return
	}
	rayFirstGo(w, nodes, packets, ids, budget)
}

//go:noinline
func rayNodes(w *RayWalk, nodes []soa.Node, budget int) {
	if cpu.Active == cpu.NEON {
		rayNodesNEON(w, unsafe.SliceData(nodes), budget)
		return
	}
	rayNodesGo(w, nodes, budget)
}

//go:noinline
func rayPackets(w *RayWalk, packets []soa.Packet, _ [][soa.Lanes]uint32, slots []uint32) {
	if cpu.Active == cpu.NEON {
		rayPacketsNEON(w, &packets[0], &slots[0], len(slots))
		return
	}
	rayPacketsGo(w, packets, slots)
}

//go:noescape
func rayNextNEON(w *RayWalk, nodes *soa.Node, packets *soa.Packet, budget int)

//go:noescape
func rayFirstNEON(w *RayWalk, nodes *soa.Node, packets *soa.Packet, budget int, ids *[soa.Lanes]uint32)

//go:noescape
func rayNodesNEON(w *RayWalk, nodes *soa.Node, budget int)

//go:noescape
func rayPacketsNEON(w *RayWalk, packets *soa.Packet, slots *uint32, n int)
