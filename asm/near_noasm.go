//go:build (!amd64 && !arm64) || purego

package asm

func nearWalk(w *Near, nodes []Node, packets []Packet, budget int) uint32 {
	return nearWalkGo(w, nodes, packets, budget)
}

func nearKeep(w *Near, p *Keep, nodes []Node, packets []Packet, _ [][Lanes]uint32, budget int) {
	nearKeepGo(w, p, nodes, packets, budget)
}
