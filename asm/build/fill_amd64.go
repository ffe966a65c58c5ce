//go:build amd64 && !purego

package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// maxGatherSlots bounds the source of the gathering kernels: their element index slot*96 + lane is
// a signed 32-bit number.
const maxGatherSlots = (1<<31 - 1) / 96

//go:noinline
func (f *fillArgs) call(kind fillKind) {
	switch {
	case kind == fillRecords && cpu.Active == cpu.AVX512:
		fillRecordsAVX512(f)
	case kind == fillRecords && cpu.Active == cpu.AVX2:
		fillRecordsAVX2(f)
	case kind == fillPackets && cpu.Active == cpu.AVX512 && len(f.from.Bounds) <= maxGatherSlots:
		fillPacketsAVX512(f)
	case kind == fillPackets && cpu.Active == cpu.AVX2 && len(f.from.Bounds) <= maxGatherSlots:
		fillPacketsAVX2(f)
	default:
		f.runGo(kind)
	}
}

//go:noinline
func reduceNodes(nodes []soa.Node, up []soa.Up, list []uint32) {
	if cpu.Active < cpu.AVX2 {
		reduceNodesGo(nodes, up, list)
		return
	}
	reduceNodesAVX2(&nodes[0], &up[0], &list[0], len(list))
}

//go:noescape
func fillRecordsAVX512(f *fillArgs)

//go:noescape
func fillRecordsAVX2(f *fillArgs)

//go:noescape
func fillPacketsAVX512(f *fillArgs)

//go:noescape
func fillPacketsAVX2(f *fillArgs)

//go:noescape
func reduceNodesAVX2(nodes *soa.Node, up *soa.Up, list *uint32, n int)

//go:noinline
func reducePackets(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	if cpu.Active < cpu.AVX2 {
		reducePacketsGo(p, nodes, slots)
		return
	}
	reducePacketsAVX2(p, unsafe.SliceData(nodes), &slots[0], len(slots))
}

//go:noescape
func reducePacketsAVX2(p *soa.PacketColumns, nodes *soa.Node, slots *uint32, n int)
