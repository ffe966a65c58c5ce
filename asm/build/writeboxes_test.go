package build_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// written is columns of packets and their ancestors, before and after boxes are written.
type written struct {
	p     soa.PacketColumns
	nodes []soa.Node
	index []kernel.IDRow
}

// randomWritten returns n packets with owners, some of them pending, stay boxes that the packet leaves or does not,
// by little, and an index that names boxes and others.
func randomWritten(t testing.TB, r *rand.Rand, at kernel.Place, n, boxes int) (w written) {
	w.p.Bounds, w.p.Counts = kernel.Room[soa.Packet](t, at, n), kernel.Room[uint8](t, at, n)
	w.p.Parents, w.p.PlacementBoxes = kernel.Room[soa.Up](t, at, n), kernel.Room[soa.AABB](t, at, n)
	w.nodes, w.index = kernel.Room[soa.Node](t, at, n/soa.Fan+1), kernel.Room[kernel.IDRow](t, at, n)
	lanes := r.Perm(len(w.nodes) * soa.Fan)
	for i := range w.nodes {
		for c := range w.nodes[i].Bounds {
			for l := range soa.Fan {
				w.nodes[i].Bounds[c][l] = 7
			}
		}
		w.nodes[i].Mask[3], w.nodes[i].Child[4] = 5, 6
	}
	for i := range n {
		w.p.Bounds[i] = soa.EmptyNode.Bounds
		w.p.Counts[i] = uint8(r.IntN(soa.Lanes + 1))
		if r.IntN(4) == 0 {
			w.p.Counts[i] = soa.Lanes
		}
		for l := range int(w.p.Counts[i]) {
			b := writtenBox(r)
			w.p.SetBox(uint32(i), l, &b)
		}
		w.p.Parents[i] = soa.Up(lanes[i])
		if r.IntN(6) == 0 {
			w.p.Parents[i] = soa.NoParent
		}
		all := r.IntN(3) == 0
		for l := range soa.Lanes {
			switch k := r.IntN(6); {
			case k == 0 && !all:
				w.index[i][l] = ^uint32(0)
			case k == 1 && !all:
				w.index[i][l] = uint32(boxes) + uint32(r.IntN(2))*r.Uint32()/2
			default:
				w.index[i][l] = uint32(r.IntN(max(boxes, 1)))
			}
		}
	}
	return w
}

// writtenBox returns a box with zeros of both signs.
func writtenBox(r *rand.Rand) (b soa.AABB) {
	for a := range 3 {
		lo := float32(r.IntN(5)-2) * 0.5
		if lo == 0 && r.IntN(2) == 0 {
			lo = float32(math.Copysign(0, -1))
		}
		b.Min[a], b.Max[a] = lo, lo
		if r.IntN(3) > 0 {
			b.Max[a] = lo + r.Float32()
		}
	}
	return b
}

// placement returns a stay box that holds a tight box, or lacks a little on one side.
func (w *written) placement(r *rand.Rand, tight soa.AABB) (placement soa.AABB, away bool) {
	placement = tight
	if r.IntN(3) == 0 || tight == soa.Empty() {
		return placement, false
	}
	a := r.IntN(3)
	down, up := float32(math.Inf(-1)), float32(math.Inf(1))
	switch r.IntN(4) {
	case 0:
		placement.Min[a] = math.Nextafter32(placement.Min[a], up)
		return placement, true
	case 1:
		placement.Max[a] = math.Nextafter32(placement.Max[a], down)
		return placement, true
	case 2:
		return soa.Empty(), true
	}
	placement.Min[a], placement.Max[2-a] = math.Nextafter32(placement.Min[a], down), math.Nextafter32(placement.Max[2-a], up)
	return placement, false
}

// WriteBoxes writes live lanes with a number below that of the boxes. The bounds of the lanes above are those of the
// packets, and a bit marks the objects that left their stay boxes. All else stays, and nothing else is read or
// written.
func TestWriteBoxes(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(build.WritePackets), func(t *testing.T, at kernel.Place, n int) {
			if n > build.WritePackets {
				return
			}
			for _, many := range []int{0, 1, 7, 500} {
				for _, inOrder := range []bool{false, true} {
					checkWriteBoxes(t, testkit.Rand(uint64(n*1000+many)), at, n, many, inOrder)
				}
			}
		})
	})
}

