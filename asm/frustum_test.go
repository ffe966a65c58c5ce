package asm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// planeRef is the documented test of one plane at a corner of a box: at the
// p-vertex, or with flip 1 at the corner opposite to it.
func planeRef(box *columns, plane *[4]float32, flip int) bool {
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

// frustumRef tells whether a box is hit by all planes, and wholly inside.
func frustumRef(box columns, p *asm.Planes) (hit, inside bool) {
	return planesRef(&box, p.Coef[:], p.Wide[:], p.Near, p.Two)
}

// planesRef is the documented test of planes with one bound or two: the wide d
// is for the p-vertex of a box beyond the near box only.
func planesRef(box *columns, coef [][4]float32, wide []float32, near asm.Box, two bool) (hit, inside bool) {
	far := false
	for c := 0; c < len(box); c += 2 {
		far = far || !(box[c] >= near[c] && box[c+1] <= near[c+1])
	}
	hit, inside = true, true
	for i := range coef {
		p := coef[i]
		inside = inside && planeRef(box, &p, 1)
		if two && far {
			p[3] = wide[i]
		}
		hit = hit && planeRef(box, &p, 0)
	}
	return hit, inside && hit
}

func packetsRef(packets []soa.Packet, slots []uint32, p *asm.Planes) (out []asm.Range) {
	for _, slot := range slots {
		var mask uint32
		for l := range soa.Lanes {
			if hit, _ := frustumRef(packetBox(&packets[slot], l), p); hit {
				mask |= 1 << l
			}
		}
		if mask != 0 {
			out = append(out, asm.Range{First: slot, N: asm.RangeHit | mask})
		}
	}
	return out
}

// nodesRef walks until the queue is used up.
func nodesRef(w *asm.VolumeWalk, nodes []soa.Node, p *asm.Planes, filter *asm.NodeFilter) {
	for ; w.Head < len(w.Queue); w.Head++ {
		n := &nodes[w.Queue[w.Head]]
		for l := range soa.Fan {
			ref := n.Child[l]
			hit, inside := frustumRef(nodeBox(n, l), p)
			wanted := ref&filter.Flags != 0 && (filter.Mask == 0 || n.Mask[l]&filter.Mask != 0)
			index := ref.Index()
			switch {
			case !hit || !wanted:
			case inside:
				w.Inside = append(w.Inside, ref&soa.RefPacket|soa.Ref(index))
			case ref.IsPacket():
				w.Packets = append(w.Packets, index)
			default:
				w.Queue = append(w.Queue, index)
			}
		}
	}
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

// checkPackets compares FrustumPackets and single calls of its kernel with the
// reference, with outputs at that place, and returns the number of hit packets.
func checkPackets(t testing.TB, at place, packets []soa.Packet, slots []uint32, p *asm.Planes) int {
	t.Helper()
	want := packetsRef(packets, slots, p)
	before := asm.Range{First: 1, N: 1}
	out := room[asm.Range](t, at, 1+len(slots)+asm.RangeSlack)
	out[0] = before
	got := asm.FrustumPackets(out[:1], packets, slots, p)
	if &got[0] != &out[0] || got[0] != before {
		t.Fatal("FrustumPackets moved or changed an output that has room")
	}
	sameRanges(t, "FrustumPackets", got[1:], want)
	for rest := slots; len(rest) > 0; {
		k := min(len(rest), asm.PacketsPerCall)
		out := room[asm.Range](t, at, k)
		n := asm.FrustumPacketsCall(out, packets, rest[:k], p)
		sameRanges(t, "packets kernel", out[:n], packetsRef(packets, rest[:k], p))
		rest = rest[k:]
	}
	return len(want)
}

// checkSweep does the same for the linear sweep.
func checkSweep(t testing.TB, at place, packets []soa.Packet, first int, p *asm.Planes) {
	t.Helper()
	var slots []uint32
	for i := first; i < len(packets); i++ {
		slots = append(slots, uint32(i))
	}
	out := room[asm.Range](t, at, len(slots)+asm.RangeSlack)
	got := asm.FrustumSweep(out[:0], packets, first, len(slots), p)
	if unsafe.SliceData(got) != unsafe.SliceData(out) {
		t.Fatal("FrustumSweep moved an output that has room")
	}
	sameRanges(t, "FrustumSweep", got, packetsRef(packets, slots, p))
	for len(slots) > 0 {
		k := min(len(slots), asm.PacketsPerCall)
		out := room[asm.Range](t, at, k)
		n := asm.FrustumSweepCall(out, packets[slots[0]:][:k], int(slots[0]), p)
		sameRanges(t, "sweep kernel", out[:n], packetsRef(packets, slots[:k], p))
		slots = slots[k:]
	}
}

// walkFrom returns a walk that is to test the nodes, with lists at that place
// that have exactly the room of one call.
func walkFrom(t testing.TB, at place, queue []uint32) *asm.VolumeWalk {
	q := room[uint32](t, at, len(queue)+asm.NodesRoom)[:len(queue)]
	copy(q, queue)
	return &asm.VolumeWalk{
		Queue:   q,
		Packets: room[uint32](t, at, asm.NodesRoom)[:0],
		Inside:  room[soa.Ref](t, at, asm.NodesRoom)[:0],
	}
}

// checkNodes compares a walk from the queue with the reference, and returns it.
func checkNodes(t testing.TB, at place, nodes []soa.Node, queue []uint32, p *asm.Planes, filter *asm.NodeFilter) *asm.VolumeWalk {
	t.Helper()
	want := &asm.VolumeWalk{Queue: slices.Clone(queue)}
	nodesRef(want, nodes, p, filter)
	w := walkFrom(t, at, queue)
	inQueue, inPackets := unsafe.SliceData(w.Queue), unsafe.SliceData(w.Packets)
	for first := true; !w.Done(); first = false {
		former := w.Head
		asm.FrustumNodes(w, nodes, p, filter)
		if k := w.Head - former; k < 1 || k > asm.NodesPerCall {
			t.Fatalf("one call visited %d nodes", k)
		}
		if first && (unsafe.SliceData(w.Queue) != inQueue || unsafe.SliceData(w.Packets) != inPackets) {
			t.Fatal("lists moved that have the room of one call")
		}
	}
	sameWalk(t, w, want)
	return w
}

func upTo(n int) (list []uint32) {
	for i := range n {
		list = append(list, uint32(i))
	}
	return list
}

func shuffled(rng *rand.Rand, n int) []uint32 {
	list := upTo(n)
	rng.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func packetsExtent(packets []soa.Packet, counts []uint8) (extent [3]float32) {
	for i := range packets {
		for l := range counts[i] {
			for c, x := range packetBox(&packets[i], int(l)) {
				extent[c/2] = max(extent[c/2], x, -x)
			}
		}
	}
	return extent
}

func TestFrustumPacketsGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		eachPlace(t, sizes(asm.PacketsPerCall), func(t *testing.T, at place, n int) {
			made, _ := randomPackets(rng, n, testkit.BoxesSmall)
			packets := put(t, at, made)
			slots := put(t, at, shuffled(rng, n))
			p := put(t, at, []asm.Planes{prepared(randomFrustum(rng, testkit.BoxesSmall), [3]float32{104, 104, 104})})
			checkPackets(t, at, packets, slots, &p[0])
			checkPackets(t, at, packets, upTo(n), &p[0])
			checkSweep(t, at, packets, 0, &p[0])
			checkSweep(t, at, packets, n/3, &p[0])
		})
	})
}

func TestFrustumNodesGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		eachPlace(t, sizes(asm.NodesPerCall), func(t *testing.T, at place, n int) {
			nodes := put(t, at, randomNodes(rng, n, testkit.BoxesSmall))
			p := put(t, at, []asm.Planes{prepared(randomFrustum(rng, testkit.BoxesSmall), [3]float32{104, 104, 104})})
			filter := put(t, at, []asm.NodeFilter{asm.AllNodes})
			checkNodes(t, at, nodes, shuffled(rng, n), &p[0], &filter[0])
		})
	})
}

// Eight children of each of 64 nodes fill each list in turn to the last place
// that a call may use.
func TestFrustumNodesFullLists(t *testing.T) {
	border := bare([6][4]float32{{1, 0, 0, 0}, always, always, always, always, always})
	inside := bare([6][4]float32{always, always, always, always, always, always})
	testkit.EachTier(t, func(t *testing.T) {
		for _, at := range []place{tail, head} {
			for _, packet := range []soa.Ref{0, soa.RefPacket} {
				nodes := put(t, at, make([]soa.Node, 2*asm.NodesPerCall))
				for i := range nodes {
					for l := range soa.Fan {
						setNodeBox(&nodes[i], l, columns{-1, 1, -1, 1, -1, 1})
						nodes[i].Child[l] = soa.RefStatic | packet | soa.Ref(len(nodes)-1)
						if i >= asm.NodesPerCall { // ends the walk
							nodes[i].Child[l] = soa.RefStatic | soa.RefPacket
						}
					}
				}
				for _, p := range []*asm.Planes{&border, &inside} {
					checkNodes(t, at, nodes, upTo(asm.NodesPerCall), p, &asm.AllNodes)
				}
			}
		}
	})
}

