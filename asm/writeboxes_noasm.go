//go:build !amd64 || purego

package asm

func writeBoxes(packets []Packet, counts []uint8, index [][Lanes]uint32, boxes []float32) {
	writeBoxesGo(packets, counts, index, boxes)
}
