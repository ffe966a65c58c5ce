package walk

import "github.com/zoctree/zoctree/soa"

// A ball is walked as the box around it, whose corners may contain many boxes that the ball itself
// never hits. When packets give no hit, the nodes on the stack are tested against the ball: after
// 4 such packets, 16, 64 and so on.

// cullDue reports whether the stack is to be culled after idle packets without a hit.
func cullDue(idle int) bool {
	return idle >= 4 && idle&(idle-1) == 0 && idle&0x55555555 != 0
}

// cull removes nodes from the stack that the ball does not hit. The test is the one for objects
// with a larger reach: the addition far exceeds the rounding errors of both tests.
func (c *Cast) cull(s *Sweep, store *soa.Store) {
	w, kept := &c.walk, 0
	for i, ref := range w.Refs {
		if !ref.IsPacket() {
			box := nodeBounds(&store.Nodes.Hot[ref.Index()])
			wide := c.ball
			_, most := wide.reach(&box)
			wide.radius += float64(wide.radius*0x1p-30) + float64(most*0x1p-40)
			if _, ok := wide.firstTime(&box, wide.end); !ok {
				continue
			}
		}
		w.Refs[kept], w.Times[kept] = ref, w.Times[i]
		kept++
	}
	w.Refs, w.Times = w.Refs[:kept], w.Times[:kept]
}

// nodeBounds returns the box of all children of a node.
func nodeBounds(n *soa.Node) soa.AABB {
	box := soa.Empty()
	for a := range 3 {
		lo, hi := box.Min[a], box.Max[a]
		for l := range soa.Fan {
			lo, hi = min(lo, n.Bounds[2*a][l]), max(hi, n.Bounds[2*a+1][l])
		}
		box.Min[a], box.Max[a] = lo, hi
	}
	return box
}
