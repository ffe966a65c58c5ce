package cull

import (
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Size is a level-of-detail filter: it excludes boxes that are small for their depth, that is small
// on the screen. Let c be the corner of a box that is lowest along a row. A box from lo to hi is
// small if
//
//	max(kx*(hix-lox), ky*(hiy-loy), kz*(hiz-loz)) < Least * depth(c)    and    near(c) > 0
//	row(c) = ((nx*cx + ny*cy) + nz*cz) + d
//
// in float32, each difference, product and sum rounded separately. A box that the near plane cuts,
// near(c) <= 0, is never small. The zero value excludes nothing.
//
// Each step is monotone in each of its numbers, and none can be NaN for finite boxes. So a box that
// contains a box that is not small is not small itself: the edges of the inner box are no longer,
// its lowest corners no lower.
type Size struct {
	Depth [4]float32 // nx, ny, nz, d
	Near  [4]float32
	Scale [3]float32 // k
	Least float32
	off   [2][4]uint32 // of the columns that hold c, by row and axis
}

// Kernels use the offsets of the fields of Size, each of whole words.
var _ [0]struct{} = [unsafe.Sizeof(Size{}) - 80]struct{}{}

// Set prepares a Size. The components of both normals must be at most 1, the components of scale
// above 0 and all numbers finite.
func (z *Size) Set(depth, near *[4]float32, scale *[3]float32, least float32) {
	z.Depth, z.Near, z.Scale, z.Least = *depth, *near, *scale, least
	for i, row := range [2]*[4]float32{depth, near} {
		for a := range 3 {
			z.off[i][a] = uint32(a)*128 + math.Float32bits(row[a])>>31*64
		}
	}
}

// sizePerCall is the maximum number of packets tested in one call.
const sizePerCall = 64

// On reports whether the filter excludes anything.
func (z *Size) On() bool { return z.Least > 0 }

// Large returns the lanes of m, of a packet or of the bounds of a node, whose boxes are not small.
func (z *Size) Large(b *soa.Packet, m uint32) uint32 {
	var small uint16
	sizeSmall(&small, b, 1, z)
	return m &^ uint32(small)
}

// Prune removes small boxes from the entries that a nodes kernel has appended to its lists, which
// are exactly the given slices. visited has the nodes that the kernel took from the queue. The
// first done entries of queue have been visited already and are kept. An entry may have
// [InsideFlag]. Prune returns the lengths of the remaining lists.
func (z *Size) Prune(nodes []soa.Node, visited, queue []uint32, done int, packets []uint32, inside []soa.Ref) (q, p, in int) {
	var nq, np, nin int // entries processed
	for _, at := range visited {
		n := &nodes[at&^InsideFlag]
		keep := z.Large(&n.Bounds, 1<<soa.Fan-1)
		for l, ref := range n.Child {
			// The lists have the children in this order, each once.
			k := int(keep >> l & 1)
			ref &= soa.RefPacket | soa.RefIndex
			index := ref.Index()
			switch {
			case nin < len(inside) && inside[nin] == ref:
				inside[in] = ref
				nin, in = nin+1, in+k
			case ref.IsPacket():
				if np < len(packets) && packets[np]&^InsideFlag == index {
					packets[p] = packets[np]
					np, p = np+1, p+k
				}
			case nq < len(queue) && queue[nq]&^InsideFlag == index:
				if nq < done {
					k = 1
				}
				queue[q] = queue[nq]
				nq, q = nq+1, q+k
			}
		}
	}
	return q, p, in
}

// PruneWalk removes small boxes from the lists of w after a call of [Volume.Nodes]; head, queue,
// packets and inside are the head and the lengths of the lists before the call.
func (z *Size) PruneWalk(w *asm.VolumeWalk, nodes []soa.Node, head, queue, packets, inside int) {
	q, p, in := z.Prune(nodes, w.Queue[head:w.Head], w.Queue[queue:], w.Head-queue, w.Packets[packets:], w.Inside[inside:])
	w.Queue, w.Packets, w.Inside = w.Queue[:queue+q], w.Packets[:packets+p], w.Inside[:inside+in]
}

// AppendRanges appends the boxes of ranges that are not small, as hit ranges.
func (z *Size) AppendRanges(out, ranges []asm.Range, p *soa.PacketColumns) []asm.Range {
	var small [sizePerCall]uint16
	for _, r := range ranges {
		if r.N&asm.RangeHit != 0 {
			if m := z.Large(&p.Bounds[r.First], r.N&0xffff); m != 0 {
				out = append(out, asm.Range{First: r.First, N: asm.RangeHit | m})
			}
			continue
		}
		for slot, end := r.First, r.First+r.N; slot < end; {
			n := min(end-slot, sizePerCall)
			sizeSmall(&small[0], &p.Bounds[slot : slot+n][0], int(n), z)
			for i := range n {
				if m := (uint32(1)<<p.Counts[slot+i] - 1) &^ uint32(small[i]); m != 0 {
					out = append(out, asm.Range{First: slot + i, N: asm.RangeHit | m})
				}
			}
			slot += n
		}
	}
	return out
}

// Holds reports whether a box is not small.
func (z *Size) Holds(b *soa.AABB) bool {
	var one soa.Packet
	for a := range 3 {
		one[2*a][0], one[2*a+1][0] = b.Min[a], b.Max[a]
	}
	return z.Large(&one, 1) != 0
}