// Random boxes and planes of every kind, as queries use them and bare.
func TestFrustumRandom(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			ranges, inside, packets, queue := 0, 0, 0, 0
			for range rounds {
				made, counts := randomPackets(rng, 40, kind)
				nodes := randomNodes(rng, 150, kind)
				raw := randomFrustum(rng, kind)
				ready, plain := prepared(raw, packetsExtent(made, counts)), bare(raw)
				for _, p := range []*asm.Planes{&ready, &plain} {
					ranges += checkPackets(t, heap, made, shuffled(rng, len(made)), p)
					checkSweep(t, heap, made, 0, p)
					w := checkNodes(t, heap, nodes, []uint32{0}, p, &asm.AllNodes)
					w = checkNodes(t, heap, nodes, shuffled(rng, len(nodes)), p, &asm.AllNodes)
					inside, packets, queue = inside+len(w.Inside), packets+len(w.Packets), queue+len(w.Queue)-len(nodes)
				}
			}
			if min(ranges, inside, packets, queue) == 0 {
				t.Errorf("%s: %d ranges, %d inside, %d packets, %d nodes: nothing tested", kind, ranges, inside, packets, queue)
			}
		}
	})
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
		p, _ := randomPackets(rng, 3, kind)
		packets = append(packets, p...)
		nodes = append(nodes, randomNodes(rng, 1, kind)...)
	}
	testkit.EachTier(t, func(t *testing.T) {
		for i, nx := range normals {
			for j, ny := range normals {
				for _, nz := range normals {
					for k, d := range distances {
						raw := [6][4]float32{always, always, always, always, always, always}
						raw[(i+j+k)%6] = [4]float32{nx, ny, nz, d}
						p := bare(raw)
						checkPackets(t, heap, packets, upTo(len(packets)), &p)
						checkNodes(t, heap, nodes, upTo(len(nodes)), &p, &asm.AllNodes)
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
	everything := []asm.Planes{
		bare([6][4]float32{always, always, always, always, always, always}),
		bare([6][4]float32{{}, {}, {minus0, minus0, minus0, minus0}, {}, {}, {}}),
		bare([6][4]float32{{0.2, 0, 0, math.MaxFloat32}, {-0.2, minus0, 0, math.MaxFloat32}, {0, 0.2, -0.2, math.MaxFloat32}, always, always, always}),
	}
	nothing := bare([6][4]float32{always, always, always, always, always, never})
	testkit.EachTier(t, func(t *testing.T) {
		for live := range soa.Lanes + 1 {
			packets := make([]soa.Packet, 1)
			for l := range soa.Lanes {
				c := emptyBox
				if l < live {
					c = columns{-1, 1, -2, 2, -3, 3}
				}
				setPacketBox(&packets[0], l, c)
			}
			for i := range everything {
				got := asm.FrustumSweep(nil, packets, 0, 1, &everything[i])
				var want []asm.Range
				if live > 0 {
					want = []asm.Range{{First: 0, N: asm.RangeHit | (1<<live - 1)}}
				}
				sameRanges(t, fmt.Sprintf("%d live lanes, planes %d", live, i), got, want)
			}
			sameRanges(t, "nothing", asm.FrustumSweep(nil, packets, 0, 1, &nothing), nil)
		}
		var node soa.Node
		for l := range soa.Fan {
			setNodeBox(&node, l, emptyBox)
			node.Child[l] = soa.RefMoving | soa.RefStatic
		}
		for i := range everything {
			w := asm.VolumeWalk{Queue: []uint32{0}}
			asm.FrustumNodes(&w, []soa.Node{node}, &everything[i], &asm.AllNodes)
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
		for _, n := range sizes(asm.PacketsPerCall)[1:] {
			packets := make([]soa.Packet, n)
			for i := range packets {
				for l := range soa.Lanes {
					setPacketBox(&packets[i], l, columns{0, 1, 0, 1, 0, 1})
				}
			}
			setPacketBox(&packets[n-1], soa.Lanes-1, columns{5, 15, 0, 1, 0, 1})
			want := []asm.Range{{First: uint32(n - 1), N: asm.RangeHit | 1<<(soa.Lanes-1)}}
			sameRanges(t, "packets", asm.FrustumPackets(nil, packets, upTo(n), &p), want)
			sameRanges(t, "sweep", asm.FrustumSweep(nil, packets, 0, n, &p), want)
		}
	})
}

// Masks and flags leave out children, whatever they are.
func TestFrustumSift(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, mask := range []uint32{0, 1, 2, 6, 15, 16, 1 << 31} {
			for _, flags := range []soa.Ref{0, soa.RefMoving, soa.RefStatic, soa.RefFlags} {
				nodes := randomNodes(rng, 200, testkit.BoxesSmall)
				p := prepared(randomFrustum(rng, testkit.BoxesSmall), [3]float32{104, 104, 104})
				w := checkNodes(t, heap, nodes, upTo(len(nodes)), &p, &asm.NodeFilter{Mask: mask, Flags: flags})
				if none := flags == 0 || mask > 15; none && len(w.Queue)+len(w.Packets)+len(w.Inside) != len(nodes) {
					t.Errorf("mask %#x, flags %#x keep something", mask, flags)
				}
			}
		}
	})
}

// A walk in calls of any budget ends like a walk in one.
func TestFrustumNodesResume(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	nodes := randomNodes(rng, 400, testkit.BoxesSmall)
	p := prepared(randomFrustum(rng, testkit.BoxesSmall), [3]float32{104, 104, 104})
	want := &asm.VolumeWalk{Queue: upTo(len(nodes))}
	nodesRef(want, nodes, &p, &asm.AllNodes)
	testkit.EachTier(t, func(t *testing.T) {
		for _, budget := range []int{1, 2, 7, 63, 64, 65, 1000, 1 << 30} {
			most := min(budget, len(want.Queue))
			w := &asm.VolumeWalk{Queue: upTo(len(nodes))}
			for !w.Done() {
				w.Queue = slices.Grow(w.Queue, most*soa.Fan+soa.Lanes)
				w.Packets = slices.Grow(w.Packets, most*soa.Fan+soa.Lanes)
				w.Inside = slices.Grow(w.Inside, most*soa.Fan+soa.Lanes)
				former := w.Head
				asm.FrustumNodesCall(w, nodes, &p, &asm.AllNodes, budget)
				if k := w.Head - former; k < 1 || k > budget {
					t.Fatalf("budget %d: visited %d nodes", budget, k)
				}
			}
			sameWalk(t, w, want)
		}
		done := &asm.VolumeWalk{Queue: upTo(3), Head: 3}
		asm.FrustumNodes(done, nil, &p, &asm.AllNodes)
		sameWalk(t, done, &asm.VolumeWalk{Queue: upTo(3), Head: 3})
	})
}

func TestFrustumSweepPanics(t *testing.T) {
	p := bare([6][4]float32{})
	for _, c := range []struct{ first, n int }{{-1, 1}, {0, -1}, {0, 4}, {3, 1}, {4, 0}, {1, math.MaxInt}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a sweep of %d slots from %d over 3 did not panic", c.n, c.first)
				}
			}()
			asm.FrustumSweep(nil, make([]soa.Packet, 3), c.first, c.n, &p)
		}()
	}
}
