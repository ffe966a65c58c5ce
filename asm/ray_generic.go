package asm

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// rayNextGo is the twin of the walk kernels. What a node has goes on the stack in the
// order of the keys that they sort by: times without their last four bits, then lanes.
func rayNextGo(w *RayWalk, nodes []soa.Node, packets []soa.Packet, budget int) {
	var times [soa.Fan]float32
	w.Mask = 0
	for ; budget > 0 && len(w.Refs) > 0; budget-- {
		top := len(w.Refs) - 1
		ref, t := w.Refs[top], w.Times[top]
		w.Refs, w.Times = w.Refs[:top], w.Times[:top]
		if t > w.Ray.Max {
			continue
		}
		if ref.IsPacket() {
			w.Slot = ref.Index()
			if w.Mask = rayPacket(&packets[w.Slot], &w.Ray, &w.Enter); w.Mask != 0 {
				return
			}
			continue
		}
		n := &nodes[ref.Index()]
		for m := rayNode(n, &w.Ray, &times); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Fan - 1)
			if w.Filter.keeps(n, l) {
				w.put(top, n.Child[l], math.Float32frombits(math.Float32bits(times[l])&^(soa.Fan-1)))
			}
		}
	}
}

// rayFirstGo is the twin of the kernels that find the nearest hit. Between packets it
// walks as the tier does: each is a visit, and what comes before it is no more than
// budget.
func rayFirstGo(w *RayWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	for ; budget > 0 && len(w.Refs) > 0; budget-- {
		if rayNext(w, nodes, packets, min(budget, rayPerCall)); w.Mask == 0 {
			return
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			t := w.Enter[l]
			if t <= w.Zero {
				t = 0
			}
			if t < w.Time || t == w.Time && ids[w.Slot][l] < ids[w.Place.Slot()][w.Place.Lane()] {
				w.Time, w.Place = t, soa.MakePlace(w.Slot, l)
				w.Ray.Max = min(w.Ray.Max, max(t, w.Zero))
			}
		}
	}
}

// put inserts a reference into the part of the stack from base on, which is
// ordered: the earliest time is on top, of equal ones what was put first.
func (w *RayWalk) put(base int, ref soa.Ref, t float32) {
	i := len(w.Refs)
	w.Refs, w.Times = append(w.Refs, ref), append(w.Times, t)
	for ; i > base && w.Times[i-1] <= t; i-- {
		w.Refs[i], w.Times[i] = w.Refs[i-1], w.Times[i-1]
	}
	w.Refs[i], w.Times[i] = ref, t
}

// rayNode tests the children of a node.
func rayNode(n *soa.Node, r *Ray, times *[soa.Fan]float32) (m uint32) {
	x, y, z := r.Off[0]/64, r.Off[1]/64, r.Off[2]/64
	x0, y0, z0 := &n.Bounds[x], &n.Bounds[y], &n.Bounds[z]
	x1, y1, z1 := &n.Bounds[x^1], &n.Bounds[y^1], &n.Bounds[z^1]
	for l := range times {
		t, hit := r.meet(x0[l], y0[l], z0[l], x1[l], y1[l], z1[l])
		times[l] = t
		m |= bit(hit) << l
	}
	return m
}

// rayPacket tests sixteen boxes.
func rayPacket(p *soa.Packet, r *Ray, times *[soa.Lanes]float32) (m uint32) {
	x, y, z := r.Off[0]/64, r.Off[1]/64, r.Off[2]/64
	x0, y0, z0 := &p[x], &p[y], &p[z]
	x1, y1, z1 := &p[x^1], &p[y^1], &p[z^1]
	for l := range times {
		t, hit := r.meet(x0[l], y0[l], z0[l], x1[l], y1[l], z1[l])
		times[l] = t
		m |= bit(hit) << l
	}
	return m
}

// meet is the formula on the facing and the opposite coordinates of one box.
func (r *Ray) meet(x0, y0, z0, x1, y1, z1 float32) (t float32, hit bool) {
	end := r.Max
	if e := (x0 - r.Near[0]) * r.InvNear[0]; e > t {
		t = e
	}
	if e := (y0 - r.Near[1]) * r.InvNear[1]; e > t {
		t = e
	}
	if e := (z0 - r.Near[2]) * r.InvNear[2]; e > t {
		t = e
	}
	if e := (x1 - r.Far[0]) * r.InvFar[0]; e < end {
		end = e
	}
	if e := (y1 - r.Far[1]) * r.InvFar[1]; e < end {
		end = e
	}
	if e := (z1 - r.Far[2]) * r.InvFar[2]; e < end {
		end = e
	}
	return t, t <= end
}

// rayNodesGo tests up to budget queued nodes.
func rayNodesGo(w *RayWalk, nodes []soa.Node, budget int) {
	var times [soa.Fan]float32
	l := &w.Lists
	for ; budget > 0 && !l.Done(); budget-- {
		n := &nodes[soa.Ref(l.Queue[l.Head]).Index()]
		l.Head++
		for m := rayNode(n, &w.Ray, &times); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (soa.Fan - 1)
			switch ref := n.Child[lane]; {
			case !w.Filter.keeps(n, lane):
			case ref.IsPacket():
				l.Packets = append(l.Packets, uint32(ref))
			default:
				l.Queue = append(l.Queue, uint32(ref))
			}
		}
	}
}

// rayPacketsGo lists the hits in the packets.
func rayPacketsGo(w *RayWalk, packets []soa.Packet, slots []uint32) {
	for _, ref := range slots {
		slot := soa.Ref(ref).Index()
		for m := rayPacket(&packets[slot], &w.Ray, &w.Enter); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			w.Places = append(w.Places, soa.MakePlace(slot, l))
			w.At = append(w.At, w.Enter[l])
		}
	}
}

// keeps reports whether something below a child can pass.
func (s *NodeFilter) keeps(n *soa.Node, lane int) bool {
	return n.Child[lane]&s.Flags != 0 && (s.Mask == 0 || n.Mask[lane]&s.Mask != 0)
}
