package trace_test

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// dist2Ref is the documented squared distance, from a box as it lies in columns; a
// scale of 0 is 1.
func dist2Ref(c kernel.Columns, p [3]float32, scale float32) float32 {
	if scale == 0 {
		scale = 1
	}
	var d [3]float32
	for a := range 3 {
		d[a] = max(max(c[2*a]-p[a], p[a]-c[2*a+1]), 0) * scale
	}
	return float32(float32(d[0]*d[0])+float32(d[1]*d[1])) + float32(d[2]*d[2])
}

// nearChildrenRef returns the entries that a node adds to the stack.
func nearChildrenRef(n *soa.Node, w *trace.NearWalk) (entries []uint64) {
	type child struct {
		key   uint32
		entry uint64
	}
	var kept []child
	for l := range soa.Fan {
		ref, d2 := n.Child[l], dist2Ref(kernel.NodeBox(n, l), w.Point, w.Scale)
		if ref&w.Filter.Flags == 0 || w.Filter.Mask != 0 && n.Mask[l]&w.Filter.Mask == 0 || d2 > w.Bound {
			continue
		}
		kept = append(kept, child{math.Float32bits(d2)&^15 | uint32(l), trace.NearEntry(d2, ref)})
	}
	slices.SortFunc(kept, func(a, b child) int { return cmp.Compare(b.key, a.key) })
	for _, c := range kept {
		entries = append(entries, c.entry)
	}
	return entries
}

// nearPacketRef returns the distances in a packet and the lanes within a bound.
func nearPacketRef(p *soa.Packet, point [3]float32, bound, scale float32) (dist [soa.Lanes]float32, mask uint32) {
	for l := range soa.Lanes {
		dist[l] = dist2Ref(kernel.PacketBox(p, l), point, scale)
		if dist[l] <= bound {
			mask |= 1 << l
		}
	}
	return dist, mask
}

// nearScene is the data of a near kernel, in guarded memory.
type nearScene struct {
	at      kernel.Place
	walk    *trace.NearWalk
	nodes   []soa.Node
	packets []soa.Packet
	ids     [][soa.Lanes]uint32
}

// newNearScene returns n nodes and n packets, each of which is a child, and a walk whose stack is the first node,
// below it at times two packets.
func newNearScene(t testing.TB, rng *rand.Rand, at kernel.Place, n int, kind testkit.BoxKind, scale float32) *nearScene {
	nodes := kernel.RandomNodes(rng, n, kind)
	for i := range nodes {
		for l, ref := range nodes[i].Child {
			if ref.IsPacket() {
				nodes[i].Child[l] = ref&^soa.RefIndex | soa.Ref(rng.Uint32N(uint32(n)))
			}
		}
	}
	packets, _ := kernel.RandomPackets(rng, n, kind)
	s := &nearScene{
		at: at, nodes: kernel.Put(t, at, nodes), packets: kernel.Put(t, at, packets),
		ids: kernel.Room[[soa.Lanes]uint32](t, at, n),
	}
	for i := range s.ids {
		for l := range s.ids[i] {
			s.ids[i][l] = rng.Uint32()
		}
	}
	s.walk = &trace.NearWalk{Scale: scale}
	s.walk.Point = testkit.RandomBoxes(rng, 1, kind)[0].Min
	s.walk.Bound = float32(math.Inf(1))
	if rng.IntN(3) > 0 {
		b := testkit.RandomBoxes(rng, 1, kind)[0]
		s.walk.Bound = dist2Ref(kernel.ColumnsOf(b), s.walk.Point, s.walk.Scale)
	}
	s.walk.Filter = asm.AllNodes
	if rng.IntN(3) == 0 {
		s.walk.Filter = asm.NodeFilter{Mask: rng.Uint32N(16), Flags: []soa.Ref{soa.RefMoving, soa.RefStatic}[rng.IntN(2)]}
	}
	for i := range uint32(min(n, 2*rng.IntN(2))) {
		s.walk.Stack = append(s.walk.Stack, trace.NearEntry(0, soa.PacketRef(i)))
	}
	if n > 0 {
		s.walk.Stack = append(s.walk.Stack, trace.NearEntry(0, 0))
	}
	return s
}

// guarded moves the stack to memory with exactly the room of a call.
func (s *nearScene) guarded(t testing.TB, extra int) {
	stack := kernel.Room[uint64](t, s.at, len(s.walk.Stack)+extra)
	s.walk.Stack = stack[:copy(stack, s.walk.Stack)]
}

