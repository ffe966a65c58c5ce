package asm

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Shape says which of its fields a Volume is.
type Shape uint8

const (
	ShapeFrustum Shape = iota // Planes
	ShapeBox                  // Box
	ShapeSphere               // Sphere
	ShapeConvex               // Convex
)

// Planes with two bounds have kernels of their own.
const (
	frustumFar = ShapeConvex + 1 + iota
	convexFar
)

// Volume is a volume that a walk asks for: the field that its shape names. The
// others are unspecified, so that one Volume can serve one query after another.
// The zero value is a frustum that holds everything.
type Volume struct {
	Shape  Shape
	Box    Box
	Sphere Sphere
	Planes Planes
	Convex Convex
}

// kind returns the shape whose kernels test v, which may be one of planes
// with two bounds.
func (v *Volume) kind() Shape {
	switch {
	case v.Shape == ShapeFrustum && v.Planes.Two:
		return frustumFar
	case v.Shape == ShapeConvex && v.Convex.Two:
		return convexFar
	}
	return v.Shape
}

// check panics unless v is one of the four shapes, with planes that kernels can
// count down.
func (v *Volume) check() {
	if v.Shape > ShapeConvex || v.Shape == ShapeConvex && uint(v.Convex.N-1) >= MaxPlanes {
		v.refuse()
	}
}

//go:noinline
func (v *Volume) refuse() {
	panic(fmt.Sprintf("asm: a volume of shape %d, if convex of %d planes", v.Shape, v.Convex.N))
}

// A packets kernel tests at most packetsPerCall packets in one call.
const packetsPerCall = 512

// most is the number of packets that a call may test, at most the bound. Those of
// a convex volume cost up to five times those of the others.
func (v *Volume) most(bound int) int {
	if v.Shape == ShapeConvex {
		return bound / 4
	}
	return bound
}

// Nodes tests the children of up to 64 queued nodes and appends to the three
// lists of w. Call it until w is done. The order of all three lists is the order
// of the queue, then of the lanes. It allocates only while the lists grow. A shape
// that is none, or a convex volume that was not set, is a panic.
//
//go:noinline
func (v *Volume) Nodes(w *VolumeWalk, nodes []soa.Node, filter *NodeFilter) {
	v.check()
	if w.Done() {
		return
	}
	w.reserve()
	volumeNodes(w, nodes, v, filter, w.budget(nodesPerCall))
}

// Whole does what [Volume.Nodes] does and, where that ends the walk, what
// [Volume.AppendIDs] does of all packets listed, in one call with the volume in registers: if
// done, dst has the answer. It is not done, and dst is as before, if the walk goes on or has
// used up its budget, if anything is inside, if there are more packets than most or
// than dst has room for, or if there is no such kernel for the tier and the shape; the
// walk then goes on with Nodes. It panics as [Volume.Nodes] does.
func (v *Volume) Whole(dst []uint32, w *VolumeWalk, s *soa.Store, filter *NodeFilter, most int) (to []uint32, done bool) {
	v.check()
	if w.Done() || cap(dst)-len(dst) < soa.Lanes {
		return dst, false
	}
	w.reserve()
	out := dst[len(dst):cap(dst)]
	tested, wrote := volumeWhole(w, s, v, filter, w.budget(nodesPerCall), &s.Packets.IDs[0][0], &out[0], len(out), min(most, packetsPerCall))
	if tested < len(w.Packets) {
		return dst, false
	}
	return dst[:len(dst)+wrote], true
}

// CountWhole counts what [Volume.Whole] appends, without reading IDs: if done, n lanes are hit
// in the packets listed, or in the first of them, which is where it stops, at least enough.
// What is inside is listed and left to count. It is not done if the walk goes on, if there are
// more packets than most, or if there is no such kernel for the tier and the shape; the walk
// then goes on with Nodes. It panics as [Volume.Nodes] does.
func (v *Volume) CountWhole(w *VolumeWalk, s *soa.Store, filter *NodeFilter, most, enough int) (n int, done bool) {
	v.check()
	if w.Done() {
		return 0, false
	}
	w.reserve()
	tested, wrote := volumeWhole(w, s, v, filter, w.budget(nodesPerCall), nil, nil, enough, min(most, packetsPerCall))
	if tested < 0 {
		return 0, false
	}
	return wrote, true
}

// Packets tests the packets of the listed slots and appends a hit range for each
// that has one, in the order of the list. It allocates only when out lacks room
// for a range of each slot. It panics as [Volume.Nodes] does.
func (v *Volume) Packets(out []Range, packets []soa.Packet, slots []uint32) []Range {
	v.check()
	out = slices.Grow(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), v.most(packetsPerCall))
		out = out[:len(out)+volumePackets(out[len(out):len(out)+k], packets, slots[:k], v)]
		slots = slots[k:]
	}
	return out
}

// AppendIDs appends the IDs of the lanes hit in the packets of the listed slots,
// in the order of the list, lanes ascending: what [EmitIDs] gives of the ranges of
// [Volume.Packets], without these where the tier has a kernel for it and as long as
// dst has room. The ranges, whose contents are unspecified afterwards, serve for the
// rest; it allocates as these two do for that.
func (v *Volume) AppendIDs(dst []uint32, ranges []Range, packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32) ([]uint32, []Range) {
	v.check()
	for len(slots) > 0 && cap(dst)-len(dst) >= soa.Lanes {
		k := min(len(slots), v.most(packetsPerCall))
		done, wrote := volumeIDs(dst[len(dst):cap(dst)], packets, ids, slots[:k], v)
		if done == 0 {
			break // there is no kernel
		}
		dst, slots = dst[:len(dst)+wrote], slots[done:]
	}
	if len(slots) == 0 {
		return dst, ranges
	}
	ranges = v.Packets(ranges[:0], packets, slots)
	return EmitIDs(dst, ids, nil, ranges), ranges
}

// Scan is [Volume.Packets] on the n slots from first: the linear scan that a tree
// has to beat. Slots that are no packets are a panic.
func (v *Volume) Scan(out []Range, packets []soa.Packet, first, n int) []Range {
	v.check()
	if first < 0 || n < 0 || n > len(packets)-first {
		panic(fmt.Sprintf("asm: scan of %d slots from %d over %d packets", n, first, len(packets)))
	}
	out = slices.Grow(out, n)
	for n > 0 {
		k := min(n, v.most(packetsPerCall))
		out = out[:len(out)+volumeScan(out[len(out):len(out)+k], packets[first:][:k], first, v)]
		first, n = first+k, n-k
	}
	return out
}
