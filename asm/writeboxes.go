package asm

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// writePerCall packets are written in one call: some 30 microseconds when each
// box comes from memory (BenchmarkWriteBoxes).
const writePerCall = 32

// WriteBoxes overwrites boxes in packets: live lane l of packet i becomes the box
// of number index[i][l], six words minx miny minz maxx maxy maxz of boxes, unless
// there is no such number. The other lanes stay as they are.
//
// It panics when index or counts is shorter than packets. It does not allocate.
func WriteBoxes(packets []soa.Packet, counts []uint8, index [][soa.Lanes]uint32, boxes []float32) {
	if len(counts) < len(packets) || len(index) < len(packets) {
		panic(fmt.Sprintf("asm: WriteBoxes: %d packets, %d counts, %d rows of the index", len(packets), len(counts), len(index)))
	}
	for i := 0; i < len(packets) && len(boxes) >= 6; i += writePerCall {
		k := min(writePerCall, len(packets)-i)
		writeBoxes(packets[i:i+k], counts[i:i+k], index[i:i+k], boxes)
	}
}
