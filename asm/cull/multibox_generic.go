package cull

import (
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func multiBoxNodesGo(w *BoxesWalk, nodes []soa.Node, most int) {
	head, end := 0, w.N
	for head < end {
		for i := range w.N {
			first, stop := end, int(w.ends[i])
			for head < stop {
				if w.left[i] >= 0 && !w.sort(i, &nodes[w.queue[head]], &end, min(first+int(w.left[i]), most)) {
					w.left[i], end = -1, first
				}
				head++
			}
			if w.left[i] >= 0 {
				w.left[i] -= int32(end - first)
			}
			w.ends[i] = uint32(end)
		}
	}
}

// sort appends the children of n that box i intersects to its lists. It returns false if they
// exceed a limit; limit is the maximum end of the queue.
func (w *BoxesWalk) sort(i int, n *soa.Node, end *int, limit int) bool {
	hit, in := boxNodeMasks(n, &w.Boxes[i])
	for ; hit != 0; hit &= hit - 1 {
		lane := bits.TrailingZeros32(hit) & (soa.Fan - 1)
		ref := n.Child[lane]
		switch ref &= soa.RefPacket | soa.RefIndex; {
		case in>>lane&1 != 0:
			w.inside[i][w.within[i]] = ref
			w.within[i]++
		case ref.IsPacket():
			w.slots[i][w.border[i]] = ref.Index()
			w.border[i]++
		default:
			w.queue[*end] = ref.Index()
			*end++
		}
	}
	return w.border[i] <= multiBoxPacketLimit && w.within[i] <= multiBoxInsideLimit && *end <= limit
}

func multiBoxPacketsGo(e *seeking) {
	slots, ids := unsafe.Slice(e.slots, e.listed), unsafe.Slice(e.ids, e.room)
	boxes, ends, sums := unsafe.Slice(e.box, e.n), unsafe.Slice(e.end, e.n), unsafe.Slice(e.sum, e.n)
	for i := range boxes {
		for ; e.at < int(ends[i]); e.at++ {
			slot := int(slots[e.at] &^ whole)
			column := lane.At(e.columns, slot)
			if slots[e.at]&whole != 0 {
				e.wrote += copy(ids[e.wrote:], column[:*lane.At(e.counts, slot)])
				continue
			}
			for m := lane.BoxMask(lane.At(e.packets, slot), (*[6]float32)(&boxes[i])); m != 0; m &= m - 1 {
				ids[e.wrote] = column[bits.TrailingZeros32(m)&(soa.Lanes-1)]
				e.wrote++
			}
		}
		sums[i] = uint32(e.wrote)
	}
	e.n = 0
}
