package build

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/soa"
)

// Grid maps points to the 2^21 cells per axis of a world cube, whose cell side is a power of two.
// Inv is 1/side. Origin is the number of the first cell of each axis, an integer of magnitude at
// most 2^24. Then the product, the floor and the difference of [Grid.Cell] are exact for every
// centre inside the cube.
type Grid struct {
	Inv    float32
	Origin [3]float32
}

// Kernels read four words.
var (
	_ [0]struct{} = [unsafe.Sizeof(Grid{}) - 4*4]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Grid{}.Inv)]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Grid{}.Origin) - 4]struct{}{}
)

// Bounds of one assembly call: about 30 microseconds with every line from memory
// (BenchmarkEncodePackets).
const (
	encodePerCall        = 4096 // boxes
	encodePacketsPerCall = 512  // packets
	surveyPerCall        = 4096 // boxes
)

// EncodeBoxes computes Morton keys (Z-order): keys[i] becomes the 63-bit key of the cell that holds
// the centre of box i. Each of the 21 triples has x in bit 0, y in bit 1 and z in bit 2 (see
// [Grid.Key]).
//
// Box i is the six floats minx miny minz maxx maxy maxz at boxes[i*stride:]. The stride is 6 for
// plain boxes and 8 for records with two more words behind the box. There are len(keys) boxes.
// EncodeBoxes panics if boxes is too short for them or if stride is below 6. It does not allocate.
func EncodeBoxes(keys []uint64, g *Grid, boxes []float32, stride int) {
	checkBoxes("EncodeBoxes", len(boxes), stride, len(keys))
	whole := wholeBoxes(len(keys))
	for i := 0; i < whole; i += encodePerCall {
		n := min(encodePerCall, whole-i)
		encodeSomeBoxes(keys[i:i+n], g, boxes[i*stride:], stride)
	}
	if whole < len(keys) {
		encodeBoxesGo(keys[whole:], g, boxes[whole*stride:], stride)
	}
}

// EncodePackets computes the Morton key and the location of every live lane, in the order of slots
// and lanes: keys[j] and src[j]. packets[i] is slot first+i and has counts[i] live lanes, from lane
// 0 on. Packets without live lanes are skipped. It returns the number of keys and writes nothing
// beyond them.
//
// It panics if counts is shorter than packets, if a count exceeds [soa.Lanes], or if keys or src
// cannot hold the live lanes. It does not allocate.
func EncodePackets(keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) int {
	if len(counts) < len(packets) {
		panic(fmt.Sprintf("build: EncodePackets: %d counts for %d packets", len(counts), len(packets)))
	}
	if first < 0 || first+len(packets) > 1<<28 {
		panic(fmt.Sprintf("build: EncodePackets: slots %d to %d exceed 28 bits", first, first+len(packets)))
	}
	counts = counts[:len(packets)]
	live := 0
	for i, c := range counts {
		if c > soa.Lanes {
			panic(fmt.Sprintf("build: EncodePackets: slot %d has %d lanes", first+i, c))
		}
		live += int(c)
	}
	if live > len(keys) || live > len(src) {
		panic(fmt.Sprintf("build: EncodePackets: %d live lanes for %d keys and %d sources", live, len(keys), len(src)))
	}
	keys, src = keys[:live], src[:live]
	if cpu.Active == cpu.Go {
		encodePacketsGo(keys, src, g, packets, counts, first)
		return live
	}
	// A kernel stores whole registers, so it stops at a packet with less room than 16 keys; the rest, fewer than 16
	// keys, are encoded where there is room.
	var restKeys [2 * soa.Lanes]uint64
	var restSrc [2 * soa.Lanes]soa.Location
	toKeys, toSrc, rest := keys, src, len(keys) < soa.Lanes
	if rest {
		toKeys, toSrc = restKeys[:], restSrc[:]
	}
	for len(packets) > 0 {
		n := min(encodePacketsPerCall, len(packets))
		done, wrote := encodeSomePackets(toKeys, toSrc, g, packets[:n], counts[:n], first)
		toKeys, toSrc = toKeys[wrote:], toSrc[wrote:]
		packets, counts, first = packets[done:], counts[done:], first+done
		if !rest {
			if keys, src = toKeys, toSrc; len(keys) < soa.Lanes {
				toKeys, toSrc, rest = restKeys[:], restSrc[:], true
			}
		}
	}
	copy(keys, restKeys[:])
	copy(src, restSrc[:])
	return live
}

