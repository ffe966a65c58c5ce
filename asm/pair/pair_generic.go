package pair

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func pairNodesGo(w *Walk, budget int) {
	for ; budget > 0 && len(w.Tasks) > 0; budget-- {
		t := w.Tasks[len(w.Tasks)-1]
		w.Tasks = w.Tasks[:len(w.Tasks)-1]
		from, movers, leaves := w.lanes(&w.X.Nodes[t.X])
		wanted, moving, packets := w.lanes(&w.Y.Nodes[t.Y])
		from, wanted = from&t.LaneMask, wanted&(t.LaneMask>>16)
		if t.Within != soa.NoParent {
			box := w.widened(laneBox(&w.Y.Nodes[t.Within.Node()], t.Within.Lane()))
			from &= lane.BoxMask(&w.X.Nodes[t.X].Bounds, &box)
		}
		if w.Self == 0 {
			if wanted&moving == 0 {
				from &= movers
			}
			w.test(t.X, t.Y, from, wanted, moving, packets)
			continue
		}
		w.test(t.X, t.Y, from&movers, wanted, moving, packets)
		if t.X != t.Y && from&^movers != 0 {
			w.test(t.Y, t.X, wanted&moving, from&^movers, movers, leaves)
		}
	}
}

// test tests the lanes from of node i of X against the wanted lanes of node j of Y. moving and
// packets are the lanes of j that move and that are packets.
func (w *Walk) test(i, j, from, wanted, moving, packets uint32) {
	x, y := &w.X.Nodes[i], &w.Y.Nodes[j]
	b := &y.Bounds
	if w.Reach > 0 {
		wide := y.Bounds
		for l := range soa.Fan {
			for a, c := range w.widened(laneBox(y, l)) {
				wide[a][l] = c
			}
		}
		b = &wide
	}
	for ; from != 0; from &= from - 1 {
		l := bits.TrailingZeros32(from) & (soa.Fan - 1)
		hit := wanted
		if w.Self != 0 && i == j {
			hit &= 0xffff<<l | ^moving
		}
		if x.Child[l]&soa.RefMoving == 0 {
			hit &= moving
		}
		for a := 0; a < 6 && hit != 0; a += 2 {
			hit &= lane.OverlapMask(&b[a], &b[a+1], x.Bounds[a][l], x.Bounds[a+1][l])
		}
		w.sort(i, j, l, x.Child[l], y, hit, packets)
	}
}

// lanes returns the lanes of a node that pass the filter, the lanes that may be paired with a
// static lane, and the lanes that are packets.
func (w *Walk) lanes(n *soa.Node) (wanted, moving, packets uint32) {
	for l := soa.Fan - 1; l >= 0; l-- {
		ref := n.Child[l]
		wanted = wanted + wanted + lane.Bit(ref&w.Filter.Flags != 0)
		moving = moving + moving + uint32(ref&soa.RefMoving/soa.RefMoving)
		packets = packets + packets + uint32(ref&soa.RefPacket/soa.RefPacket)
	}
	if w.Filter.Mask != 0 {
		wanted &= asm.MaskLanes(&n.Mask, w.Filter.Mask)
	}
	return wanted, moving | w.Every, packets
}

// sort appends tasks and rows for the lanes of y, node j, that overlap lane l of node i.
func (w *Walk) sort(i, j uint32, l int, ref soa.Ref, y *soa.Node, hit, packets uint32) {
	task := Task{X: i, LaneMask: 1<<l | 0xffff<<16}
	if p := hit & packets; !ref.IsPacket() {
		task = Task{X: ref.Index(), LaneMask: 0xffffffff}
		if p != 0 {
			w.Tasks = append(w.Tasks, Task{X: task.X, Y: j, LaneMask: 0xffff | p<<16, Within: soa.NoParent})
		}
	} else {
		for ; p != 0; p &= p - 1 {
			w.Rows = append(w.Rows, Row{A: soa.MakeUp(i, l), B: soa.MakeUp(j, bits.TrailingZeros32(p))})
		}
	}
	for m := hit &^ packets; m != 0; m &= m - 1 {
		k := bits.TrailingZeros32(m) & (soa.Fan - 1)
		task.Y, task.Within = y.Child[k].Index(), soa.MakeUp(j, k)
		w.Tasks = append(w.Tasks, task)
	}
}

func pairPacketsGo(w *Walk, n int) {
	for _, r := range w.Rows[w.Head:][:n] {
		x := &w.X.Nodes[r.A.Node()]
		w.overlapPackets(x.Child[r.A.Lane()].Index(), laneBox(x, r.A.Lane()), &w.Y.Nodes[r.B.Node()], r.B.Lane(), w.Self != 0 && r.A == r.B)
	}
}

func laneBox(n *soa.Node, l int) [6]float32 { return packetBox((*soa.Packet)(&n.Bounds), l) }

// packetBox returns the box in a lane, minx maxx miny maxy minz maxz.
func packetBox(b *soa.Packet, l int) [6]float32 {
	l &= soa.Lanes - 1
	return [6]float32{b[0][l], b[1][l], b[2][l], b[3][l], b[4][l], b[5][l]}
}

