//go:build (!amd64 && !arm64) || purego

package build

import "github.com/zoctree/zoctree/soa"

func encodeBoxes(keys []uint64, g *Grid, boxes []float32, stride int) {
	encodeBoxesGo(keys, g, boxes, stride)
}

func encodePackets(keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) {
	encodePacketsGo(keys, src, g, packets, counts, first)
}

func survey(e *extremes, boxes []float32, stride, n int) (bad int) {
	return surveyGo(e, boxes, stride, n)
}