// Survey validates n boxes, laid out as for [EncodeBoxes], and computes their bounds in one pass.
// bad is the index of the first box that is not closed and finite (it has a NaN, an infinity, or
// min > max on an axis), or -1. centres and union are the smallest boxes, as minx maxx miny maxy
// minz maxz, that contain all centres and all boxes; zeros are +0. If n is 0 both are empty: minima
// +Inf, maxima -Inf. If a box is bad they are unspecified.
//
// It panics if boxes is too short or if stride is below 6. It does not allocate.
func Survey(boxes []float32, stride, n int) (centres, union [6]float32, bad int) {
	checkBoxes("Survey", len(boxes), stride, n)
	var e extremes
	if lanes := boxLanes(); lanes > 0 && n >= lanes {
		acc := noLanes
		good, whole := true, wholeBoxes(n)
		for i := 0; i < whole && good; i += surveyPerCall {
			good = surveySome(&acc, boxes[i*stride:], stride, min(surveyPerCall, whole-i))
		}
		if good && whole < n { // some boxes once more, and the last ones
			good = surveySome(&acc, boxes[(n-lanes)*stride:], stride, lanes)
		}
		if e.fold(&acc); good && e.finite() {
			return e.bounds(6), e.bounds(0), -1
		}
	}
	e.clear()
	bad = surveyGo(&e, boxes, stride, n)
	return e.bounds(6), e.bounds(0), bad
}

// fold sets the extremes of the first four lanes. It compares integers, without branches: comparisons of floats would
// be mispredicted, and the built-in functions take longer, to order NaNs, which no valid box has.
func (e *extremes) fold(acc *surveyLanes) {
	for i := 0; i < len(e); i += 6 {
		for a := range 3 {
			lo, hi := (*[4]float32)(acc[i+a][:]), (*[4]float32)(acc[i+a+3][:])
			e[i+a] = unordered(min(min(ordered(lo[0]), ordered(lo[1])), min(ordered(lo[2]), ordered(lo[3]))))
			e[i+a+3] = unordered(max(max(ordered(hi[0]), ordered(hi[1])), max(ordered(hi[2]), ordered(hi[3]))))
		}
	}
}

// ordered returns an integer that has the order of a float, with -0 below +0.
func ordered(x float32) int32 { return flip(int32(math.Float32bits(x))) }

// unordered is the inverse of ordered.
func unordered(i int32) float32 { return math.Float32frombits(uint32(flip(i))) }

// flip inverts the magnitude of a negative number, and is its own inverse.
func flip(i int32) int32 { return i ^ i>>31&math.MaxInt32 }

// checkBoxes panics unless n records of that stride fit in have floats. The last record may end
// after its six floats.
func checkBoxes(caller string, have, stride, n int) {
	if stride < 6 || n < 0 || n > 0 && (have < 6 || (have-6)/stride < n-1) {
		panic(fmt.Sprintf("build: %s: %d boxes of stride %d in %d floats", caller, n, stride, have))
	}
}

// surveyLanes is the rows of extremes with a lane for each box of a register. AVX2 uses the first
// eight lanes, NEON the first four, and kernels leave the extremes of all lanes in the first four.
type surveyLanes [len(extremes{})][soa.Lanes]float32

// Kernels step over the rows by 64 bytes.
var _ [0]struct{} = [unsafe.Sizeof(surveyLanes{}) - 12*64]struct{}{}

// noLanes is the extremes of no boxes.
var noLanes = func() (acc surveyLanes) {
	var e extremes
	e.clear()
	for i, x := range e {
		for lane := range acc[i] {
			acc[i][lane] = x
		}
	}
	return acc
}()

// finite reports whether the union of the boxes is finite.
func (e *extremes) finite() bool {
	for a := range 3 {
		if !(e[a] >= -math.MaxFloat32 && e[a+3] <= math.MaxFloat32) {
			return false
		}
	}
	return true
}

// wholeBoxes returns the number of boxes, at most n, that fill registers of the active tier.
func wholeBoxes(n int) int {
	if lanes := boxLanes(); lanes > 0 {
		return n &^ (lanes - 1)
	}
	return 0
}

// boxLanes returns the number of boxes that fill the registers of the active tier, 0 for Go code.
func boxLanes() int {
	switch cpu.Active {
	case cpu.AVX512:
		return 16
	case cpu.AVX2:
		return 8
	case cpu.NEON:
		return 4
	}
	return 0
}