// widened returns a box moved outward by Reach, within the range of float32: OverlapMask takes finite bounds.
func (w *Walk) widened(box [6]float32) [6]float32 {
	if w.Reach > 0 {
		for a := 0; a < 6; a += 2 {
			box[a], box[a+1] = max(box[a]-w.Reach, -math.MaxFloat32), min(box[a+1]+w.Reach, math.MaxFloat32)
		}
	}
	return box
}

// overlapPackets tests a packet of X with that box against the packet in a lane of a node of Y, or against
// itself. Only objects that overlap the box of the other packet are tested, one by one.
func (w *Walk) overlapPackets(slot uint32, box [6]float32, y *soa.Node, k int, self bool) {
	other := y.Child[k&(soa.Fan-1)].Index()
	p, q := &w.X.Packets.Bounds[slot], &w.Y.Packets.Bounds[other]
	ybox := laneBox(y, k)
	wide := w.widened(ybox)
	reach := reachMask(p, &box, &wide)
	if reach == 0 {
		return
	}
	wide = w.widened(box)
	overlap := reachMask(q, &ybox, &wide)
	movers, moving := uint32(w.X.Packets.Moving[slot])|w.Every, uint32(w.Y.Packets.Moving[other])|w.Every
	if moving == 0 {
		reach &= movers
	}
	hits, n := w.Hits[:cap(w.Hits)], len(w.Hits)
	for reach != 0 {
		l := bits.TrailingZeros32(reach) & (soa.Lanes - 1)
		reach &= reach - 1
		from := overlap
		if self {
			from &= reach
		}
		if movers>>l&1 == 0 {
			from &= moving
		}
		object := w.widened(packetBox(p, l))
		hit := overlapLane(q, from, &object)
		hits[n] = Hit{A: soa.MakeLocation(slot, l), B: other, Mask: hit}
		n += int(lane.Bit(hit != 0)) // without a hit the next one overwrites it
	}
	w.Hits = hits[:n]
}

// reachMask returns the lanes of a packet, whose box is given, that overlap another box. An axis on
// which the other box contains the first needs no test.
func reachMask(b *soa.Packet, box, other *[6]float32) uint32 {
	m := lane.LiveMask(b)
	for a := 0; a < len(box) && m != 0; a += 2 {
		if box[a] < other[a] || box[a+1] > other[a+1] {
			m &= lane.OverlapMask(&b[a], &b[a+1], other[a], other[a+1])
		}
	}
	return m
}

// overlapLane returns the lanes from of q that overlap a box.
func overlapLane(q *soa.Packet, from uint32, box *[6]float32) (hit uint32) {
	minx, maxx := lane.SignedZeros(box[soa.MinX], box[soa.MaxX])
	miny, maxy := lane.SignedZeros(box[soa.MinY], box[soa.MaxY])
	minz, maxz := lane.SignedZeros(box[soa.MinZ], box[soa.MaxZ])
	for ; from != 0; from &= from - 1 {
		k := bits.TrailingZeros32(from) & (soa.Lanes - 1)
		miss := lane.Apart(q[soa.MinX][k], q[soa.MaxX][k], minx, maxx) |
			lane.Apart(q[soa.MinY][k], q[soa.MaxY][k], miny, maxy) |
			lane.Apart(q[soa.MinZ][k], q[soa.MaxZ][k], minz, maxz)
		hit |= (miss>>31 ^ 1) << k
	}
	return hit
}

func pairObjectsGo(w *Walk, n int) {
	for _, r := range w.Rows[w.Head:][:n] {
		x := &w.X.Nodes[r.A.Node()]
		ref, box := x.Child[r.A.Lane()], w.widened(laneBox(x, r.A.Lane()))
		slot := w.Y.Nodes[r.B.Node()].Child[r.B.Lane()].Index()
		hit := lane.BoxMask(&w.Y.Packets.Bounds[slot], &box)
		if ref&soa.RefMoving == 0 {
			hit &= uint32(w.Y.Packets.Moving[slot]) | w.Every
		}
		if hit != 0 {
			w.Hits = append(w.Hits, Hit{A: soa.Location(ref.Index()), B: slot, Mask: hit})
		}
	}
}

func pairEmitGo(e *pairEmitArgs) {
	hits, dst := unsafe.Slice(e.hits, e.n), unsafe.Slice(e.dst, e.room)
	wrote := 0
	e.done = 0
	for i := range hits {
		h := &hits[i]
		if len(dst)-wrote < bits.OnesCount32(h.Mask) {
			break
		}
		id, row := lane.At(e.x, int(h.A.Slot()))[h.A.Lane()], lane.At(e.y, int(h.B))
		for m := h.Mask; m != 0; m &= m - 1 {
			a, b := id, row[bits.TrailingZeros32(m)&(soa.Lanes-1)]
			switch e.order {
			case Swapped:
				a, b = b, a
			case Ascending:
				a, b = min(a, b), max(a, b)
			}
			dst[wrote] = [2]uint32{a, b}
			wrote++
		}
		e.done++
	}
	e.wrote = wrote
}
