package build

import (
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func chooseSubtreeGo(refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	for i, ref := range refs {
		if !ref.IsPacket() {
			n := &nodes[ref.Index()]
			refs[i] = n.Child[leastGrowth(&n.Bounds, &boxes[i])&(soa.Fan-1)]
		}
	}
}

// leastGrowth returns the lane that grows least to contain a box; of several, the one with the
// smallest sum of lengths.
func leastGrowth(b *soa.Packet, box *soa.AABB) (least int) {
	var sum, long [soa.Lanes]float32
	for a := range 3 {
		lo, hi := box.Min[a], box.Max[a]
		l, h := &b[2*a], &b[2*a+1]
		for i := range sum {
			sum[i] += max(l[i]-lo, 0) + max(hi-h[i], 0)
			long[i] += lane.Abs(h[i] - l[i])
		}
	}
	for i, x := range sum {
		if x < sum[least] || x == sum[least] && long[i] < long[least] {
			least = i
		}
	}
	return least
}
