//go:build arm64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// emptyRecord is what a lane without a record reads.
//
//lint:ignore U1000 assembly reads it
var emptyRecord = [8]float32{inf, inf, inf, -inf, -inf, -inf}

// call gathers from packets in Go: a vector has no gain there.
//
//go:noinline
func (f *fillArgs) call(kind fillKind) {
	if kind == fillRecords && cpu.Active == cpu.NEON {
		fillRecordsNEON(f)
		return
	}
	f.runGo(kind)
}

//go:noinline
func reduceNodes(nodes []soa.Node, up []soa.Up, list []uint32) {
	if cpu.Active == cpu.NEON {
		reduceNodesNEON(&nodes[0], &up[0], &list[0], len(list))
		return
	}
	reduceNodesGo(nodes, up, list)
}

//go:noescape
func fillRecordsNEON(f *fillArgs)

//go:noescape
func reduceNodesNEON(nodes *soa.Node, up *soa.Up, list *uint32, n int)

func reducePackets(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	reducePacketsGo(p, nodes, slots)
}