// checkNearWalk runs a walk to its end, step by step, beside the reference.
func checkNearWalk(t testing.TB, s *nearScene) {
	t.Helper()
	w := s.walk
	for len(w.Stack) > 0 {
		want := slices.Clone(w.Stack)
		e := want[len(want)-1]
		want = want[:len(want)-1]
		var dist [soa.Lanes]float32
		var mask uint32
		if ref := soa.Ref(e); math.Float32frombits(uint32(e>>32)) <= w.Bound {
			if !ref.IsPacket() {
				want = append(want, nearChildrenRef(&s.nodes[ref], w)...)
			} else {
				dist, mask = nearPacketRef(&s.packets[ref.Index()], w.Point, w.Bound, w.Scale)
			}
		}
		s.guarded(t, trace.NearStepRoom)
		if got := trace.NearStep(w, s.nodes, s.packets); got != mask {
			t.Fatalf("mask %#x, want %#x", got, mask)
		}
		if mask != 0 && (w.Slot != soa.Ref(e).Index() || w.Dist != dist) {
			t.Fatalf("slot %d, %x, want %d, %x", w.Slot, w.Dist, soa.Ref(e).Index(), dist)
		}
		if !slices.Equal(w.Stack, want) {
			t.Fatalf("stack %x, want %x", w.Stack, want)
		}
	}
}

// checkNearMany compares NearWalk and NearFind with single steps.
func checkNearMany(t testing.TB, s *nearScene, k int) {
	t.Helper()
	type lane struct{ dist, location uint32 }
	start, bound, w := slices.Clone(s.walk.Stack), s.walk.Bound, s.walk
	// steps returns all lanes that single steps hit, and calls check after each.
	steps := func(check func(all []lane)) (all []lane) {
		w.Stack, w.Bound = append(w.Stack[:0], start...), bound
		for len(w.Stack) > 0 {
			for m := trace.NearStep(w, s.nodes, s.packets); m != 0; m &= m - 1 {
				l := uint32(bits.TrailingZeros32(m))
				all = append(all, lane{math.Float32bits(w.Dist[l]), w.Slot<<4 | l})
			}
			check(all)
		}
		return all
	}

	want := steps(func([]lane) {})
	w.Stack = append(w.Stack[:0], start...)
	var got []lane
	for m := uint32(1); m != 0; {
		s.guarded(t, trace.NearRoom)
		m = trace.NearNext(w, s.nodes, s.packets)
		for rest := m; rest != 0; rest &= rest - 1 {
			l := uint32(bits.TrailingZeros32(rest))
			got = append(got, lane{math.Float32bits(w.Dist[l]), w.Slot<<4 | l})
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("NearWalk hit %x, want %x", got, want)
	}

	// The lanes in want are within the bound after their packet, the others only within that before it.
	want = want[:0]
	before := 0
	within := steps(func(all []lane) { // the bound is the k-th smallest
		if len(all) >= k {
			sorted := slices.Clone(all)
			slices.SortFunc(sorted, func(a, b lane) int { return cmp.Compare(a.dist, b.dist) })
			w.Bound = min(bound, math.Float32frombits(sorted[k-1].dist))
		}
		for _, l := range all[before:] {
			if math.Float32frombits(l.dist) <= w.Bound {
				want = append(want, l)
			}
		}
		before = len(all)
	})
	last := w.Bound
	w.Stack, w.Bound = append(w.Stack[:0], start...), bound
	p := &kernel.Put(t, s.at, make([]trace.NearFound, 1))[0]
	p.Reset(k, bound)
	got = nil
	for more := true; more; {
		s.guarded(t, trace.NearRoom)
		more = trace.NearFind(w, p, s.nodes, s.packets, s.ids)
		for i := range p.Len {
			got = append(got, lane{math.Float32bits(p.Dist[i]), uint32(p.Location[i])})
		}
		p.Len = 0
	}
	// All in want are listed, others may be.
	rest := want
	for _, l := range got {
		i := slices.Index(within, l)
		if i < 0 {
			t.Fatalf("NearFind of %d listed %x, which is not within the bound: want %x", k, l, within)
		}
		if within = within[i+1:]; len(rest) > 0 && l == rest[0] {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 || w.Bound != last {
		t.Fatalf("NearFind of %d listed %x within %x, want %x within %x", k, got, w.Bound, want, last)
	}
	defer func(was bool) { cpu.Narrow = was }(cpu.Narrow)
	for _, cpu.Narrow = range []bool{false, true} { // the forms of the tier avx512
		checkNearFirst(t, s, start, bound, 1+k%5)
	}
}

// checkNearFirst compares NearFirst, in calls of so many entries, with single steps.
func checkNearFirst(t testing.TB, s *nearScene, start []uint64, bound float32, budget int) {
	t.Helper()
	w := s.walk
	id := func(p soa.Location) uint32 { return s.ids[p.Slot()][p.Lane()] }
	best := trace.NoLocation
	w.Stack, w.Bound = append(w.Stack[:0], start...), bound
	for len(w.Stack) > 0 {
		for m := trace.NearStep(w, s.nodes, s.packets); m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			at := soa.MakeLocation(w.Slot, l)
			if d := w.Dist[l]; best == trace.NoLocation || d < w.Bound || d == w.Bound && id(at) < id(best) {
				best, w.Bound = at, d
			}
		}
	}
	last := w.Bound
	w.Stack, w.Bound, w.Location, w.Budget = append(w.Stack[:0], start...), bound, trace.NoLocation, budget
	calls := 1
	for ; trace.NearFirst(w, s.nodes, s.packets, s.ids); calls++ {
		s.guarded(t, trace.NearRoom)
	}
	w.Budget = 0
	same := w.Location == best || w.Location != trace.NoLocation && best != trace.NoLocation && id(w.Location) == id(best)
	if w.Bound != last || !same && last <= math.MaxFloat32 {
		t.Fatalf("NearFirst found %x within %x in %d calls, want %x within %x", w.Location, w.Bound, calls, best, last)
	}
}

func TestNearGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{0, 1, 2, 7, 8, 9, 16, 17, 65}, func(t *testing.T, at kernel.Place, n int) {
			for _, kind := range testkit.AgainOne(rng, testkit.BoxKinds()) {
				for _, scale := range []float32{0, 0x1p70, 0x1p127} {
					checkNearWalk(t, newNearScene(t, rng, at, n, kind, scale))
				}
				for _, k := range testkit.Turn(t, int(kind)+n, []int{1, 2, 8, 9, 16, 17, 33, 48, 63, 64}) {
					checkNearMany(t, newNearScene(t, rng, at, n, kind, 0), k)
				}
			}
		})
	})
}

