package build

import (
	"unsafe"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func (w *writeArgs) writeGo() (written, away uint32) {
	boxes := unsafe.Slice(w.boxes, 6*w.limit)
	for i := range w.n {
		p, n := lane.At(w.packets, i), min(int(*lane.At(w.counts, i)), soa.Lanes)
		for l := range n {
			k := w.next + l
			if w.index != nil {
				k = int(lane.At(w.index, i)[l])
			}
			if uint(k) >= uint(w.limit) {
				continue
			}
			b := boxes[6*k:][:6]
			p[soa.MinX][l], p[soa.MinY][l], p[soa.MinZ][l] = b[0], b[1], b[2]
			p[soa.MaxX][l], p[soa.MaxY][l], p[soa.MaxZ][l] = b[3], b[4], b[5]
			written |= 1 << i
		}
		w.next += n
		if up := *lane.At(w.owners, i); up != soa.NoParent {
			tight := setBounds(lane.At(w.nodes, int(up.Node())), up.Lane(), p, n)
			away |= uint32(lane.Bit(!lane.At(w.placements, i).Contains(tight))) << i
		}
	}
	return written, away
}

// setBounds sets the bounds of lane l of a node to the union of n lanes of a packet, and returns
// it.
func setBounds(node *soa.Node, l int, p *soa.Packet, n int) (tight soa.AABB) {
	for a := range 3 {
		lo, hi := inf, -inf
		for i := range n {
			lo, hi = lesser(lo, p[2*a][i]), greater(hi, p[2*a+1][i])
		}
		lo, hi = lo+0, hi+0 // no -0
		node.Bounds[2*a][l], node.Bounds[2*a+1][l] = lo, hi
		tight.Min[a], tight.Max[a] = lo, hi
	}
	return tight
}
