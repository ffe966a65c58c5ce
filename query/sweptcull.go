package query

import "github.com/zoctree/zoctree/soa"

// The walk of a ball is that of the box around it, in whose corners many boxes may lie that
// the ball itself never gets to. When packets are met in vain, what is on the stack is
// tested against the ball, after 4 of them, 16, 64 and so on.

// cullDue reports whether the stack is to be culled after so many packets in vain.
func cullDue(idle int) bool {
	return idle >= 4 && idle&(idle-1) == 0 && idle&0x55555555 != 0
}

// cull takes nodes off the stack that the ball does not meet, nor anything in them: the test
// is that of the objects with a reach that is larger by far more than both round.
func (c *cast) cull(s *sweep, store *soa.Store) {
	w, kept := &c.walk, 0
	for i, ref := range w.Refs {
		if !ref.IsPacket() {
			box := nodeBounds(&store.Nodes.Hot[ref.Index()])
			wide := c.ball
			_, most := wide.reach(&box)
			wide.radius += float64(wide.radius*0x1p-30) + float64(most*0x1p-40)
			if _, ok := wide.meet(&box, wide.end); !ok {
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
