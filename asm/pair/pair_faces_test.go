package pair_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// touching returns 16 boxes about the one from 1 to 2 on all axes: the box in the lane touches it with a face, all
// others miss it on that side by the next float32.
func touching(lane, face int) (p soa.Packet) {
	for l := range soa.Lanes {
		box := kernel.Columns{0, 3, 0, 3, 0, 3}
		switch near := l == lane; {
		case face%2 == 0 && near:
			box[face+1] = 1
		case face%2 == 0:
			box[face+1] = math.Nextafter32(1, 0)
		case near:
			box[face-1] = 2
		default:
			box[face-1] = math.Nextafter32(2, 3)
		}
		kernel.SetPacketBox(&p, l, box)
	}
	return p
}

// single returns a packet with the box from 1 to 2 in a lane.
func single(lane int) (p soa.Packet) {
	for l := range soa.Lanes {
		kernel.SetPacketBox(&p, l, kernel.EmptyBox)
	}
	kernel.SetPacketBox(&p, lane, kernel.Columns{1, 2, 1, 2, 1, 2})
	return p
}

// In all lanes and on all faces, a box hits the box that touches it, and none apart from it. Nodes, packets and
// objects have 16 lanes alike, in packet 0 or node 0 of X and of Y; node 1 has the box around them all in each lane,
// which is packet 0.
func TestPairFaces(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		w := &pair.Walk{Filter: asm.AllNodes}
		for face := range 6 {
			for lane := range soa.Lanes {
				beside := sixteen(touching(lane, face))
				for other := range soa.Lanes {
					box := sixteen(single(other))
					w.X, w.Y = box, beside
					checkFaces(t, w, other, lane)
					w.X, w.Y = beside, box
					checkFaces(t, w, lane, other)
				}
			}
		}
	})
}

// checkFaces demands that lane i of X and lane j of Y overlap, and no others.
func checkFaces(t testing.TB, w *pair.Walk, i, j int) {
	t.Helper()
	a, b := soa.MakeUp(0, i), soa.MakeUp(0, j)
	for _, task := range []pair.Task{
		{LaneMask: 0xffffffff, Within: soa.NoParent},
		{LaneMask: 0xffffffff, Within: b},
		{Y: 1, LaneMask: 0xffff | 1<<16, Within: b}, // overlaps all lanes of X, one of them within
	} {
		want := pair.Row{A: a, B: b}
		if task.Y == 1 {
			want.B = soa.MakeUp(1, 0)
		}
		w.Tasks, w.Rows = append(w.Tasks[:0], task), w.Rows[:0]
		if pair.Nodes(w, 1); len(w.Rows) != 1 || w.Rows[0] != want || len(w.Tasks) != 0 {
			t.Fatalf("%v becomes rows %v and tasks %v, want row %v", task, w.Rows, w.Tasks, want)
		}
	}
	want := pair.Hit{A: soa.MakeLocation(0, i), Mask: 1 << j}
	w.Rows = append(w.Rows[:0], pair.Row{A: soa.MakeUp(1, 3), B: soa.MakeUp(1, 5)})
	if pair.Packets(w); len(w.Hits) != 1 || w.Hits[0] != want {
		t.Fatalf("packets: %v, want %v", w.Hits, want)
	}
	want.A = 0 // the number of the object
	w.Rows = append(w.Rows[:0], pair.Row{A: a, B: soa.MakeUp(1, 7)})
	if pair.Objects(w); len(w.Hits) != 1 || w.Hits[0] != want {
		t.Fatalf("objects: %v, want %v", w.Hits, want)
	}
}

// sixteen returns a side whose first node and only packet have these boxes.
func sixteen(p soa.Packet) pair.Side {
	nodes := []soa.Node{{Bounds: p}, {}}
	for l := range soa.Fan {
		nodes[0].Child[l] = soa.PacketRef(0) | soa.RefMoving
		nodes[1].Child[l] = soa.PacketRef(0) | soa.RefMoving
		kernel.SetNodeBox(&nodes[1], l, kernel.Columns{0, 3, 0, 3, 0, 3})
	}
	return pair.Side{Nodes: nodes, Packets: &soa.PacketColumns{Bounds: []soa.Packet{p}, Moving: []uint16{0xffff}}}
}
