//go:build amd64 && !purego

package build

import (
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// encodeWithPDEP makes the AVX2 tier build keys with PDEP instead of shifts and masks. The
// instruction is part of BMI2, which the tier requires, but AMD runs it in microcode up to family
// 23, and so does Hygon (family 24).
var encodeWithPDEP = func() bool {
	_, b, c, _ := cpuid(0)
	vendor := [2]uint32{b, c} // the first and the last third of the name
	eax, _, _, _ := cpuid(1)
	family := eax >> 8 & 15
	if family == 15 {
		family += eax >> 20 & 255
	}
	switch vendor {
	case [2]uint32{0x68747541, 0x444D4163}: // "Auth" "cAMD"
		return family > 23
	case [2]uint32{0x6F677948, 0x656E6975}: // "Hygo" "uine"
		return false
	}
	return true
}()

func cpuid(leaf uint32) (eax, ebx, ecx, edx uint32)

//go:noescape
func encodeBoxesAVX512(keys *uint64, grid *Grid, boxes *float32, stride, n int)

//go:noescape
func encodeBoxesAVX2(keys *uint64, grid *Grid, boxes *float32, stride, n int)

//go:noescape
func encodeBoxesPDEP(keys *uint64, grid *Grid, boxes *float32, stride, n int)

//go:noescape
func encodePacketsAVX512(keys *uint64, src *soa.Location, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

//go:noescape
func encodePacketsAVX2(keys *uint64, src *soa.Location, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

//go:noescape
func encodePacketsPDEP(keys *uint64, src *soa.Location, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

//go:noescape
func surveyAVX512(acc *surveyLanes, boxes *float32, stride, n int) (good bool)

//go:noescape
func surveyAVX2(acc *surveyLanes, boxes *float32, stride, n int) (good bool)

// wholeBoxes returns the number of boxes, at most n, that fill registers of the active tier.
func wholeBoxes(n int) int {
	switch cpu.Active {
	case cpu.AVX512:
		return n &^ 15
	case cpu.AVX2:
		return n &^ 7
	}
	return 0
}

//go:noinline
func encodeSomeBoxes(keys []uint64, g *Grid, boxes []float32, stride int) {
	switch {
	case cpu.Active == cpu.AVX512:
		encodeBoxesAVX512(&keys[0], g, &boxes[0], stride, len(keys))
	case encodeWithPDEP:
		encodeBoxesPDEP(&keys[0], g, &boxes[0], stride, len(keys))
	default:
		encodeBoxesAVX2(&keys[0], g, &boxes[0], stride, len(keys))
	}
}

//go:noinline
func encodeSomePackets(keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) (done, wrote int) {
	switch {
	case cpu.Active == cpu.AVX512:
		return encodePacketsAVX512(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
	case encodeWithPDEP:
		return encodePacketsPDEP(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
	}
	return encodePacketsAVX2(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
}

//go:noinline
func surveySome(acc *surveyLanes, boxes []float32, stride, n int) (good bool) {
	if cpu.Active == cpu.AVX512 {
		return surveyAVX512(acc, &boxes[0], stride, n)
	}
	return surveyAVX2(acc, &boxes[0], stride, n)
}
