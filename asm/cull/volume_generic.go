package cull

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func volumeNodesGo(w *asm.VolumeWalk, nodes []soa.Node, v *Volume, filter *asm.NodeFilter, budget int) {
	kind, rows := v.kind(), v.rows()
	for ; budget > 0 && w.Head < len(w.Queue); budget-- {
		n := &nodes[w.Queue[w.Head]]
		w.Head++
		var hit, in uint32 // children that v intersects, and children that it contains
		switch kind {
		case ShapeFrustum:
			hit, in = frustumNodeMasks(n, &v.Planes)
		case ShapeBox:
			hit, in = boxNodeMasks(n, &v.Box)
		case ShapeSphere:
			hit, in = sphereNodeMasks(n, &v.Sphere)
		case ShapeConvex:
			hit, in = convexNodeMasks(n, &v.Convex)
		default:
			hit, in = farNodeMasks(n, &rows)
		}
		sort(w, n, hit, in, filter)
	}
}

// sort appends the children of n that were hit to the three lists.
func sort(w *asm.VolumeWalk, n *soa.Node, hit, in uint32, filter *asm.NodeFilter) {
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

func volumePacketsGo(out []asm.Range, packets []soa.Packet, slots []uint32, v *Volume) (n int) {
	return volumeHitsGo(out, packets, slots, 0, len(slots), v)
}

func volumeScanGo(out []asm.Range, packets []soa.Packet, first int, v *Volume) (n int) {
	return volumeHitsGo(out, packets, nil, first, len(packets), v)
}

// volumeHitsGo tests the packets of n slots: the listed ones, or, if slots is nil, all packets, of
// which the first has the slot first.
func volumeHitsGo(out []asm.Range, packets []soa.Packet, slots []uint32, first, n int, v *Volume) (written int) {
	kind, rows := v.kind(), v.rows()
	for i := range n {
		at := uint32(i)
		if slots != nil {
			at = slots[i]
		}
		b := &packets[at]
		var hit uint32
		switch kind {
		case ShapeFrustum:
			hit = frustumMask(b, &v.Planes)
		case ShapeBox:
			hit = lane.BoxMask(b, (*[6]float32)(&v.Box))
		case ShapeSphere:
			hit = sphereMask(b, &v.Sphere)
		case ShapeConvex:
			hit = convexMask(b, &v.Convex)
		default:
			hit = farMask(b, &rows)
		}
		if hit != 0 {
			out[written] = asm.Range{First: uint32(first) + at, N: asm.RangeHit | hit}
			written++
		}
	}
	return written
}
