package asm_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/guard"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// sizes are the lengths at which a kernel changes its ways: around registers
// and packets, and around what one call takes.
func sizes(perCall int) []int {
	s := []int{
		0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129,
		perCall - 1, perCall, perCall + 1, 2*perCall + 17,
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// place says where the memory of a test lies.
type place int

const (
	heap place = iota
	tail       // ends at a page without access
	head       // starts after one
)

func (p place) String() string { return [...]string{"heap", "tail", "head"}[p] }

// room returns n zero elements at that place.
func room[T any](t testing.TB, at place, n int) []T {
	switch at {
	case tail:
		return guard.Tail[T](t, n)
	case head:
		return guard.Head[T](t, n)
	}
	return make([]T, n)
}

// put returns a copy of the elements at that place.
func put[T any](t testing.TB, at place, from []T) []T {
	to := room[T](t, at, len(from))
	copy(to, from)
	return to
}

// eachPlace runs body as a subtest for each size and each guarded place, so
// that the guarded memory is checked and freed after each.
func eachPlace(t *testing.T, sizes []int, body func(t *testing.T, at place, n int)) {
	for _, n := range sizes {
		for _, at := range []place{tail, head} {
			t.Run(fmt.Sprintf("n=%d/%s", n, at), func(t *testing.T) { body(t, at, n) })
		}
	}
}

// allTiers runs body on every tier without subtests, for fuzz targets.
func allTiers(t testing.TB, body func()) {
	for _, tier := range cpu.Available() {
		former, err := cpu.Force(tier)
		if err != nil {
			t.Fatal(err)
		}
		body()
		cpu.Force(former)
		if t.Failed() {
			t.Fatalf("on tier %s", tier)
		}
	}
}

// columns is a box as it lies in a packet or a node: minx maxx miny maxy …
type columns [6]float32

var emptyBox = func() (c columns) {
	for i := range c {
		c[i] = float32(math.Inf(1 - 2*(i&1)))
	}
	return c
}()

func columnsOf(b soa.AABB) (c columns) {
	for a := range 3 {
		c[2*a], c[2*a+1] = b.Min[a], b.Max[a]
	}
	return c
}

func packetBox(p *asm.Packet, lane int) (c columns) {
	for i := range c {
		c[i] = p[i][lane]
	}
	return c
}

func setPacketBox(p *asm.Packet, lane int, c columns) {
	for i := range c {
		p[i][lane] = c[i]
	}
}

func nodeBox(n *asm.Node, lane int) (c columns) {
	for i := range c {
		c[i] = n.Bounds[i][lane]
	}
	return c
}

func setNodeBox(n *asm.Node, lane int, c columns) {
	for i := range c {
		n.Bounds[i][lane] = c[i]
	}
}

// randomPackets returns n packets of 0 to 16 live lanes.
func randomPackets(rng *rand.Rand, n int, kind testkit.BoxKind) (packets []asm.Packet, counts []uint8) {
	packets, counts = make([]asm.Packet, n), make([]uint8, n)
	for i := range packets {
		counts[i] = uint8(rng.IntN(asm.Lanes + 1))
		boxes := testkit.RandomBoxes(rng, int(counts[i]), kind)
		for l := range asm.Lanes {
			c := emptyBox
			if l < len(boxes) {
				c = columnsOf(boxes[l])
			}
			setPacketBox(&packets[i], l, c)
		}
	}
	return packets, counts
}

// randomNodes returns n nodes whose children are packets and, where one is
// left, nodes of a higher index, each the child of one node only.
func randomNodes(rng *rand.Rand, n int, kind testkit.BoxKind) []asm.Node {
	flags := [...]uint32{asm.RefMoving, asm.RefStatic, asm.RefMoving | asm.RefStatic}
	nodes := make([]asm.Node, n)
	next := 1
	for i := range nodes {
		live := rng.IntN(asm.Fan + 1)
		boxes := testkit.RandomBoxes(rng, live, kind)
		next = max(next, i+1)
		for l := range asm.Fan {
			if l >= live {
				setNodeBox(&nodes[i], l, emptyBox)
				continue
			}
			setNodeBox(&nodes[i], l, columnsOf(boxes[l]))
			nodes[i].Mask[l] = rng.Uint32N(16)
			nodes[i].Child[l] = flags[rng.IntN(len(flags))]
			if next < n && rng.IntN(3) == 0 {
				nodes[i].Child[l] |= uint32(next)
				next++
			} else {
				nodes[i].Child[l] |= asm.RefPacket | rng.Uint32N(asm.RefIndex)
			}
		}
	}
	return nodes
}

// always and never are planes without normal.
var (
	always = [4]float32{3: 1}
	never  = [4]float32{3: -1}
)

// randomFrustum returns one to six planes that matter, the others always pass.
func randomFrustum(rng *rand.Rand, kind testkit.BoxKind) (raw [6][4]float32) {
	for i := range raw {
		raw[i] = always
		if i == 0 || rng.IntN(3) == 0 {
			raw[i] = testkit.RandomPlane(rng, kind)
		}
	}
	return raw
}

func scaled(raw [6][4]float32) (p [6][4]float32) {
	for i, c := range raw {
		p[i] = asm.ScalePlane([4]float64{float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])})
	}
	return p
}

