package scene

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/query/internal/forest"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// leafSearch is the search for the pairs of objects of two trees under different transforms. The tree x with fewer
// objects is queried with a box around the other tree y. The boxes of the found objects are moved into the space of y:
// boxes around their images. The kernels of package asm/pair find the objects of y that overlap these boxes, and each
// pair is then tested by itself.
type leafSearch struct {
	found     []soa.Location // of x, by the numbers of the objects in forest
	forest    forest.Tree    // over the images of the found objects
	pending   forest.Tree    // over the pending packets of pendingOf
	pendingOf *soa.Store     // nil: none
	walk      pair.Walk
	a, b      shape
}

// release drops references to trees.
func (l *leafSearch) release() { l.walk.X, l.walk.Y, l.pendingOf = pair.Side{}, pair.Side{}, nil }

// leaves finds the pairs of the own objects of two sides. a and b are the bounds of these objects.
func (w *join) leaves(s, t *pairSide, a, b *soa.AABB, aInT, bInS *relative) {
	x, y := s.view.Objects().Store(), t.view.Objects().Store()
	if y.Count < x.Count {
		s, t, x, y, b, aInT, bInS = t, s, y, x, a, bInS, aInT
	}
	if !w.findNear(x, &bInS.around, aInT, b) {
		return
	}
	l := &w.leaf
	l.forest.Join()
	if l.pendingOf != y {
		l.pending.Build(y)
		l.pendingOf = y
	}
	p := &l.walk
	p.X.Nodes, p.Y.Packets = l.forest.Nodes, &y.Packets
	p.Filter = asm.NodeFilter{Mask: w.flt.Mask, Flags: soa.RefFlags}
	if p.Every = 0; w.flt.StaticPairs {
		p.Every = 0xffff
	}
	if p.Y.Nodes = y.Nodes.Hot; len(p.Y.Nodes) > 0 {
		w.below(s, t, x, y, 0)
	}
	if p.Y.Nodes = l.pending.Nodes; len(p.Y.Nodes) > 0 {
		w.below(s, t, x, y, l.pending.Root())
	}
}

// findNear lists the objects of x in a box whose images under r overlap the bounds of y, and makes leaves of the forest
// of them. It reports whether there are any.
func (w *join) findNear(x *soa.Store, around *soa.AABB, r *relative, bounds *soa.AABB) bool {
	l := &w.leaf
	l.found, l.forest.Nodes = l.found[:0], l.forest.Nodes[:0]
	p, next := &x.Packets, 0
	var box walk.Box
	box.Set(&around.Min, &around.Max)
	query := box.Begin(x)
	for _, packed := range query.Collect(&walk.Filter{Mask: w.flt.Mask}) {
		hits := walk.Unpack(packed)
		for slot := hits.First; slot < hits.First+hits.Count; slot++ {
			for m := lanes(x, slot, hits.Mask); m != 0; m &= m - 1 {
				lane := bits.TrailingZeros16(m) & (soa.Lanes - 1)
				image := r.box(&p.Bounds[slot], lane)
				if !overlap(&image, bounds) {
					continue
				}
				flag := soa.RefStatic
				if p.Moving[slot]>>lane&1 != 0 {
					flag = soa.RefMoving
				}
				l.forest.Add(&next, &image, soa.PacketRef(uint32(len(l.found)))|flag, p.MaskAt(slot, lane))
				l.found = append(l.found, soa.MakeLocation(slot, lane))
			}
		}
	}
	query.Release()
	return len(l.found) > 0
}

// overlap is [soa.AABB.Overlaps] of finite boxes without branches, which would often be mispredicted: the difference of
// two numbers is negative only if the first one is smaller. Adding 0 turns -0 into 0.
func overlap(a, b *soa.AABB) bool {
	x := math.Float32bits(b.Max[0]-a.Min[0]+0) | math.Float32bits(a.Max[0]-b.Min[0]+0)
	y := math.Float32bits(b.Max[1]-a.Min[1]+0) | math.Float32bits(a.Max[1]-b.Min[1]+0)
	z := math.Float32bits(b.Max[2]-a.Min[2]+0) | math.Float32bits(a.Max[2]-b.Min[2]+0)
	return int32(x|y|z) >= 0
}

// leafRows is the number of rows that are gathered before packets are tested.
const leafRows = 256

// below finds the pairs of the found objects of x and the objects below a node of y.
func (w *join) below(s, t *pairSide, x, y *soa.Store, root uint32) {
	l := &w.leaf
	p := &l.walk
	p.Reset(l.forest.Root(), root)
	number := -1
	for {
		for p.Head == 0 && len(p.Tasks) > 0 && len(p.Rows) < leafRows {
			pair.Nodes(p, math.MaxInt)
		}
		if p.Head == len(p.Rows) {
			return
		}
		pair.Objects(p)
		for i := range p.Hits {
			h := &p.Hits[i]
			if int(h.A) != number {
				number = int(h.A)
				at := l.found[number]
				w.set(&l.a, s, &x.Packets, at.Slot(), at.Lane())
			}
			for m := h.Mask; m != 0; m &= m - 1 {
				w.set(&l.b, t, &y.Packets, h.B, bits.TrailingZeros32(m)&(soa.Lanes-1))
				w.pair(s, t, &l.a, &l.b)
			}
		}
	}
}
