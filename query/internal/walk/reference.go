package walk

import (
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// visit calls found with the ID of each object whose box passes the test. A node has the boxes of up to 16 children,
// which are nodes or packets; a packet has the boxes of up to 16 objects. No box of a child reaches beyond that of its
// parent: what is below a box that fails is not visited.
func visit(s *soa.Store, test func(box soa.AABB) bool, found func(id uint32)) {
	var stack []soa.Ref
	for _, slot := range s.Pending { // these packets are below no node
		stack = append(stack, soa.PacketRef(slot))
	}
	if len(s.Nodes.Hot) > 0 {
		stack = append(stack, 0) // the root
	}
	for len(stack) > 0 {
		ref := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at := ref.Index(); ref.IsPacket() {
			for lane, id := range s.Packets.IDs[at][:s.Packets.Counts[at]] {
				if test(boxOf(&s.Packets.Bounds[at], lane)) {
					found(id)
				}
			}
		} else {
			for lane, child := range s.Nodes.Hot[at].Child[:s.Nodes.Used[at]] {
				if test(boxOf(&s.Nodes.Hot[at].Bounds, lane)) {
					stack = append(stack, child)
				}
			}
		}
	}
}

func boxOf(b *soa.Packet, l int) soa.AABB {
	return soa.AABB{
		Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
		Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
	}
}

// ReferenceBox appends the IDs of the objects whose boxes share a point with the query to dst: [Box] in the plainest
// form.
func ReferenceBox(dst []uint32, s *soa.Store, query *soa.AABB) []uint32 {
	visit(s, query.Overlaps, func(id uint32) { dst = append(dst, id) })
	return dst
}

// ReferenceRay returns the ID and the entry time of the first box that a ray hits, the smallest ID of equal ones:
// [Sweep.FirstID] in the plainest form. Boxes that the ray enters after the best hit so far fail.
func ReferenceRay(s *soa.Store, r *trace.Ray) (id uint32, time float32, ok bool) {
	var t float32 // of the last box
	visit(s, func(box soa.AABB) (hit bool) {
		t, hit = entry(r, &box)
		return hit && !(ok && t > time)
	}, func(of uint32) {
		if !ok || t < time || of < id {
			id, time, ok = of, t, true
		}
	})
	return id, time, ok
}

// entry returns the time at which a ray enters a box: the latest of the times at which it crosses the three faces in
// front, unless it has left through a face behind before.
func entry(r *trace.Ray, box *soa.AABB) (t float32, ok bool) {
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
