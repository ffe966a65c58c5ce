package cull_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// kernels are a volume with its documented test.
type kernels struct {
	*cull.Volume
	ref  func(box *kernel.Columns) (hit, inside bool)
	name string // with all numbers
}

// At moves the volume to that kind of memory. Where its tail is guarded, the memory behind the field of its shape is
// inaccessible.
func (k *kernels) at(t testing.TB, at kernel.Place) *kernels {
	v := k.Volume
	size := map[cull.Shape]uintptr{
		cull.ShapeBox:     unsafe.Offsetof(v.Box) + unsafe.Sizeof(v.Box),
		cull.ShapeSphere:  unsafe.Offsetof(v.Sphere) + unsafe.Sizeof(v.Sphere),
		cull.ShapeFrustum: unsafe.Offsetof(v.Planes) + unsafe.Sizeof(v.Planes),
		cull.ShapeConvex:  unsafe.Sizeof(*v),
	}[v.Shape]
	if at != kernel.Heap {
		bytes := kernel.Put(t, at, unsafe.Slice((*byte)(unsafe.Pointer(v)), size))
		k.Volume = (*cull.Volume)(unsafe.Pointer(unsafe.SliceData(bytes)))
	}
	return k
}

// shapes make kernels of random volumes in that kind of memory.
var shapes = map[string]func(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels{
	"box":     randomBox,
	"sphere":  randomSphere,
	"frustum": randomOneFrustum,
	"convex":  randomConvex,

	"far convex":  randomFarConvex,
	"far frustum": randomFarFrustum,
}

// eachShape runs body as a subtest for each shape on each tier.
func eachShape(t *testing.T, body func(t *testing.T, rng *rand.Rand, make func(t testing.TB, at kernel.Place, kind testkit.BoxKind) *kernels)) {
	seed := testkit.Seed(t)
	for name, random := range shapes {
		t.Run(name, func(t *testing.T) {
			testkit.EachTier(t, func(t *testing.T) {
				rng := testkit.Rand(seed)
				body(t, rng, func(t testing.TB, at kernel.Place, kind testkit.BoxKind) *kernels {
					return random(t, at, rng, kind)
				})
			})
		})
	}
}

func (k *kernels) rangesRef(packets []soa.Packet, slots []uint32) (out []asm.Range) {
	for _, slot := range slots {
		var mask uint32
		for l := range soa.Lanes {
			box := kernel.PacketBox(&packets[slot], l)
			if hit, _ := k.ref(&box); hit {
				mask |= 1 << l
			}
		}
		if mask != 0 {
			out = append(out, asm.Range{First: slot, N: asm.RangeHit | mask})
		}
	}
	return out
}

// walkRef walks until the queue is empty.
func (k *kernels) walkRef(w *asm.VolumeWalk, nodes []soa.Node, filter *asm.NodeFilter) {
	for ; w.Head < len(w.Queue); w.Head++ {
		n := &nodes[w.Queue[w.Head]]
		for l := range soa.Fan {
			ref, box := n.Child[l], kernel.NodeBox(n, l)
			hit, inside := k.ref(&box)
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

// check compares packets and scan with the reference, with outputs in that kind of memory, and returns the number of
// packets that are hit.
func (k *kernels) check(t testing.TB, at kernel.Place, packets []soa.Packet, slots []uint32) int {
	t.Helper()
	all := kernel.UpTo(len(packets))
	ref := make([]asm.Range, len(packets)) // by slot; N is 0 if nothing is hit
	for _, r := range k.rangesRef(packets, all) {
		ref[r.First] = r
	}
	of := func(slots []uint32) (want []asm.Range) {
		for _, slot := range slots {
			if r := ref[slot]; r.N != 0 {
				want = append(want, r)
			}
		}
		return want
	}
	want := of(slots)
	before := asm.Range{First: 1, N: 1}
	out := kernel.Room[asm.Range](t, at, 1+len(slots))
	out[0] = before
	got := k.Packets(out[:1], packets, slots)
	if &got[0] != &out[0] || got[0] != before {
		t.Fatal("an output that has room moved or changed")
	}
	sameRanges(t, k.name+": packets", got[1:], want)
	first := len(all) / 3
	out = kernel.Room[asm.Range](t, at, len(all)-first)
	sameRanges(t, k.name+": scan", k.Scan(out[:0], packets, first, len(all)-first), of(all[first:]))
	most := cull.PacketsPerCall
	if k.Shape == cull.ShapeConvex {
		most /= 4
	}
	for rest := slots; len(rest) > 0; rest = rest[min(len(rest), most):] {
		part := rest[:min(len(rest), most)]
		out := kernel.Room[asm.Range](t, at, len(part))
		sameRanges(t, k.name+": packets kernel", out[:cull.VolumePacketsCall(out, packets, part, k.Volume)], of(part))
	}
	for ; len(all) > 0; all = all[min(len(all), most):] {
		part := all[:min(len(all), most)]
		out := kernel.Room[asm.Range](t, at, len(part))
		n := cull.VolumeScanCall(out, packets[part[0]:][:len(part)], int(part[0]), k.Volume)
		sameRanges(t, k.name+": scan kernel", out[:n], of(part))
	}
	return len(want)
}

// checkWalk compares a walk from the queue with the reference, and returns it.
func (k *kernels) checkWalk(t testing.TB, at kernel.Place, nodes []soa.Node, queue []uint32, filter *asm.NodeFilter) *asm.VolumeWalk {
	t.Helper()
	want := &asm.VolumeWalk{Queue: slices.Clone(queue)}
	k.walkRef(want, nodes, filter)
	w := walkFrom(t, at, queue)
	inQueue, inPackets := unsafe.SliceData(w.Queue), unsafe.SliceData(w.Packets)
	for first := true; !w.Done(); first = false {
		former := w.Head
		k.Nodes(w, nodes, filter)
		if n := w.Head - former; n < 1 || n > cull.NodesPerCall {
			t.Fatalf("one call visited %d nodes", n)
		}
		if first && (unsafe.SliceData(w.Queue) != inQueue || unsafe.SliceData(w.Packets) != inPackets) {
			t.Fatal("lists moved that have the room of one call")
		}
	}
	sameWalk(t, w, want)
	return w
}

func TestVolumePacketsGuard(t *testing.T) {
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		kernel.EachPlace(t, kernel.Sizes(cull.PacketsPerCall), func(t *testing.T, at kernel.Place, n int) {
			made, _ := kernel.RandomPackets(rng, n, testkit.BoxesSmall)
			packets := kernel.Put(t, at, made)
			k := random(t, at, testkit.BoxesSmall)
			k.check(t, at, packets, kernel.Put(t, at, kernel.Shuffled(rng, n)))
		})
	})
}

func TestVolumeNodesGuard(t *testing.T) {
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		kernel.EachPlace(t, kernel.Sizes(cull.NodesPerCall), func(t *testing.T, at kernel.Place, n int) {
			nodes := kernel.Put(t, at, kernel.RandomNodes(rng, n, testkit.BoxesSmall))
			filter := kernel.Put(t, at, []asm.NodeFilter{asm.AllNodes})
			random(t, at, testkit.BoxesSmall).checkWalk(t, at, nodes, kernel.Shuffled(rng, n), &filter[0])
		})
	})
}