func checkWriteBoxes(t *testing.T, r *rand.Rand, at kernel.Place, n, many int, inOrder bool) {
	t.Helper()
	w := randomWritten(t, r, at, n, many)
	live := 0
	for _, k := range w.p.Counts {
		live += int(k)
	}
	if inOrder && many == 500 {
		many = live // all
	}
	boxes := kernel.Room[float32](t, at, 6*many)
	for i := 0; i < len(boxes); i += 6 {
		b := writtenBox(r)
		copy(boxes[i:], soa.BoxWords([]soa.AABB{b}))
	}
	want, nodes := slices.Clone(w.p.Bounds), slices.Clone(w.nodes)
	var wrote, away uint64
	next := 0
	for i := range want {
		tight := soa.Empty()
		for l := range int(w.p.Counts[i]) {
			k := uint64(w.index[i][l])
			if inOrder {
				k = uint64(next)
				next++
			}
			if k < uint64(many) {
				wrote |= 1 << i
				for a := range 3 {
					want[i][2*a][l], want[i][2*a+1][l] = boxes[6*k+uint64(a)], boxes[6*k+3+uint64(a)]
				}
			}
			for a := range 3 {
				tight.Min[a], tight.Max[a] = min(tight.Min[a], want[i][2*a][l]), max(tight.Max[a], want[i][2*a+1][l])
			}
		}
		var left bool
		w.p.PlacementBoxes[i], left = w.placement(r, tight)
		up := w.p.Parents[i]
		if up == soa.NoParent {
			continue
		}
		if left {
			away |= 1 << i
		}
		for a := range 3 {
			b := &nodes[up.Node()].Bounds
			b[2*a][up.Lane()], b[2*a+1][up.Lane()] = tight.Min[a]+0, tight.Max[a]+0
		}
	}
	index := w.index
	if inOrder {
		index = nil
	}
	gotWrote, gotAway := build.WriteBoxes(&w.p, w.nodes, 0, n, index, boxes)
	if gotWrote != wrote || gotAway != away {
		t.Errorf("%d boxes, in order %v: written %b, away %b, want %b, %b", many, inOrder, gotWrote, gotAway, wrote, away)
	}
	if i, same := kernel.SameBits(w.p.Bounds, want); !same {
		t.Errorf("%d boxes, in order %v: packet %d is %v, want %v", many, inOrder, i, w.p.Bounds[i], want[i])
	}
	if i, same := kernel.SameBits(w.nodes, nodes); !same {
		t.Errorf("%d boxes, in order %v: node %d is %v, want %v", many, inOrder, i, w.nodes[i], nodes[i])
	}
}

// Slots in the middle of columns are written, and no others.
func TestWriteBoxesWithin(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		r := testkit.Rand(1)
		w := randomWritten(t, r, kernel.Tail, 200, 50)
		before := slices.Clone(w.p.Bounds)
		boxes := make([]float32, 6*50)
		written, _ := build.WriteBoxes(&w.p, w.nodes, 70, 60, w.index[70:], boxes)
		if written == 0 || written >= 1<<60 {
			t.Errorf("written %b", written)
		}
		for i := range before {
			inside := i >= 70 && i < 130 && written>>(i-70)&1 != 0
			if _, same := kernel.SameBits(w.p.Bounds[i:i+1], before[i:i+1]); same == inside {
				t.Errorf("slot %d: the same %v", i, same)
			}
		}
	})
}

// Short columns, and too many slots, are misuse.
func TestWriteBoxesPanics(t *testing.T) {
	for _, n := range [][]int{{4, 3, 4, 4, 0, 4}, {4, 4, 3, 4, 0, 4}, {4, 4, 4, 3, 0, 4}, {3, 4, 4, 4, 0, 4}, {4, 4, 4, 4, 1, 4}, {4, 4, 4, 4, -1, 4}, {90, 90, 90, 90, 0, 65}, {4, 4, 4, 4, 0, -1}} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			p := soa.PacketColumns{Bounds: make([]soa.Packet, n[0]), Counts: make([]uint8, n[1]), Parents: make([]soa.Up, n[2]), PlacementBoxes: make([]soa.AABB, n[3])}
			build.WriteBoxes(&p, make([]soa.Node, 1), n[4], n[5], nil, nil)
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a short index: no panic")
		}
	}()
	p := soa.PacketColumns{Bounds: make([]soa.Packet, 4), Counts: make([]uint8, 4), Parents: make([]soa.Up, 4), PlacementBoxes: make([]soa.AABB, 4)}
	build.WriteBoxes(&p, make([]soa.Node, 1), 0, 4, make([]kernel.IDRow, 3), nil)
}
