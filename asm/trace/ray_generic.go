package trace

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// rayNextGo is the reference of the walk kernels. Children of a node are pushed in the order of the
// sort keys of the kernels: times without their last four bits, then lanes.
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
			if w.Mask = w.Ray.intersect(&packets[w.Slot], &w.Enter); w.Mask != 0 {
				return
			}
			continue
		}
		n := &nodes[ref.Index()]
		for m := w.Ray.intersect(&n.Bounds, &times); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Fan - 1)
			if keeps(&w.Filter, n, l) {
				w.put(top, n.Child[l], math.Float32frombits(math.Float32bits(times[l])&^(soa.Fan-1)))
			}
		}
	}
}

// rayFirstGo is the reference of the kernels that find the first hit. Between packets it walks with
// the code of the tier. Each packet counts as one visit, and the visits before it are at most
// budget.
func rayFirstGo(w *RayWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	for ; budget > 0 && len(w.Refs) > 0; budget-- {
		if rayNext(w, nodes, packets, ids, min(budget, rayPerCall)); w.Mask == 0 {
			return
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			t := w.Enter[l]
			if t <= w.Zero {
				t = 0
			}
			if t < w.Time || t == w.Time && ids[w.Slot][l] < ids[w.Location.Slot()][w.Location.Lane()] {
				w.Time, w.Location = t, soa.MakeLocation(w.Slot, l)
				w.Ray.Max = min(w.Ray.Max, max(t, w.Zero))
			}
		}
	}
}

// Put inserts a reference into the part of the stack from base on, which is ordered: the earliest
// time is on top, of equal ones the first inserted.
func (w *RayWalk) put(base int, ref soa.Ref, t float32) {
	i := len(w.Refs)
	w.Refs, w.Times = append(w.Refs, ref), append(w.Times, t)
	for ; i > base && w.Times[i-1] <= t; i-- {
		w.Refs[i], w.Times[i] = w.Refs[i-1], w.Times[i-1]
	}
	w.Refs[i], w.Times[i] = ref, t
}

// intersect writes the entry times of 16 boxes and returns the lanes that the ray hits. No branch
// depends on a time.
func (r *Ray) intersect(b *soa.Packet, times *[soa.Lanes]float32) uint32 {
	return r.enter(b, times) & r.leave(b, times)
}

// enter writes the entry times of the boxes and returns the lanes entered before the end.
func (r *Ray) enter(b *soa.Packet, times *[soa.Lanes]float32) uint32 {
	x, y, z := &b[r.Off[0]/64], &b[r.Off[1]/64], &b[r.Off[2]/64]
	cx, cy, cz, vx, vy, vz := r.Near[0], r.Near[1], r.Near[2], r.InvNear[0], r.InvNear[1], r.InvNear[2]
	end := uint64(later(lifted, r.Max))
	var late uint64
	for l := soa.Lanes - 1; l >= 0; l-- {
		t := later(later(later(lifted, (x[l]-cx)*vx), (y[l]-cy)*vy), (z[l]-cz)*vz)
		times[l] = math.Float32frombits(t - lifted)
		_, after := bits.Sub64(end, uint64(t), 0)
		late, _ = bits.Add64(late, late, after)
	}
	return uint32(late) ^ 0xffff
}

// leave returns the lanes that are not left before they are entered.
func (r *Ray) leave(b *soa.Packet, times *[soa.Lanes]float32) (miss uint32) {
	x, y, z := &b[r.Off[0]/64^1], &b[r.Off[1]/64^1], &b[r.Off[2]/64^1]
	cx, cy, cz, vx, vy, vz := r.Far[0], r.Far[1], r.Far[2], r.InvFar[0], r.InvFar[1], r.InvFar[2]
	for l := soa.Lanes - 1; l >= 0; l-- {
		t := times[l]
		miss = miss + miss + (lane.Bit((x[l]-cx)*vx < t) | lane.Bit((y[l]-cy)*vy < t) | lane.Bit((z[l]-cz)*vz < t))
	}
	return miss ^ 0xffff
}

// lifted is added to the bits of times before a comparison: nonnegative times are then above all
// negative ones, -0 and NaN.
//
//	+0 ... +Inf   0x807fffff ... 0xffffffff
const lifted = 1<<32 - 0x7f800001

// later returns the later of a time, lifted, and another one.
func later(t uint32, e float32) uint32 { return max(t, math.Float32bits(e)+lifted) }

// rayNodesGo tests up to budget queued nodes.
func rayNodesGo(w *RayWalk, nodes []soa.Node, budget int) {
	var times [soa.Fan]float32
	l := &w.Lists
	for ; budget > 0 && !l.Done(); budget-- {
		n := &nodes[soa.Ref(l.Queue[l.Head]).Index()]
		l.Head++
		for m := w.Ray.intersect(&n.Bounds, &times); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m) & (soa.Fan - 1)
			switch ref := n.Child[lane]; {
			case !keeps(&w.Filter, n, lane):
			case ref.IsPacket():
				l.Packets = append(l.Packets, uint32(ref))
			default:
				l.Queue = append(l.Queue, uint32(ref))
			}
		}
	}
}

// rayPacketsGo appends the hits in the packets.
func rayPacketsGo(w *RayWalk, packets []soa.Packet, slots []uint32) {
	for _, ref := range slots {
		slot := soa.Ref(ref).Index()
		for m := w.Ray.intersect(&packets[slot], &w.Enter); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			w.Locations = append(w.Locations, soa.MakeLocation(slot, l))
			w.At = append(w.At, w.Enter[l])
		}
	}
}

// keeps reports whether an object below a child can pass a filter.
func keeps(s *asm.NodeFilter, n *soa.Node, lane int) bool {
	return n.Child[lane]&s.Flags != 0 && (s.Mask == 0 || n.Mask[lane]&s.Mask != 0)
}