// Random boxes and volumes of every kind, free lanes included.
func TestVolumeRandom(t *testing.T) {
	rounds := testkit.Budget(t, testkit.Again(5, 1), 100)
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		for _, kind := range testkit.BoxKinds() {
			ranges, inside, packets, queue := 0, 0, 0, 0
			nothing := func() bool { return min(ranges, inside, packets, queue) == 0 }
			for round := 0; round < rounds || round < 50*rounds && nothing(); round++ {
				made, _ := kernel.RandomPackets(rng, 40, kind)
				nodes := kernel.RandomNodes(rng, 150, kind)
				k := random(t, kernel.Heap, kind)
				ranges += k.check(t, kernel.Heap, made, kernel.Shuffled(rng, len(made)))
				k.checkWalk(t, kernel.Heap, nodes, []uint32{0}, &asm.AllNodes)
				w := k.checkWalk(t, kernel.Heap, nodes, kernel.Shuffled(rng, len(nodes)), &asm.AllNodes)
				inside, packets, queue = inside+len(w.Inside), packets+len(w.Packets), queue+len(w.Queue)-len(nodes)
			}
			if nothing() {
				t.Errorf("%s: %d ranges, %d inside, %d packets, %d nodes: nothing tested", kind, ranges, inside, packets, queue)
			}
		}
	})
}

