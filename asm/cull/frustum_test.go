package cull_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// planeRef is the documented test of one plane at a corner of a box: at the
// p-vertex, or with flip 1 at the corner opposite to it.
func planeRef(box *kernel.Columns, plane *[4]float32, flip int) bool {
	var v [3]float32
	for a := range v {
		column := 2*a + 1
		if plane[a] < 0 {
			column = 2 * a
		}
		v[a] = box[column^flip]
	}
	x, y, z := float32(plane[0]*v[0]), float32(plane[1]*v[1]), float32(plane[2]*v[2])
	return float32(float32(x+y)+z)+plane[3] >= 0
}

// frustumRef reports whether a box is hit by all planes, and wholly inside.
func frustumRef(box kernel.Columns, p *cull.Planes) (hit, inside bool) {
	return planesRef(&box, p.Coef[:], p.Wide[:], p.Near, p.Two)
}

// planesRef is the documented test of planes with one bound or two: the wide d
// is for the p-vertex of a box beyond the near box only.
func planesRef(box *kernel.Columns, coef [][4]float32, wide []float32, near cull.Box, two bool) (hit, inside bool) {
	far := false
	for c := 0; c < len(box); c += 2 {
		far = far || !(box[c] >= near[c] && box[c+1] <= near[c+1])
	}
	inside = true
	for i := range coef {
		inside = inside && planeRef(box, &coef[i], 1)
		p := coef[i]
		if two && far {
			p[3] = wide[i]
		}
		if !planeRef(box, &p, 0) {
			return false, false
		}
	}
	return true, inside
}

func sameRanges(t testing.TB, what string, got, want []asm.Range) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: range %d is %#x, want %#x", what, i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d ranges, want %d", what, len(got), len(want))
	}
}

func sameWalk(t testing.TB, got, want *asm.VolumeWalk) {
	t.Helper()
	if got.Head != want.Head {
		t.Fatalf("visited %d nodes, want %d", got.Head, want.Head)
	}
	for _, list := range []struct {
		name      string
		got, want []uint32
	}{
		{"queue", got.Queue, want.Queue}, {"packets", got.Packets, want.Packets},
	} {
		if !slices.Equal(list.got, list.want) {
			t.Fatalf("%s: got %x, want %x", list.name, list.got, list.want)
		}
	}
	if !slices.Equal(got.Inside, want.Inside) {
		t.Fatalf("inside: got %x, want %x", got.Inside, want.Inside)
	}
}

// walkFrom returns a walk that is to test the nodes, with lists in that kind of memory that have exactly the room of
// one call.
func walkFrom(t testing.TB, at kernel.Place, queue []uint32) *asm.VolumeWalk {
	q := kernel.Room[uint32](t, at, len(queue)+cull.NodesRoom)[:len(queue)]
	copy(q, queue)
	return &asm.VolumeWalk{
		Queue:   q,
		Packets: kernel.Room[uint32](t, at, cull.NodesRoom)[:0],
		Inside:  kernel.Room[soa.Ref](t, at, cull.NodesRoom)[:0],
	}
}

// Every combination of special components, on boxes that touch the planes.
func TestFrustumSpecials(t *testing.T) {
	const denormal, most = math.SmallestNonzeroFloat32, math.MaxFloat32
	minus0 := float32(math.Copysign(0, -1))
	normals := []float32{0, minus0, denormal, -denormal, 0.125, -0.2499999, 0x1p-126}
	distances := []float32{0, minus0, denormal, -denormal, 1, -1, most, -most}
	rng := testkit.Rand(testkit.Seed(t))
	var packets []soa.Packet
	var nodes []soa.Node
	for _, kind := range []testkit.BoxKind{testkit.BoxesGrid, testkit.BoxesSpecial} {
		p, _ := kernel.RandomPackets(rng, 3, kind)
		packets = append(packets, p...)
		nodes = append(nodes, kernel.RandomNodes(rng, 1, kind)...)
	}
	testkit.EachTier(t, func(t *testing.T) {
		for i, nx := range normals {
			for j, ny := range normals {
				for l, nz := range normals {
					for k, d := range distances {
						if !testkit.Long(t) && (i+j+l+k)%2 != 0 {
							continue
						}
						raw := [6][4]float32{always, always, always, always, always, always}
						raw[(i+j+k)%6] = [4]float32{nx, ny, nz, d}
						p := bare(raw)
						v := frustumKernels(&p)
						v.check(t, kernel.Heap, packets, kernel.UpTo(len(packets)))
						v.checkWalk(t, kernel.Heap, nodes, kernel.UpTo(len(nodes)), &asm.AllNodes)
					}
				}
			}
		}
	})
}

