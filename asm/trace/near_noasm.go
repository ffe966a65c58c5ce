//go:build (!amd64 && !arm64) || purego

package trace

import "github.com/zoctree/zoctree/soa"

func nearWalk(w *NearWalk, nodes []soa.Node, packets []soa.Packet, budget int) uint32 {
	return nearWalkGo(w, nodes, packets, budget)
}

func nearFind(w *NearWalk, p *NearFound, nodes []soa.Node, packets []soa.Packet, _ [][soa.Lanes]uint32, budget int) {
	nearFindGo(w, p, nodes, packets, budget)
}

func nearFirst(w *NearWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	nearFirstGo(w, nodes, packets, ids, budget)
}
