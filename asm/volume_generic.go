package asm

import (
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// nodeMasks returns the children of n that v meets, and of these those inside.
func (v *Volume) nodeMasks(n *soa.Node) (hit, in uint32) {
	switch v.Shape {
	case ShapeFrustum:
		return frustumNodeMasks(n, &v.Planes)
	case ShapeBox:
		return boxNodeMasks(n, &v.Box)
	case ShapeSphere:
		return sphereNodeMasks(n, &v.Sphere)
	default:
		return convexNodeMasks(n, &v.Convex)
	}
}

// mask returns the boxes of a packet that v meets.
func (v *Volume) mask(b *soa.Packet) uint32 {
	switch v.Shape {
	case ShapeFrustum:
		return frustumMask(b, &v.Planes)
	case ShapeBox:
		return boxMask(b, &v.Box)
	case ShapeSphere:
		return sphereMask(b, &v.Sphere)
	default:
		return convexMask(b, &v.Convex)
	}
}

func volumeNodesGo(w *VolumeWalk, nodes []soa.Node, v *Volume, filter *NodeFilter, budget int) {
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		n := &nodes[w.Queue[w.Head]]
		w.Head++
		hit, in := v.nodeMasks(n)
		w.sort(n, hit, in, filter)
	}
}

// sort appends the children of n that were hit to the list each belongs to.
func (w *VolumeWalk) sort(n *soa.Node, hit, in uint32, filter *NodeFilter) {
	for ; hit != 0; hit &= hit - 1 {
		lane := bits.TrailingZeros32(hit) & (soa.Fan - 1)
		ref := n.Child[lane]
		if ref&filter.Flags == 0 || filter.Mask != 0 && n.Mask[lane]&filter.Mask == 0 {
			continue
		}
		ref &= soa.RefPacket | soa.RefIndex
		switch {
		case in>>lane&1 != 0:
			w.Inside = append(w.Inside, ref)
		case ref.IsPacket():
			w.Packets = append(w.Packets, ref.Index())
		default:
			w.Queue = append(w.Queue, ref.Index())
		}
	}
}

func volumePacketsGo(out []Range, packets []soa.Packet, slots []uint32, v *Volume) (n int) {
	for _, slot := range slots {
		if m := v.mask(&packets[slot]); m != 0 {
			out[n] = Range{slot, RangeHit | m}
			n++
		}
	}
	return n
}

func volumeScanGo(out []Range, packets []soa.Packet, first int, v *Volume) (n int) {
	for i := range packets {
		if m := v.mask(&packets[i]); m != 0 {
			out[n] = Range{uint32(first + i), RangeHit | m}
			n++
		}
	}
	return n
}