// A plane without normal holds all boxes or none, and neither it nor an
// infinite product ever finds a free lane.
func TestFrustumFreeLanes(t *testing.T) {
	minus0 := float32(math.Copysign(0, -1))
	everything := []cull.Planes{
		bare([6][4]float32{always, always, always, always, always, always}),
		bare([6][4]float32{{}, {}, {minus0, minus0, minus0, minus0}, {}, {}, {}}),
		bare([6][4]float32{{0.2, 0, 0, math.MaxFloat32}, {-0.2, minus0, 0, math.MaxFloat32}, {0, 0.2, -0.2, math.MaxFloat32}, always, always, always}),
	}
	nothing := bare([6][4]float32{always, always, always, always, always, never})
	testkit.EachTier(t, func(t *testing.T) {
		for live := range soa.Lanes + 1 {
			packets := make([]soa.Packet, 1)
			for l := range soa.Lanes {
				c := kernel.EmptyBox
				if l < live {
					c = kernel.Columns{-1, 1, -2, 2, -3, 3}
				}
				kernel.SetPacketBox(&packets[0], l, c)
			}
			for i := range everything {
				got := frustumKernels(&everything[i]).Scan(nil, packets, 0, 1)
				var want []asm.Range
				if live > 0 {
					want = []asm.Range{{First: 0, N: asm.RangeHit | (1<<live - 1)}}
				}
				sameRanges(t, fmt.Sprintf("%d live lanes, planes %d", live, i), got, want)
			}
			sameRanges(t, "nothing", frustumKernels(&nothing).Scan(nil, packets, 0, 1), nil)
		}
		var node soa.Node
		for l := range soa.Fan {
			kernel.SetNodeBox(&node, l, kernel.EmptyBox)
			node.Child[l] = soa.RefMoving | soa.RefStatic
		}
		for i := range everything {
			w := asm.VolumeWalk{Queue: []uint32{0}}
			frustumKernels(&everything[i]).Nodes(&w, []soa.Node{node}, &asm.AllNodes)
			if len(w.Queue)+len(w.Packets)+len(w.Inside) != 1 {
				t.Errorf("planes %d find free lanes of a node: %v", i, w)
			}
		}
	})
}

// One box in the last lane of the last packet, and in the last lane of a node.
func TestFrustumLastLane(t *testing.T) {
	p := prepared([6][4]float32{{1, 0, 0, -10}, {-1, 0, 0, 20}, always, always, always, always}, [3]float32{20, 20, 20})
	testkit.EachTier(t, func(t *testing.T) {
		for _, n := range kernel.Sizes(cull.PacketsPerCall)[1:] {
			packets := make([]soa.Packet, n)
			for i := range packets {
				for l := range soa.Lanes {
					kernel.SetPacketBox(&packets[i], l, kernel.Columns{0, 1, 0, 1, 0, 1})
				}
			}
			kernel.SetPacketBox(&packets[n-1], soa.Lanes-1, kernel.Columns{5, 15, 0, 1, 0, 1})
			want := []asm.Range{{First: uint32(n - 1), N: asm.RangeHit | 1<<(soa.Lanes-1)}}
			sameRanges(t, "packets", frustumKernels(&p).Packets(nil, packets, kernel.UpTo(n)), want)
			sameRanges(t, "scan", frustumKernels(&p).Scan(nil, packets, 0, n), want)
		}
	})
}
