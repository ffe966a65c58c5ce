//go:build arm64 && !purego

package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// emptyRecord is the record of a free lane.
//
//lint:ignore U1000 assembly reads it
var emptyRecord = [8]float32{inf, inf, inf, -inf, -inf, -inf}

//go:noinline
func (f *fillArgs) call(kind fillKind) {
	switch {
	case kind == fillRecords && cpu.Active == cpu.NEON:
		fillRecordsNEON(f)
	case kind == fillPackets && cpu.Active == cpu.NEON:
		fillPacketsNEON(f)
	default:
		f.runGo(kind)
	}
}

//go:noinline
func reduceNodes(nodes []soa.Node, up []soa.Up, list []uint32) {
	if cpu.Active == cpu.NEON {
		reduceNodesNEON(&nodes[0], &up[0], &list[0], len(list))
		return
	}
	reduceNodesGo(nodes, up, list)
}

//go:noinline
func reducePackets(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	if cpu.Active == cpu.NEON {
		reducePacketsNEON(p, unsafe.SliceData(nodes), &slots[0], len(slots))
		return
	}
	reducePacketsGo(p, nodes, slots)
}

//go:noescape
func fillRecordsNEON(f *fillArgs)

//go:noescape
func fillPacketsNEON(f *fillArgs)

//go:noescape
func reduceNodesNEON(nodes *soa.Node, up *soa.Up, list *uint32, n int)

//go:noescape
func reducePacketsNEON(p *soa.PacketColumns, nodes *soa.Node, slots *uint32, n int)
