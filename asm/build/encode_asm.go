//go:build (amd64 || arm64) && !purego

package build

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// surveyLanes is the rows of extremes with a lane for each box of a register. AVX2 uses the first
// eight lanes, NEON the first four.
type surveyLanes [len(extremes{})][soa.Lanes]float32

// Kernels step over the rows by 64 bytes.
var _ [0]struct{} = [unsafe.Sizeof(surveyLanes{}) - 12*64]struct{}{}

func encodeBoxes(keys []uint64, g *Grid, boxes []float32, stride int) {
	whole := wholeBoxes(len(keys))
	for i := 0; i < whole; i += encodePerCall {
		n := min(encodePerCall, whole-i)
		encodeSomeBoxes(keys[i:i+n], g, boxes[i*stride:], stride)
	}
	if whole < len(keys) {
		encodeBoxesGo(keys[whole:], g, boxes[whole*stride:], stride)
	}
}

// encodePackets fills keys and src, whose length is the number of live lanes. A kernel stores whole
// registers, so it stops at a packet with less room than 16 keys; Go code encodes the rest.
func encodePackets(keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) {
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

// survey runs the kernels over whole registers of boxes. Kernels report only whether every box is
// valid; Go code finds the bad one.
func survey(e *extremes, boxes []float32, stride, n int) (bad int) {
	whole := wholeBoxes(n)
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

// finite reports whether the union of the boxes is finite.
func (e *extremes) finite() bool {
	for a := range 3 {
		if !(e[a] >= -math.MaxFloat32 && e[a+3] <= math.MaxFloat32) {
			return false
		}
	}
	return true
}
