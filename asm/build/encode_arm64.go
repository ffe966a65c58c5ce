//go:build arm64 && !purego

package build

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// wholeBoxes returns the number of boxes, at most n, that fill registers of the active tier.
func wholeBoxes(n int) int {
	if cpu.Active == cpu.NEON {
		return n &^ 3
	}
	return 0
}

//go:noinline
func encodeSomeBoxes(keys []uint64, g *Grid, boxes []float32, stride int) {
	encodeBoxesNEON(&keys[0], g, &boxes[0], stride, len(keys))
}

//go:noinline
func encodeSomePackets(keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) (done, wrote int) {
	return encodePacketsNEON(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
}

//go:noinline
func surveySome(acc *surveyLanes, boxes []float32, stride, n int) (good bool) {
	return surveyNEON(acc, &boxes[0], stride, n)
}

//go:noescape
func encodeBoxesNEON(keys *uint64, grid *Grid, boxes *float32, stride, n int)

//go:noescape
func encodePacketsNEON(keys *uint64, src *soa.Location, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

//go:noescape
func surveyNEON(acc *surveyLanes, boxes *float32, stride, n int) (good bool)