// Masks and flags exclude children, at any values; and a walk in calls of any budget ends like a walk in one.
func TestVolumeSiftAndResume(t *testing.T) {
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		for i, mask := range []uint32{0, 1, 2, 6, 15, 16, 1 << 31} {
			for _, flags := range testkit.Turn(t, i, []soa.Ref{0, soa.RefMoving, soa.RefStatic, soa.RefFlags}) {
				nodes := kernel.RandomNodes(rng, testkit.Again(200, 70), testkit.BoxesSmall)
				filter := asm.NodeFilter{Mask: mask, Flags: flags}
				k := random(t, kernel.Heap, testkit.BoxesSmall)
				want := k.checkWalk(t, kernel.Heap, nodes, kernel.UpTo(len(nodes)), &filter)
				if none := flags == 0 || mask > 15; none && len(want.Queue)+len(want.Packets)+len(want.Inside) != len(nodes) {
					t.Errorf("mask %#x, flags %#x keep something", mask, flags)
				}
				k.Nodes(want, nil, &filter) // is done
				for _, budget := range []int{1, 7, 63, 64, 65, 1 << 30} {
					w := &asm.VolumeWalk{Queue: kernel.UpTo(len(nodes))}
					for !w.Done() {
						most := min(budget, len(want.Queue))*soa.Fan + soa.Lanes
						w.Queue, w.Packets, w.Inside = slices.Grow(w.Queue, most), slices.Grow(w.Packets, most), slices.Grow(w.Inside, most)
						former := w.Head
						cull.VolumeNodesCall(w, nodes, k.Volume, &filter, budget)
						if n := w.Head - former; n < 1 || n > budget {
							t.Fatalf("budget %d: visited %d nodes", budget, n)
						}
					}
					sameWalk(t, w, want)
				}
			}
		}
	})
}

// A node is never rejected when a box below it passes, and when it is inside,
// all of them pass.
func TestVolumeMonotone(t *testing.T) {
	rounds := 300
	if !testkit.Long(t) {
		rounds = 50
	}
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		inside := 0
		for range rounds {
			kind := testkit.BoxKinds()[rng.IntN(4)]
			packets, counts := kernel.RandomPackets(rng, soa.Fan, kind)
			var node soa.Node
			for l := range soa.Fan {
				counts[l] = max(counts[l], 1)
				kernel.SetPacketBox(&packets[l], 0, kernel.ColumnsOf(testkit.RandomBoxes(rng, 1, kind)[0]))
				union := kernel.EmptyBox
				for lane := range soa.Lanes {
					union = kernel.UnionRef(union, kernel.PacketBox(&packets[l], lane))
				}
				kernel.SetNodeBox(&node, l, union)
				node.Child[l] = soa.RefPacket | soa.RefStatic | soa.Ref(l)
			}
			k := random(t, kernel.Heap, kind)
			w := asm.VolumeWalk{Queue: []uint32{0}}
			k.Nodes(&w, []soa.Node{node}, &asm.AllNodes)
			for _, r := range k.Scan(nil, packets, 0, len(packets)) {
				if !slices.Contains(w.Packets, r.First) && !slices.Contains(w.Inside, soa.PacketRef(r.First)) {
					t.Fatalf("%s: packet %d has hits %#x, its lane has none", k.name, r.First, r.N)
				}
			}
			for _, ref := range w.Inside {
				slot := ref.Index()
				inside++
				sameRanges(t, fmt.Sprintf("%s: inside", k.name), k.Packets(nil, packets, []uint32{slot}),
					[]asm.Range{{First: slot, N: asm.RangeHit | (1<<counts[slot] - 1)}})
			}
		}
		if inside == 0 {
			t.Error("nothing was inside")
		}
	})
}

// holdingAll returns a volume of each kind around the boxes from -1 to 1. The boxes are beyond the near bound of
// volumes with two bounds.
func holdingAll() []*kernels {
	six := [6][4]float32{always, always, always, always, always, always}
	near, extent := [3]float32{0.5, 0.5, 0.5}, [3]float32{9, 9, 9}
	all, far, farConvex := bare(six), cull.MakePlanes(&six, near, extent), new(cull.Convex)
	farConvex.Set([][4]float32{always}, near, extent)
	return []*kernels{
		frustumKernels(&all),
		boxKernels(&cull.Box{-9, 9, -9, 9, -9, 9}),
		sphereKernels(&cull.Sphere{Scale: 1, Limit: 50}),
		convexKernels(convexOf([3]float32{})),
		frustumKernels(&far),
		convexKernels(farConvex),
	}
}

