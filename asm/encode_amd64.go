//go:build amd64 && !purego

package asm

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// encodeWithPDEP makes the AVX2 tier build keys with PDEP instead of magic
// bits. The instruction is part of BMI2, which the tier requires, but AMD
// runs it in microcode up to family 23, and Hygon (family 24) with it.
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
func encodePacketsAVX512(keys *uint64, src *soa.Place, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

//go:noescape
func encodePacketsAVX2(keys *uint64, src *soa.Place, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

//go:noescape
func encodePacketsPDEP(keys *uint64, src *soa.Place, grid *Grid, packets *soa.Packet, counts *uint8, slot, n, room int) (done, wrote int)

// surveyLanes is the rows of extremes with a lane for each box of a register;
// AVX2 uses the first eight.
type surveyLanes [len(extremes{})][soa.Lanes]float32

// Kernels hold each row in a register.
var _ [0]struct{} = [unsafe.Sizeof(surveyLanes{}) - 12*64]struct{}{}

//go:noescape
func surveyAVX512(acc *surveyLanes, boxes *float32, stride, n int) (good bool)

//go:noescape
func surveyAVX2(acc *surveyLanes, boxes *float32, stride, n int) (good bool)

func encodeBoxes(keys []uint64, g *Grid, boxes []float32, stride int) {
	whole := 0
	switch cpu.Active {
	case cpu.AVX512:
		whole = len(keys) &^ 15
	case cpu.AVX2:
		whole = len(keys) &^ 7
	}
	for i := 0; i < whole; i += encodePerCall {
		n := min(encodePerCall, whole-i)
		encodeSomeBoxes(keys[i:i+n], g, boxes[i*stride:], stride)
	}
	if whole < len(keys) {
		encodeBoxesGo(keys[whole:], g, boxes[whole*stride:], stride)
	}
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

// encodePackets fills keys and src, which have the length of the live lanes.
// A kernel stores whole registers, so it stops at a packet that has fewer than
// 16 keys of room; Go does the few that are left.
func encodePackets(keys []uint64, src []soa.Place, g *Grid, packets []soa.Packet, counts []uint8, first int) {
	for len(packets) > 0 && len(keys) >= soa.Lanes && cpu.Active != cpu.Go {
		n := min(encodePacketsPerCall, len(packets))
		done, wrote := encodeSomePackets(keys, src, g, packets[:n], counts[:n], first)
		keys, src = keys[wrote:], src[wrote:]
		packets, counts, first = packets[done:], counts[done:], first+done
		if done < n {
			break
		}
	}
	encodePacketsGo(keys, src, g, packets, counts, first)
}

//go:noinline
func encodeSomePackets(keys []uint64, src []soa.Place, g *Grid, packets []soa.Packet, counts []uint8, first int) (done, wrote int) {
	switch {
	case cpu.Active == cpu.AVX512:
		return encodePacketsAVX512(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
	case encodeWithPDEP:
		return encodePacketsPDEP(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
	}
	return encodePacketsAVX2(&keys[0], &src[0], g, &packets[0], &counts[0], first, len(packets), len(keys))
}

// survey runs the kernels over whole registers of boxes. They tell only
// whether every box was fit; Go finds the bad one.
func survey(e *extremes, boxes []float32, stride, n int) (bad int) {
	whole := 0
	switch cpu.Active {
	case cpu.AVX512:
		whole = n &^ 15
	case cpu.AVX2:
		whole = n &^ 7
	}
	if whole > 0 {
		var acc surveyLanes
		for i, x := range e {
			for lane := range acc[i] {
				acc[i][lane] = x
			}
		}
		good := true
		for i := 0; i < whole && good; i += surveyPerCall {
			good = surveySome(&acc, boxes[i*stride:], stride, min(surveyPerCall, whole-i))
		}
		for lane := range soa.Lanes {
			for a := range 3 {
				e[a], e[a+3] = min(e[a], acc[a][lane]), max(e[a+3], acc[a+3][lane])
				e[a+6], e[a+9] = min(e[a+6], acc[a+6][lane]), max(e[a+9], acc[a+9][lane])
			}
		}
		if !good || !e.finite() {
			return surveyGo(e, boxes, stride, n)
		}
	}
	if whole < n {
		if bad = surveyGo(e, boxes[whole*stride:], stride, n-whole); bad >= 0 {
			return whole + bad
		}
	}
	return -1
}

// finite reports whether the boxes are.
func (e *extremes) finite() bool {
	for a := range 3 {
		if !(e[a] >= -math.MaxFloat32 && e[a+3] <= math.MaxFloat32) {
			return false
		}
	}
	return true
}

//go:noinline
func surveySome(acc *surveyLanes, boxes []float32, stride, n int) (good bool) {
	if cpu.Active == cpu.AVX512 {
		return surveyAVX512(acc, &boxes[0], stride, n)
	}
	return surveyAVX2(acc, &boxes[0], stride, n)
}
