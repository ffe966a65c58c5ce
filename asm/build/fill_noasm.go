//go:build (!amd64 && !arm64) || purego

package build

import "github.com/zoctree/zoctree/soa"

func (f *fillArgs) call(kind fillKind) { f.runGo(kind) }

func reduceNodes(nodes []soa.Node, up []soa.Up, list []uint32) { reduceNodesGo(nodes, up, list) }

func reducePackets(p *soa.PacketColumns, nodes []soa.Node, slots []uint32) {
	reducePacketsGo(p, nodes, slots)
}