// Eight children of each of 64 nodes fill each list in turn to the last entry that a call may use.
func TestVolumeFullLists(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		cut := bare([6][4]float32{{1, 0, 0, 0}, always, always, always, always, always})
		border := []*kernels{
			frustumKernels(&cut),
			boxKernels(&cull.Box{0, 9, -9, 9, -9, 9}),
			sphereKernels(&cull.Sphere{Scale: 1, Limit: 0.5}),
			convexKernels(convexOf([3]float32{1, 1, 1}, [4]float32{1, 0, 0, 0}, [4]float32{0, 1, 0, 0})),
		}
		inside := holdingAll()
		for _, at := range []kernel.Place{kernel.Tail, kernel.Head} {
			for _, packet := range []soa.Ref{0, soa.RefPacket} {
				nodes := kernel.Put(t, at, make([]soa.Node, 2*cull.NodesPerCall))
				for i := range nodes {
					for l := range soa.Fan {
						kernel.SetNodeBox(&nodes[i], l, kernel.Columns{-1, 1, -1, 1, -1, 1})
						nodes[i].Child[l] = soa.RefStatic | packet | soa.Ref(len(nodes)-1)
						if i >= cull.NodesPerCall { // ends the walk
							nodes[i].Child[l] = soa.RefStatic | soa.RefPacket
						}
					}
				}
				for _, k := range border {
					w := k.checkWalk(t, at, nodes, kernel.UpTo(cull.NodesPerCall), &asm.AllNodes)
					if len(w.Packets) < cull.NodesPerCall*soa.Fan {
						t.Errorf("%s: %d packets", k.name, len(w.Packets))
					}
				}
				for _, k := range inside {
					w := k.checkWalk(t, at, nodes, kernel.UpTo(cull.NodesPerCall), &asm.AllNodes)
					if len(w.Inside) != cull.NodesPerCall*soa.Fan {
						t.Errorf("%s: %d inside", k.name, len(w.Inside))
					}
				}
			}
		}
	})
}

func TestVolumeScanPanics(t *testing.T) {
	k := boxKernels(&cull.Box{})
	for _, c := range []struct{ first, n int }{{-1, 1}, {0, -1}, {0, 4}, {3, 1}, {4, 0}, {1, math.MaxInt}} {
		if testkit.Panic(func() { k.Scan(nil, make([]soa.Packet, 3), c.first, c.n) }) == nil {
			t.Errorf("a scan of %d slots from %d over 3 did not panic", c.n, c.first)
		}
	}
}

// Kernels reject unsupported input.
func TestVolumePanics(t *testing.T) {
	packets, nodes := make([]soa.Packet, 1), make([]soa.Node, 1)
	for _, v := range []cull.Volume{
		{Shape: cull.ShapeConvex + 1},
		{Shape: 255},
		{Shape: cull.ShapeConvex},
		{Shape: cull.ShapeConvex, Convex: cull.Convex{N: cull.MaxPlanes + 1}},
		{Shape: cull.ShapeConvex, Convex: cull.Convex{N: -1}},
	} {
		for name, call := range map[string]func(){
			"nodes":   func() { v.Nodes(&asm.VolumeWalk{Queue: []uint32{0}}, nodes, &asm.AllNodes) },
			"packets": func() { v.Packets(nil, packets, []uint32{0}) },
			"scan":    func() { v.Scan(nil, packets, 0, 1) },
		} {
			if testkit.Panic(call) == nil {
				t.Errorf("%s: shape %d with %d planes: no panic", name, v.Shape, v.Convex.N)
			}
		}
	}
}

func TestVolumeAllocations(t *testing.T) {
	eachShape(t, func(t *testing.T, rng *rand.Rand, random func(testing.TB, kernel.Place, testkit.BoxKind) *kernels) {
		packets, _ := kernel.RandomPackets(rng, 600, testkit.BoxesSmall)
		nodes := kernel.RandomNodes(rng, 100, testkit.BoxesSmall)
		k, slots, filter := random(t, kernel.Heap, testkit.BoxesSmall), kernel.UpTo(len(packets)), asm.AllNodes
		var w asm.VolumeWalk
		var out []asm.Range
		testkit.Allocs(t, 10, func() {
			for w.Reset(0); !w.Done(); {
				k.Nodes(&w, nodes, &filter)
			}
			out = k.Packets(out[:0], packets, slots)
			out = k.Scan(out[:0], packets, 0, len(packets))
		})
	})
}

