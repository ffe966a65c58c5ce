//go:build !amd64 || purego

package asm

import "github.com/zoctree/zoctree/soa"

func writeBoxes(packets []soa.Packet, counts []uint8, index [][soa.Lanes]uint32, boxes []float32) {
	writeBoxesGo(packets, counts, index, boxes)
}