// prepared are the planes as queries use them.
func prepared(raw [6][4]float32, extent [3]float32) asm.Planes {
	s := scaled(raw)
	return asm.MakePlanes(&s, extent)
}

// bare are the planes as they stand, neither scaled nor widened.
func bare(raw [6][4]float32) asm.Planes {
	p := asm.MakePlanes(&raw, [3]float32{})
	p.Coef = raw
	return p
}

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
	hit, inside = true, true
	for i := range p.Coef {
		hit = hit && planeRef(&box, &p.Coef[i], 0)
		inside = inside && planeRef(&box, &p.Coef[i], 1)
	}
	return hit, inside
}

func packetsRef(packets []asm.Packet, slots []uint32, p *asm.Planes) (out []asm.Range) {
	for _, slot := range slots {
		var mask uint32
		for l := range asm.Lanes {
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
func nodesRef(w *asm.Walk, nodes []asm.Node, p *asm.Planes, sift *asm.Sift) {
	for ; w.Head < len(w.Queue); w.Head++ {
		n := &nodes[w.Queue[w.Head]]
		for l := range asm.Fan {
			ref := n.Child[l]
			hit, inside := frustumRef(nodeBox(n, l), p)
			wanted := ref&sift.Flags != 0 && (sift.Mask == 0 || n.Mask[l]&sift.Mask != 0)
			index := ref & asm.RefIndex
			switch {
			case !hit || !wanted:
			case inside:
				w.Inside = append(w.Inside, ref&asm.RefPacket|index)
			case ref&asm.RefPacket != 0:
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

func sameWalk(t testing.TB, got, want *asm.Walk) {
	t.Helper()
	if got.Head != want.Head {
		t.Fatalf("visited %d nodes, want %d", got.Head, want.Head)
	}
	for _, list := range []struct {
		name      string
		got, want []uint32
	}{
		{"queue", got.Queue, want.Queue}, {"packets", got.Packets, want.Packets}, {"inside", got.Inside, want.Inside},
	} {
		if !slices.Equal(list.got, list.want) {
			t.Fatalf("%s: got %x, want %x", list.name, list.got, list.want)
		}
	}
}

// checkPackets compares FrustumPackets and single calls of its kernel with the
// reference, with outputs at that place, and returns the number of hit packets.
func checkPackets(t testing.TB, at place, packets []asm.Packet, slots []uint32, p *asm.Planes) int {
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
func checkSweep(t testing.TB, at place, packets []asm.Packet, first int, p *asm.Planes) {
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
func walkFrom(t testing.TB, at place, queue []uint32) *asm.Walk {
	q := room[uint32](t, at, len(queue)+asm.NodesRoom)[:len(queue)]
	copy(q, queue)
	return &asm.Walk{
		Queue:   q,
		Packets: room[uint32](t, at, asm.NodesRoom)[:0],
		Inside:  room[uint32](t, at, asm.NodesRoom)[:0],
	}
}

// checkNodes compares a walk from the queue with the reference, and returns it.
func checkNodes(t testing.TB, at place, nodes []asm.Node, queue []uint32, p *asm.Planes, sift *asm.Sift) *asm.Walk {
	t.Helper()
	want := &asm.Walk{Queue: slices.Clone(queue)}
	nodesRef(want, nodes, p, sift)
	w := walkFrom(t, at, queue)
	inQueue, inPackets := unsafe.SliceData(w.Queue), unsafe.SliceData(w.Packets)
	for first := true; !w.Done(); first = false {
		former := w.Head
		asm.FrustumNodes(w, nodes, p, sift)
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

func packetsExtent(packets []asm.Packet, counts []uint8) (extent [3]float32) {
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
			sift := put(t, at, []asm.Sift{asm.SiftAll})
			checkNodes(t, at, nodes, shuffled(rng, n), &p[0], &sift[0])
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
			for _, packet := range []uint32{0, asm.RefPacket} {
				nodes := put(t, at, make([]asm.Node, 2*asm.NodesPerCall))
				for i := range nodes {
					for l := range asm.Fan {
						setNodeBox(&nodes[i], l, columns{-1, 1, -1, 1, -1, 1})
						nodes[i].Child[l] = asm.RefStatic | packet | uint32(len(nodes)-1)
						if i >= asm.NodesPerCall { // ends the walk
							nodes[i].Child[l] = asm.RefStatic | asm.RefPacket
						}
					}
				}
				for _, p := range []*asm.Planes{&border, &inside} {
					checkNodes(t, at, nodes, upTo(asm.NodesPerCall), p, &asm.SiftAll)
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
					w := checkNodes(t, heap, nodes, []uint32{0}, p, &asm.SiftAll)
					w = checkNodes(t, heap, nodes, shuffled(rng, len(nodes)), p, &asm.SiftAll)
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
	var packets []asm.Packet
	var nodes []asm.Node
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
						checkNodes(t, heap, nodes, upTo(len(nodes)), &p, &asm.SiftAll)
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
		for live := range asm.Lanes + 1 {
			packets := make([]asm.Packet, 1)
			for l := range asm.Lanes {
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
		var node asm.Node
		for l := range asm.Fan {
			setNodeBox(&node, l, emptyBox)
			node.Child[l] = asm.RefMoving | asm.RefStatic
		}
		for i := range everything {
			w := asm.Walk{Queue: []uint32{0}}
			asm.FrustumNodes(&w, []asm.Node{node}, &everything[i], &asm.SiftAll)
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
			packets := make([]asm.Packet, n)
			for i := range packets {
				for l := range asm.Lanes {
					setPacketBox(&packets[i], l, columns{0, 1, 0, 1, 0, 1})
				}
			}
			setPacketBox(&packets[n-1], asm.Lanes-1, columns{5, 15, 0, 1, 0, 1})
			want := []asm.Range{{First: uint32(n - 1), N: asm.RangeHit | 1<<(asm.Lanes-1)}}
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
			for _, flags := range []uint32{0, asm.RefMoving, asm.RefStatic, asm.RefMoving | asm.RefStatic} {
				nodes := randomNodes(rng, 200, testkit.BoxesSmall)
				p := prepared(randomFrustum(rng, testkit.BoxesSmall), [3]float32{104, 104, 104})
				w := checkNodes(t, heap, nodes, upTo(len(nodes)), &p, &asm.Sift{Mask: mask, Flags: flags})
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
	want := &asm.Walk{Queue: upTo(len(nodes))}
	nodesRef(want, nodes, &p, &asm.SiftAll)
	testkit.EachTier(t, func(t *testing.T) {
		for _, budget := range []int{1, 2, 7, 63, 64, 65, 1000, 1 << 30} {
			most := min(budget, len(want.Queue))
			w := &asm.Walk{Queue: upTo(len(nodes))}
			for !w.Done() {
				w.Queue = slices.Grow(w.Queue, most*asm.Fan+asm.Lanes)
				w.Packets = slices.Grow(w.Packets, most*asm.Fan+asm.Lanes)
				w.Inside = slices.Grow(w.Inside, most*asm.Fan+asm.Lanes)
				former := w.Head
				asm.FrustumNodesCall(w, nodes, &p, &asm.SiftAll, budget)
				if k := w.Head - former; k < 1 || k > budget {
					t.Fatalf("budget %d: visited %d nodes", budget, k)
				}
			}
			sameWalk(t, w, want)
		}
		done := &asm.Walk{Queue: upTo(3), Head: 3}
		asm.FrustumNodes(done, nil, &p, &asm.SiftAll)
		sameWalk(t, done, &asm.Walk{Queue: upTo(3), Head: 3})
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
			asm.FrustumSweep(nil, make([]asm.Packet, 3), c.first, c.n, &p)
		}()
	}
}

// MakePlanes and the oracle's independent preparation agree in every bit.
func TestPlanesMatchOracle(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range 20000 {
		kind := testkit.BoxKinds()[rng.IntN(4)]
		raw := randomFrustum(rng, kind)
		for i := range raw {
			raw[i][rng.IntN(4)] = testkit.RandomPlane(rng, testkit.BoxKinds()[rng.IntN(4)])[0]
		}
		extent := testkit.Extent(testkit.RandomBoxes(rng, 1, kind))
		p, want := prepared(raw, extent), testkit.PreparePlanes(raw, extent)
		for i := range want {
			for k := range want[i] {
				if math.Float32bits(p.Coef[i][k]) != math.Float32bits(want[i][k]) {
					t.Fatalf("plane %x over %x: %x, want %x", raw[i], extent, p.Coef[i], want[i])
				}
			}
			for a := range 3 {
				column := uint32(2*a + 1)
				if raw[i][a] < 0 && want[i][a] != 0 {
					column--
				}
				if p.Off[i][a] != column*32 {
					t.Fatalf("plane %x: offset %d on axis %d", p.Coef[i], p.Off[i][a], a)
				}
				if m := math.Abs(float64(p.Coef[i][a])); m >= 0.25 {
					t.Fatalf("plane %x is not scaled", p.Coef[i])
				}
			}
		}
	}
}

// hits returns the boxes that the sweep finds.
func hits(boxes []soa.AABB, p *asm.Planes) (found []int) {
	packets := make([]asm.Packet, (len(boxes)+asm.Lanes-1)/asm.Lanes)
	for i := range len(packets) * asm.Lanes {
		c := emptyBox
		if i < len(boxes) {
			c = columnsOf(boxes[i])
		}
		setPacketBox(&packets[i/asm.Lanes], i%asm.Lanes, c)
	}
	for _, r := range asm.FrustumSweep(nil, packets, 0, len(packets), p) {
		for m := uint16(r.N); m != 0; m &= m - 1 {
			found = append(found, int(r.First)*asm.Lanes+bits.TrailingZeros16(m))
		}
	}
	return found
}

// A box that meets the original planes in exact arithmetic is found, and what
// is found is what the twin finds.
func TestFrustumLosesNothing(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	testkit.EachTier(t, func(t *testing.T) {
		held := 0
		for range rounds {
			boxes := testkit.RandomBoxes(rng, 33, testkit.BoxKinds()[rng.IntN(4)])
			raw := randomFrustum(rng, testkit.BoxKinds()[rng.IntN(4)])
			touch(rng, &raw[0], &boxes[0])
			p := prepared(raw, testkit.Extent(boxes))
			got, want := hits(boxes, &p), testkit.DefinitionFrustum(boxes, raw)
			held += len(want)
			if !testkit.NothingLost(t, got, want) || !testkit.SameIDs(t, got, testkit.TwinFrustum(boxes, raw)) {
				t.Fatalf("planes %x, boxes %x", raw, boxes)
			}
		}
		if held == 0 {
			t.Error("no box is held by any frustum")
		}
	})
}

// touch moves the plane through the corner of the box that is furthest along
// the normal, as near as float32 goes.
func touch(rng *rand.Rand, plane *[4]float32, b *soa.AABB) {
	var d float64
	for a := range 3 {
		v := b.Max[a]
		if plane[a] < 0 {
			v = b.Min[a]
		}
		d -= float64(plane[a]) * float64(v)
	}
	if math.Abs(d) <= math.MaxFloat32 && rng.IntN(4) > 0 {
		plane[3] = float32(d)
	}
}

// Planes of float64 are rounded to float32; that is within the widening too.
func TestScalePlaneFloat64(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range 3000 {
		boxes := testkit.RandomBoxes(rng, 16, testkit.BoxKinds()[rng.IntN(4)])
		exp := rng.IntN(2000) - 1000
		var plane [4]float64
		for a := range 3 {
			plane[a] = math.Ldexp(rng.NormFloat64(), exp-rng.IntN(8))
			v := boxes[0].Max[a]
			if plane[a] < 0 {
				v = boxes[0].Min[a]
			}
			plane[3] -= plane[a] * float64(v)
		}
		if !(math.Abs(plane[3]) <= math.MaxFloat64) {
			continue // the terms overflow
		}
		c := [6][4]float32{asm.ScalePlane(plane), always, always, always, always, always}
		p := asm.MakePlanes(&c, testkit.Extent(boxes))
		found := hits(boxes, &p)
		for i := range boxes {
			if meets(&plane, &boxes[i]) && !slices.Contains(found, i) {
				t.Fatalf("plane %x loses box %x", plane, boxes[i])
			}
		}
	}
}

// meets is the exact test of one plane at the p-vertex.
func meets(plane *[4]float64, b *soa.AABB) bool {
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2600).SetFloat64(x) }
	sum := exact(plane[3])
	for a := range 3 {
		v := b.Max[a]
		if plane[a] < 0 {
			v = b.Min[a]
		}
		product := exact(plane[a])
		sum.Add(sum, product.Mul(product, exact(float64(v))))
	}
	return sum.Sign() >= 0
}

// A node is never rejected when a box below it passes, and when it is inside,
// all of them pass.
func TestFrustumMonotone(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	testkit.EachTier(t, func(t *testing.T) {
		inside := 0
		for range rounds {
			kind := testkit.BoxKinds()[rng.IntN(4)]
			packets, counts := randomPackets(rng, asm.Fan, kind)
			var node asm.Node
			for l := range asm.Fan {
				counts[l] = max(counts[l], 1)
				setPacketBox(&packets[l], 0, columnsOf(testkit.RandomBoxes(rng, 1, kind)[0]))
				union := emptyBox
				for lane := range asm.Lanes {
					union = unionRef(union, packetBox(&packets[l], lane))
				}
				setNodeBox(&node, l, union)
				node.Child[l] = asm.RefPacket | asm.RefStatic | uint32(l)
			}
			raw := randomFrustum(rng, kind)
			p := prepared(raw, packetsExtent(packets, counts))
			w := asm.Walk{Queue: []uint32{0}}
			asm.FrustumNodes(&w, []asm.Node{node}, &p, &asm.SiftAll)
			for _, r := range asm.FrustumSweep(nil, packets, 0, len(packets), &p) {
				if !slices.Contains(w.Packets, r.First) && !slices.Contains(w.Inside, asm.RefPacket|r.First) {
					t.Fatalf("planes %x: packet %d has hits %#x, its lane has none", raw, r.First, r.N)
				}
			}
			for _, ref := range w.Inside {
				slot := ref & asm.RefIndex
				inside++
				sameRanges(t, fmt.Sprintf("planes %x, inside", raw), asm.FrustumPackets(nil, packets, []uint32{slot}, &p),
					[]asm.Range{{First: slot, N: asm.RangeHit | (1<<counts[slot] - 1)}})
			}
		}
		if inside == 0 {
			t.Error("nothing was inside")
		}
	})
}

func unionRef(a, b columns) columns {
	for i := 0; i < len(a); i += 2 {
		a[i], a[i+1] = min(a[i], b[i]), max(a[i+1], b[i+1])
	}
	return a
}

func TestFrustumAllocations(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	packets, _ := randomPackets(rng, 600, testkit.BoxesSmall)
	nodes := randomNodes(rng, 100, testkit.BoxesSmall)
	p := prepared(randomFrustum(rng, testkit.BoxesSmall), [3]float32{104, 104, 104})
	slots, sift := upTo(len(packets)), asm.SiftAll
	var w asm.Walk
	var out []asm.Range
	testkit.EachTier(t, func(t *testing.T) {
		testkit.Allocs(t, 10, func() {
			for w.Reset(0); !w.Done(); {
				asm.FrustumNodes(&w, nodes, &p, &sift)
			}
			out = asm.FrustumPackets(out[:0], packets, slots, &p)
			out = asm.FrustumSweep(out[:0], packets, 0, len(packets), &p)
		})
	})
}

// reader takes numbers off the input of a fuzz target; zeros follow its end.
type reader []byte

func (r *reader) byte() (b byte) {
	if len(*r) > 0 {
		b, *r = (*r)[0], (*r)[1:]
	}
	return b
}

func (r *reader) uint32() uint32 {
	var b [4]byte
	*r = (*r)[copy(b[:], *r):]
	return binary.LittleEndian.Uint32(b[:])
}

func (r *reader) float() float32 { return math.Float32frombits(r.uint32()) }

// frustumSeed is an input with those planes and small boxes.
func frustumSeed(planes [6][4]float32, boxes int) (data []byte) {
	put := func(f float32) { data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f)) }
	for _, c := range planes {
		for _, x := range c {
			put(x)
		}
	}
	for i := range boxes {
		for c := range 6 {
			put(float32(i%5) - 2 + float32(c&1))
		}
	}
	return data
}

// FuzzFrustumPackets reads six planes, then boxes; any bits, NaN included.
func FuzzFrustumPackets(f *testing.F) {
	f.Add(frustumSeed([6][4]float32{{1, 0, 0, 0}, always, always, always, always, always}, 40), uint8(16))
	f.Add(frustumSeed([6][4]float32{{0.2, -0.1, 0, 0.1}, {-0.2, 0, 0.1, 0.1}, {3: -1}, always, {}, {}}, 33), uint8(5))
	f.Add([]byte("short"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, lanes uint8) {
		in := reader(data)
		raw := readPlanes(&in)
		live := int(lanes)%asm.Lanes + 1
		packets := make([]asm.Packet, 1+min(len(in)/(24*live), 100))
		for i := range packets {
			for l := range asm.Lanes {
				c := emptyBox
				if l < live {
					c = readBox(&in)
				}
				setPacketBox(&packets[i], l, c)
			}
		}
		p := bare(raw)
		allTiers(t, func() {
			checkPackets(t, heap, packets, upTo(len(packets)), &p)
			checkSweep(t, heap, packets, 0, &p)
		})
	})
}

// FuzzFrustumNodes reads a sift, six planes, then children.
func FuzzFrustumNodes(f *testing.F) {
	planes := [6][4]float32{{1, 0, 0, 0}, always, always, always, always, always}
	f.Add(frustumSeed(planes, 70), uint32(0), uint32(asm.RefStatic|asm.RefMoving))
	f.Add(frustumSeed(planes, 9), uint32(3), uint32(asm.RefStatic))
	f.Add([]byte{}, uint32(1), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, mask, flags uint32) {
		in := reader(data)
		p := bare(readPlanes(&in))
		nodes := make([]asm.Node, 1+min(len(in)/(32*asm.Fan), 100))
		for i := range nodes {
			for l := range asm.Fan {
				setNodeBox(&nodes[i], l, readBox(&in))
				ref := in.uint32()
				// A child node comes later, so that the walk ends.
				if ref&asm.RefPacket == 0 {
					ref &^= asm.RefIndex
					if child := 8*i + l + 1; child < len(nodes) {
						ref |= uint32(child)
					} else {
						ref |= asm.RefPacket
					}
				}
				nodes[i].Child[l], nodes[i].Mask[l] = ref, in.uint32()
			}
		}
		allTiers(t, func() {
			checkNodes(t, heap, nodes, upTo(len(nodes)), &p, &asm.Sift{Mask: mask, Flags: flags & (asm.RefMoving | asm.RefStatic)})
		})
	})
}

func readPlanes(in *reader) (planes [6][4]float32) {
	for i := range planes {
		for k := range planes[i] {
			planes[i][k] = in.float()
		}
	}
	return planes
}

func readBox(in *reader) (c columns) {
	for i := range c {
		c[i] = in.float()
	}
	return c
}