// FuzzVolumes reads a volume of one of the shapes, then boxes and references.
// Numbers are any finite ones, boxes may be inverted.
func FuzzVolumes(f *testing.F) {
	f.Add(frustumSeed([6][4]float32{{1, 0, 0, 0}, {-2, 2, -2, 2}, always, always}, 70), uint8(0), uint32(0), uint32(soa.RefStatic|soa.RefMoving))
	f.Add(frustumSeed([6][4]float32{{0.2, -0.1, 0, 0.1}, {-0.2, 0, 0.1, 0.1}, {3: -1}, always}, 33), uint8(1), uint32(3), uint32(soa.RefStatic))
	f.Add(frustumSeed([6][4]float32{{1, 0, 0, 0}, {0, -0.2, 0, 0.1}}, 50), uint8(2), uint32(1), uint32(soa.RefMoving))
	f.Add([]byte("short"), uint8(7), uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, shape uint8, mask, flags uint32) {
		in := kernel.Reader(data)
		var k *kernels
		switch shape % 3 {
		case 0:
			k = boxKernels((*cull.Box)(in.Numbers(6)))
		case 1:
			n := in.Numbers(5)
			k = sphereKernels(&cull.Sphere{Center: [3]float32(n), Scale: n[3], Limit: n[4]})
		default:
			planes := make([][4]float32, 1+shape/3%cull.MaxPlanes)
			for i := range planes {
				planes[i] = [4]float32(in.Numbers(4))
			}
			c := convexOf([3]float32{}, planes...)
			copy(c.Coef[:], planes) // neither scaled nor widened
			k = convexKernels(c)
		}
		packets := make([]soa.Packet, 1+min(len(in)/(24*soa.Lanes), 100))
		nodes := make([]soa.Node, 1+min(len(in)/(32*soa.Fan), 100))
		for i := range packets {
			for l := range soa.Lanes {
				kernel.SetPacketBox(&packets[i], l, kernel.Columns(in.Numbers(6)))
			}
		}
		in = kernel.Reader(data)
		for i := range nodes {
			for l := range soa.Fan {
				kernel.SetNodeBox(&nodes[i], l, kernel.Columns(in.Numbers(6)))
				ref := soa.Ref(in.Uint32())
				// A child node follows its parent, so that the walk ends.
				if !ref.IsPacket() {
					ref &^= soa.RefIndex
					if child := soa.Fan*i + l + 1; child < len(nodes) {
						ref |= soa.Ref(child)
					} else {
						ref |= soa.RefPacket
					}
				}
				nodes[i].Child[l], nodes[i].Mask[l] = ref, in.Uint32()
			}
		}
		filter := asm.NodeFilter{Mask: mask, Flags: soa.Ref(flags) & soa.RefFlags}
		kernel.OnTiers(t, func() {
			k.check(t, kernel.Heap, packets, kernel.UpTo(len(packets)))
			k.checkWalk(t, kernel.Heap, nodes, []uint32{0}, &filter)
		})
	})
}

// A volume walk tests the queued nodes up to its budget, 64 at most.
func TestVolumeBudget(t *testing.T) {
	const queued = 3 * cull.NodesPerCall
	nodes := make([]soa.Node, queued)
	for i := range nodes {
		nodes[i] = soa.EmptyNode
	}
	for shape, random := range shapes {
		rng := testkit.Rand(1)
		testkit.EachTier(t, func(t *testing.T) {
			for _, budget := range []int{0, 1, 2, 5, cull.NodesPerCall - 1, cull.NodesPerCall, cull.NodesPerCall + 1} {
				k := random(t, kernel.Heap, rng, testkit.BoxesSmall)
				w := &asm.VolumeWalk{}
				w.Reset(0)
				for i := 1; i < queued; i++ {
					w.Queue = append(w.Queue, uint32(i))
				}
				w.Budget = budget
				k.Nodes(w, nodes, &asm.AllNodes)
				want := min(budget, cull.NodesPerCall)
				if budget == 0 {
					want = cull.NodesPerCall
				}
				if w.Head != want {
					t.Fatalf("%s, budget %d: %d nodes tested, want %d", shape, budget, w.Head, want)
				}
			}
		})
	}
}
