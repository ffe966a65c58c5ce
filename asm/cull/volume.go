package cull

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// Shape selects the field of a [Volume] that is in use.
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

// Volume is a query volume: a frustum, a box, a sphere or a convex volume, in the field that Shape
// selects. The other fields are unspecified, so that one Volume can serve one query after another.
// The zero value is a frustum that contains everything.
type Volume struct {
	Shape  Shape
	Box    Box
	Sphere Sphere
	Planes Planes
	Convex Convex
}

// kind returns the shape whose kernels test v, which may be frustumFar or convexFar.
func (v *Volume) kind() Shape {
	switch {
	case v.Shape == ShapeFrustum && v.Planes.Two:
		return frustumFar
	case v.Shape == ShapeConvex && v.Convex.Two:
		return convexFar
	}
	return v.Shape
}

// check panics unless v is one of the four shapes, with a valid number of planes.
func (v *Volume) check() {
	if v.Shape > ShapeConvex || v.Shape == ShapeConvex && uint(v.Convex.N-1) >= MaxPlanes {
		v.refuse()
	}
}

//go:noinline
func (v *Volume) refuse() {
	panic(fmt.Sprintf("cull: a volume of shape %d, if convex of %d planes", v.Shape, v.Convex.N))
}

// A nodes kernel tests at most nodesPerCall nodes; each adds at most 16 entries to each list, and
// stores whole registers of 16. A packets kernel tests at most packetsPerCall packets.
const (
	nodesPerCall   = 64
	nodesRoom      = nodesPerCall*soa.Fan + 16
	packetsPerCall = 512
)

// reserve makes room for the entries that one call can append.
func reserve(w *asm.VolumeWalk) {
	w.Queue = slices.Grow(w.Queue, nodesRoom)
	w.Packets = slices.Grow(w.Packets, nodesRoom)
	w.Inside = slices.Grow(w.Inside, nodesRoom)
}

// most returns the number of packets that a call may test, at most bound. Packets of a convex
// volume cost up to five times as much as others.
func (v *Volume) most(bound int) int {
	if v.Shape == ShapeConvex {
		return bound / 4
	}
	return bound
}

// Nodes is the nodes kernel of a volume walk (frustum culling and range queries). It tests the
// children of up to 64 queued nodes and appends to the three lists of w. Call it until w is done.
// The order of the lists is the order of the queue, then of the lanes. It allocates only while the
// lists grow. It panics if the shape is unknown or a convex volume was not set.
//
//go:noinline
func (v *Volume) Nodes(w *asm.VolumeWalk, nodes []soa.Node, filter *asm.NodeFilter) {
	v.check()
	if w.Done() {
		return
	}
	reserve(w)
	volumeNodes(w, nodes, v, filter, lane.Allowed(w.Budget, nodesPerCall))
}

// Whole runs a short volume walk in one call. It does the work of [Volume.Nodes] and, if that ends
// the walk, of [Volume.AppendIDs] for all listed packets, with the volume in registers. If done,
// dst has the complete result.
//
// It is not done, and dst is unchanged, in the following cases:
//
//   - the walk has more nodes, or has used up its budget;
//   - a child is contained in the volume;
//   - there are more packets than most, or than dst has room for;
//   - the tier has no such kernel for the shape.
//
// Continue the walk with Nodes then. Whole panics as [Volume.Nodes] does.
func (v *Volume) Whole(dst []uint32, w *asm.VolumeWalk, s *soa.Store, filter *asm.NodeFilter, most int) (to []uint32, done bool) {
	v.check()
	if w.Done() || cap(dst)-len(dst) < soa.Lanes {
		return dst, false
	}
	reserve(w)
	out := dst[len(dst):cap(dst)]
	tested, wrote := volumeWhole(w, s, v, filter, lane.Allowed(w.Budget, nodesPerCall), &s.Packets.IDs[0][0], &out[0], len(out), min(most, packetsPerCall))
	if tested < len(w.Packets) {
		return dst, false
	}
	return dst[:len(dst)+wrote], true
}

// CountWhole counts the IDs that [Volume.Whole] would append, without reading IDs. If done, n is
// the number of lanes hit in the listed packets. It stops when n is at least enough. Contained
// references are listed and not counted.
//
// It is not done if the walk has more nodes, if there are more packets than most, or if the tier
// has no such kernel for the shape. Continue the walk with Nodes then. CountWhole panics as
// [Volume.Nodes] does.
func (v *Volume) CountWhole(w *asm.VolumeWalk, s *soa.Store, filter *asm.NodeFilter, most, enough int) (n int, done bool) {
	v.check()
	if w.Done() {
		return 0, false
	}
	reserve(w)
	tested, wrote := volumeWhole(w, s, v, filter, lane.Allowed(w.Budget, nodesPerCall), nil, nil, enough, min(most, packetsPerCall))
	if tested < 0 {
		return 0, false
	}
	return wrote, true
}

// Packets tests the packets of the listed slots and appends a hit range for each packet with a hit,
// in the order of the list. It allocates only if out lacks room for a range of each slot. It panics
// as [Volume.Nodes] does.
func (v *Volume) Packets(out []asm.Range, packets []soa.Packet, slots []uint32) []asm.Range {
	v.check()
	out = slices.Grow(out, len(slots))
	for len(slots) > 0 {
		k := min(len(slots), v.most(packetsPerCall))
		out = out[:len(out)+volumePackets(out[len(out):len(out)+k], packets, slots[:k], v)]
		slots = slots[k:]
	}
	return out
}

// AppendIDs appends the IDs of the lanes hit in the packets of the listed slots, in the order of
// the list, lanes ascending. The result is that of [EmitIDs] for the ranges of [Volume.Packets]. If
// the tier has a kernel and dst has room, no ranges are written. Otherwise ranges is used as
// scratch space; its contents are unspecified afterwards, and AppendIDs allocates as these two
// functions do.
func (v *Volume) AppendIDs(dst []uint32, ranges []asm.Range, packets []soa.Packet, ids [][soa.Lanes]uint32, slots []uint32) ([]uint32, []asm.Range) {
	v.check()
	for len(slots) > 0 && cap(dst)-len(dst) >= soa.Lanes {
		k := min(len(slots), v.most(packetsPerCall))
		done, wrote := volumeIDs(dst[len(dst):cap(dst)], packets, ids, slots[:k], v)
		if done == 0 {
			break // no kernel
		}
		dst, slots = dst[:len(dst)+wrote], slots[done:]
	}
	if len(slots) == 0 {
		return dst, ranges
	}
	ranges = v.Packets(ranges[:0], packets, slots)
	return EmitIDs(dst, ids, nil, ranges), ranges
}

// Scan is [Volume.Packets] for the n slots from first on: the linear scan that a tree has to beat.
// It panics if the slots are out of range.
func (v *Volume) Scan(out []asm.Range, packets []soa.Packet, first, n int) []asm.Range {
	v.check()
	if first < 0 || n < 0 || n > len(packets)-first {
		panic(fmt.Sprintf("cull: scan of %d slots from %d over %d packets", n, first, len(packets)))
	}
	out = slices.Grow(out, n)
	for n > 0 {
		k := min(n, v.most(packetsPerCall))
		out = out[:len(out)+volumeScan(out[len(out):len(out)+k], packets[first:][:k], first, v)]
		first, n = first+k, n-k
	}
	return out
}