// More lanes at one distance than a list holds, and more entries than a call
// takes.
func TestNearFull(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		const n = 500
		s := &nearScene{walk: &trace.NearWalk{Bound: 3}, packets: make([]soa.Packet, n), ids: make([][soa.Lanes]uint32, n)}
		for i := range uint32(n) {
			s.walk.Stack = append(s.walk.Stack, trace.NearEntry(0, soa.PacketRef(i)))
		}
		start := slices.Clone(s.walk.Stack)
		for _, k := range []int{9, 16, 17, 64} {
			s.walk.Stack, s.walk.Bound = append(s.walk.Stack[:0], start...), 3
			checkNearMany(t, s, k)
		}
	})
}

func TestNearBound(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct{ r, want float32 }{
		{0, 0x1p-148}, {0x1p-149, 0x1p-148}, {1, 0x1.000006p0}, {3, 0x1.200008p3}, {inf, inf},
		{math.MaxFloat32, inf}, {0x1p64, inf}, {0x1.fffffep63, inf}, {0x1.fffff0p63, 0x1.ffffecp127},
	} {
		if got := trace.NearBound(c.r); got != c.want {
			t.Errorf("NearBound(%x) = %x, want %x", c.r, got, c.want)
		}
	}
	rng := testkit.Rand(testkit.Seed(t))
	for range 10000 {
		r := math.Float32frombits(rng.Uint32N(0x7F800001))
		if got, want := trace.NearBound(r), testkit.ReferenceBound2(r); got != want {
			t.Fatalf("NearBound(%x) = %x, want %x", r, got, want)
		}
	}
}

func FuzzNear(f *testing.F) {
	f.Add(uint64(1), uint8(9), uint8(0), uint8(3))
	f.Add(uint64(7), uint8(60), uint8(3), uint8(15))
	f.Add(uint64(8), uint8(60), uint8(1), uint8(49))
	f.Fuzz(func(t *testing.T, seed uint64, n, kind, k uint8) {
		kernel.OnTiers(t, func() {
			rng := rand.New(rand.NewPCG(seed, 0))
			boxes := testkit.BoxKinds()[kind%4]
			checkNearWalk(t, newNearScene(t, rng, kernel.Heap, int(n), boxes, 0))
			checkNearWalk(t, newNearScene(t, rng, kernel.Heap, int(n), boxes, 0x1p70))
			checkNearMany(t, newNearScene(t, rng, kernel.Heap, int(n), boxes, 0), 1+int(k)%trace.NearMany)
		})
	})
}
