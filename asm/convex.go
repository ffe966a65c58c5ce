package asm

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// MaxPlanes is the largest number of planes of a [Convex].
const MaxPlanes = 32

// Convex is up to 32 planes prepared for the kernels. The first N elements of
// Coef, Off and Wide are as in [Planes], and so is the test. The others are
// unspecified.
type Convex struct {
	N    int // at least 1
	Coef [MaxPlanes][4]float32
	Off  [MaxPlanes][4]uint32
	Wide [MaxPlanes]float32
	Near Box
	Two  bool
}

// Kernels step over planes by 16 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Convex{}.Coef) - MaxPlanes*16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Convex{}.Off) - MaxPlanes*16]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Convex{}.Wide) - MaxPlanes*4]struct{}{}
)

// Set makes c the intersection of the inner sides of the planes, which must be
// scaled as [ScalePlane] does, widened for near and extent as [MakePlanes] does.
// No planes hold everything.
func (c *Convex) Set(scaled [][4]float32, near, extent [3]float32) {
	if len(scaled) > MaxPlanes {
		panic(fmt.Sprintf("asm: a convex volume of %d planes", len(scaled)))
	}
	if len(scaled) == 0 {
		scaled = everything[:] // a plane without normal still rejects empty lanes
	}
	c.N = len(scaled)
	for i := range scaled {
		c.Coef[i], c.Off[i], c.Wide[i] = preparePlane(&scaled[i], &near, &extent)
	}
	c.Near, c.Two = nearBox(&near, &extent)
}

var everything [1][4]float32

// ConvexNodes tests the children of up to 64 queued nodes and appends to the
// three lists of w, as [FrustumNodes] does.
//
//go:noinline
func ConvexNodes(w *VolumeWalk, nodes []soa.Node, p *Convex, filter *NodeFilter) {
	if w.Done() {
		return
	}
	w.reserve()
	if p.Two {
		convexNodesFar(w, nodes, p, filter, w.budget(nodesPerCall))
	} else {
		convexNodes(w, nodes, p, filter, w.budget(nodesPerCall))
	}
}

// ConvexPackets tests the packets of the listed slots and appends a hit range
// for each that has one, in the order of the list. Packets cost up to five times
// those of a frustum, so a call takes fewer.
func ConvexPackets(out []Range, packets []soa.Packet, slots []uint32, p *Convex) []Range {
	out = ReserveRanges(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), packetsPerCall/4)
		room := out[len(out) : len(out)+k]
		if p.Two {
			out = out[:len(out)+convexPacketsFar(room, packets, slots[:k], p)]
		} else {
			out = out[:len(out)+convexPackets(room, packets, slots[:k], p)]
		}
		slots = slots[k:]
	}
	return out
}

// ConvexSweep is [ConvexPackets] on the n slots from first.
func ConvexSweep(out []Range, packets []soa.Packet, first, n int, p *Convex) []Range {
	checkSweep(packets, first, n)
	out = ReserveRanges(out, n)
	for n > 0 {
		k := min(n, packetsPerCall/4)
		room := out[len(out) : len(out)+k]
		if p.Two {
			out = out[:len(out)+convexSweepFar(room, packets[first:][:k], first, p)]
		} else {
			out = out[:len(out)+convexSweep(room, packets[first:][:k], first, p)]
		}
		first, n = first+k, n-k
	}
	return out
}
