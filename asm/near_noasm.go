//go:build !amd64 || purego

package asm

func nearWalk(w *Near, nodes []Node, packets []Packet, budget int) uint32 {
	return nearWalkGo(w, nodes, packets, budget)
}
