package asm

import "math/bits"

func pairNodesGo(w *PairWalk, budget int) {
	for ; budget > 0 && len(w.Tasks) > 0; budget-- {
		t := w.Tasks[len(w.Tasks)-1]
		w.Tasks = w.Tasks[:len(w.Tasks)-1]
		x, y := &w.X.Nodes[t.X], &w.Y.Nodes[t.Y]
		wanted, moving, packets := w.lanes(y)
		wanted &= t.Lanes >> 8
		from, movers, _ := w.lanes(x)
		for from &= t.Lanes & 0xff; from != 0; from &= from - 1 {
			i := bits.TrailingZeros32(from) & (Fan - 1)
			hit := wanted
			if w.Self != 0 && t.X == t.Y {
				hit &= 0xff << i
			}
			if movers>>i&1 == 0 {
				hit &= moving
			}
			for a := 0; a < 6 && hit != 0; a += 2 {
				m, _ := boxMask8(&y.Bounds[a], &y.Bounds[a+1], x.Bounds[a][i], x.Bounds[a+1][i])
				hit &= m
			}
			w.sort(t, i, x.Child[i], y, hit, packets)
		}
	}
}

// lanes returns the lanes of a node that the sift wants, those that may be
// paired with a static lane, and those that are packets.
func (w *PairWalk) lanes(n *Node) (wanted, moving, packets uint32) {
	for l, ref := range n.Child {
		wanted |= (bit(ref&w.Sift.Flags != 0) & (bit(w.Sift.Mask == 0) | bit(n.Mask[l]&w.Sift.Mask != 0))) << l
		moving |= bit(ref&RefMoving != 0) << l
		packets |= bit(ref&RefPacket != 0) << l
	}
	return wanted, moving | w.Every, packets
}

// sort puts the lanes of y that overlap lane i of a task's X where they belong.
func (w *PairWalk) sort(t PairTask, i int, ref uint32, y *Node, hit, packets uint32) {
	task := PairTask{X: t.X, Lanes: 1<<i | 0xff00}
	if p := hit & packets; ref&RefPacket == 0 {
		task = PairTask{X: ref & RefIndex, Lanes: 0xffff}
		if p != 0 {
			w.Tasks = append(w.Tasks, PairTask{X: task.X, Y: t.Y, Lanes: 0xff | p<<8})
		}
	} else if p != 0 {
		w.Rows = append(w.Rows, PairRow{A: t.X<<3 | uint32(i), B: t.Y, Mask: p})
	}
	for m := hit &^ packets; m != 0; m &= m - 1 {
		task.Y = y.Child[bits.TrailingZeros32(m)&(Fan-1)] & RefIndex
		w.Tasks = append(w.Tasks, task)
	}
}

func pairPacketsGo(w *PairWalk, n, budget int) {
	for ; n > 0; n-- {
		r := &w.Rows[w.Head]
		x, y := &w.X.Nodes[r.A>>3], &w.Y.Nodes[r.B]
		slot := x.Child[r.A&(Fan-1)] & RefIndex
		for ; r.Mask != 0; r.Mask &= r.Mask - 1 {
			if budget--; budget < 0 {
				return
			}
			w.meet(slot, y, bits.TrailingZeros32(r.Mask)&(Fan-1))
		}
		w.Head++
	}
}

// meet tests a packet of X against the packet in a lane of a node of Y: the
// objects of the one that reach the box of the other, one by one.
func (w *PairWalk) meet(slot uint32, y *Node, lane int) {
	b, other := &y.Bounds, y.Child[lane]&RefIndex
	p, q := &w.X.Packets[slot], &w.Y.Packets[other]
	reach := boxMask(p, &Box{b[0][lane], b[1][lane], b[2][lane], b[3][lane], b[4][lane], b[5][lane]})
	self := w.Self != 0 && slot == other
	movers, moving := uint32(w.X.Moving[slot])|w.Every, uint32(w.Y.Moving[other])|w.Every
	for reach != 0 {
		l := bits.TrailingZeros32(reach) & (Lanes - 1)
		reach &= reach - 1
		hit := boxMask(q, &Box{p[0][l], p[1][l], p[2][l], p[3][l], p[4][l], p[5][l]})
		if self {
			hit &= reach
		}
		if movers>>l&1 == 0 {
			hit &= moving
		}
		if hit != 0 {
			w.Hits = append(w.Hits, PairRow{A: slot<<4 | uint32(l), B: other, Mask: hit})
		}
	}
}
