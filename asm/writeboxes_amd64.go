//go:build amd64 && !purego

package asm

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// writeMost is the most boxes whose word numbers fit into the signed lanes of
// a gather.
const writeMost = 1 << 29

//go:noinline
func writeBoxes(packets []soa.Packet, counts []uint8, index [][soa.Lanes]uint32, boxes []float32) {
	if n := len(boxes) / 6; cpu.Active == cpu.AVX512 && n <= writeMost {
		writeBoxesAVX512(&packets[0], &counts[0], &index[0], len(packets), &boxes[0], n)
		return
	}
	writeBoxesGo(packets, counts, index, boxes)
}

//go:noescape
func writeBoxesAVX512(packets *soa.Packet, counts *uint8, index *[soa.Lanes]uint32, n int, boxes *float32, limit int)
