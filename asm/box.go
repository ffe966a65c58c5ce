package asm

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Box is a closed box as the kernels take it: minx maxx miny maxy minz maxz,
// like the columns of a Packet. It must be finite.
//
// A box b meets it when on each axis b.min <= max and b.max >= min, and lies
// inside when b.min >= min and b.max <= max. Both are exact.
type Box [6]float32

// Kernels read six words.
var _ [0]struct{} = [unsafe.Sizeof(Box{}) - 6*4]struct{}{}

// MakeBox returns the box from min to max.
func MakeBox(min, max [3]float32) Box {
	return Box{min[0], max[0], min[1], max[1], min[2], max[2]}
}

// BoxNodes tests the children of up to 64 queued nodes and appends to the three
// lists of w, as [FrustumNodes] does.
//
//go:noinline
func BoxNodes(w *VolumeWalk, nodes []soa.Node, p *Box, filter *NodeFilter) {
	if w.Done() {
		return
	}
	w.reserve()
	boxNodes(w, nodes, p, filter, w.budget(nodesPerCall))
}

// BoxPackets tests the packets of the listed slots and appends a hit range for
// each that has one, in the order of the list.
func BoxPackets(out []Range, packets []soa.Packet, slots []uint32, p *Box) []Range {
	out = ReserveRanges(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), packetsPerCall)
		out = out[:len(out)+boxPackets(out[len(out):len(out)+k], packets, slots[:k], p)]
		slots = slots[k:]
	}
	return out
}

// BoxSweep is [BoxPackets] on the n slots from first.
func BoxSweep(out []Range, packets []soa.Packet, first, n int, p *Box) []Range {
	checkSweep(packets, first, n)
	out = ReserveRanges(out, n)
	for n > 0 {
		k := min(n, packetsPerCall)
		out = out[:len(out)+boxSweep(out[len(out):len(out)+k], packets[first:][:k], first, p)]
		first, n = first+k, n-k
	}
	return out
}

// checkSweep panics unless the n slots from first are packets.
func checkSweep(packets []soa.Packet, first, n int) {
	if first < 0 || n < 0 || n > len(packets)-first {
		panic(fmt.Sprintf("asm: sweep of %d slots from %d over %d packets", n, first, len(packets)))
	}
}
