package walk

import (
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// ReferenceBox appends the IDs of the objects whose boxes share a point with the query to dst: [Box] in the plainest
// form. A node has the boxes of up to 16 children, which are nodes or packets; a packet has the boxes of up to 16
// objects. All that the walks of this package add is speed.
func ReferenceBox(dst []uint32, s *soa.Store, query *soa.AABB) []uint32 {
	stack := roots(s)
	for len(stack) > 0 {
		ref := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := ref.Index()
		for lane, box := range boxesOf(s, ref) {
			switch {
			case !box.Overlaps(*query):
			case ref.IsPacket():
				dst = append(dst, s.Packets.IDs[at][lane])
			default:
				stack = append(stack, s.Nodes.Hot[at].Child[lane])
			}
		}
	}
	return dst
}

// ReferenceRay returns the ID and the entry time of the first box that a ray hits, the smallest ID of equal ones:
// [Sweep.FirstID] in the plainest form. A child that the ray enters after the best hit so far is not visited.
func ReferenceRay(s *soa.Store, r *trace.Ray) (id uint32, time float32, ok bool) {
	stack := roots(s)
	for len(stack) > 0 {
		ref := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		at := ref.Index()
		for lane, box := range boxesOf(s, ref) {
			t, hit := enter(r, &box)
			switch {
			case !hit || ok && t > time:
			case !ref.IsPacket():
				stack = append(stack, s.Nodes.Hot[at].Child[lane])
			case !ok || t < time || s.Packets.IDs[at][lane] < id:
				id, time, ok = s.Packets.IDs[at][lane], t, true
			}
		}
	}
	return id, time, ok
}

// roots returns the pending packets, which are below no node, and the root on top, if there is one.
func roots(s *soa.Store) (stack []soa.Ref) {
	for _, slot := range s.Pending {
		stack = append(stack, soa.PacketRef(slot))
	}
	if len(s.Nodes.Hot) > 0 {
		stack = append(stack, 0)
	}
	return stack
}

// boxesOf returns the boxes of the children of a node, or of the objects of a packet.
func boxesOf(s *soa.Store, ref soa.Ref) (boxes []soa.AABB) {
	at, b, n := ref.Index(), &soa.Packet{}, uint8(0)
	if ref.IsPacket() {
		b, n = &s.Packets.Bounds[at], s.Packets.Counts[at]
	} else {
		b, n = &s.Nodes.Hot[at].Bounds, s.Nodes.Used[at]
	}
	for l := range n {
		boxes = append(boxes, soa.AABB{
			Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
			Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
		})
	}
	return boxes
}

// enter returns the time at which a ray enters a box: the latest of the times at which it crosses the three faces in
// front, unless it has left through a face behind before.
func enter(r *trace.Ray, box *soa.AABB) (t float32, ok bool) {
	end := r.Max
	for a := range 3 {
		front, back := box.Min[a], box.Max[a]
		if r.Off[a]&64 != 0 { // it comes from above
			front, back = back, front
		}
		if in := (front - r.Near[a]) * r.InvNear[a]; in > t { // not if it is NaN
			t = in
		}
		if out := (back - r.Far[a]) * r.InvFar[a]; out < end {
			end = out
		}
	}
	return t, t <= end
}
