package cull_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// boxScene is nodes, the packets that they refer to, and runs of slots of the nodes.
type boxScene struct {
	nodes   []soa.Node
	spans   []soa.Span
	packets []soa.Packet
	ids     []kernel.IDRow
	counts  []uint8
	pending []uint32
}

func randomBoxScene(t *testing.T, at kernel.Place, rng *rand.Rand, n int, kind testkit.BoxKind) (s boxScene) {
	const slots = 40
	nodes := kernel.RandomNodes(rng, n, kind)
	s.spans = make([]soa.Span, n)
	for i := range nodes {
		first := rng.Uint32N(slots)
		s.spans[i] = soa.Span{First: first, End: first + rng.Uint32N(min(slots-first, 20)+1)}
		if i%5 == 4 {
			s.spans[i] = soa.Span{} // not a run
		}
		for l, ref := range nodes[i].Child {
			if ref.IsPacket() {
				nodes[i].Child[l] = ref&^soa.RefIndex | soa.Ref(rng.Uint32N(slots))
			}
		}
	}
	packets, counts := kernel.RandomPackets(rng, slots, kind)
	ids, _ := kernel.RandomIDs(rng, slots)
	s.nodes, s.packets, s.ids, s.counts = kernel.Put(t, at, nodes), kernel.Put(t, at, packets), kernel.Put(t, at, ids), kernel.Put(t, at, counts)
	for range rng.IntN(3) {
		s.pending = append(s.pending, rng.Uint32N(slots))
	}
	return s
}

// alone is the result of a box by itself. queued is the number of nodes besides the root that it intersects; fits
// reports whether its other hits fit the lists.
func (s *boxScene) alone(box cull.Box, most int) (ids []uint32, queued int, fits bool) {
	var inside, slots []uint32
	fits = true
	intersects := func(c kernel.Columns) (hit, in bool) {
		hit, in = true, true
		for a := 0; a < 6; a += 2 {
			hit = hit && c[a] <= box[a+1] && c[a+1] >= box[a]
			in = in && c[a] >= box[a] && c[a+1] <= box[a+1]
		}
		return hit, in
	}
	whole := 0
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		n := &s.nodes[queue[0]]
		for l, ref := range n.Child {
			switch hit, in := intersects(kernel.NodeBox(n, l)); {
			case !hit:
			case in:
				whole++
				slot, end := ref.Index(), ref.Index()+1
				if !ref.IsPacket() {
					slot, end = s.spans[slot].First, s.spans[slot].End
					fits = fits && end != 0
				}
				for ; slot < end; slot++ {
					inside = append(inside, slot)
				}
			case ref.IsPacket():
				slots = append(slots, ref.Index())
			default:
				queued++
				queue = append(queue, ref.Index())
			}
		}
	}
	for _, slot := range inside {
		ids = append(ids, s.ids[slot][:s.counts[slot]]...)
	}
	for _, slot := range append(slices.Clone(s.pending), slots...) {
		for l, id := range s.ids[slot] {
			if hit, _ := intersects(kernel.PacketBox(&s.packets[slot], l)); hit {
				ids = append(ids, id)
			}
		}
	}
	fits = fits && queued <= min(most, cull.BoxNodeLimit) && whole <= cull.BoxInsideLimit && len(inside)+len(s.pending)+len(slots) <= cull.BoxPacketLimit
	return ids, queued, fits
}

// Boxes that share a walk have the results of single boxes, in the same order, on every tier, and bail out exactly
// when a list is too short. Nodes, packets and IDs end at memory without access.
func TestBoxesWalk(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	kept, lost := 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		var w cull.BoxesWalk
		for _, kind := range testkit.BoxKinds() {
			kernel.EachPlace(t, []int{1, 2, 9, 40, 200}, func(t *testing.T, at kernel.Place, n int) {
				s := randomBoxScene(t, at, rng, n, kind)
				for _, count := range []int{1, 2, 7, 8, 9, 15, 16} {
					w.N = count
					most := []int{0, 3, 12, 1000}[rng.IntN(4)]
					for i := range count {
						b := testkit.RandomBoxes(rng, 1, kind)[0]
						if i%2 == 0 && kind == testkit.BoxesSmall {
							for a := range 3 {
								b.Max[a] += 60 * rng.Float32()
							}
						}
						w.Boxes[i] = cull.MakeBox(b.Min, b.Max)
					}
					w.Nodes(s.nodes, s.spans, s.pending, most)
					want := make([][]uint32, count)
					tested, short := 0, 0
					for i := range count {
						ids, queued, fits := s.alone(w.Boxes[i], most)
						tested += 1 + queued
						if fits && w.Abandoned(i) {
							short++
						}
						if !fits && !w.Abandoned(i) {
							t.Fatalf("box %d of %d was not abandoned", i, count)
						}
						if want[i] = ids; w.Abandoned(i) {
							want[i] = nil
							lost++
						} else {
							kept++
						}
					}
					if short > 0 && tested <= cull.BoxNodesPerCall {
						t.Fatalf("%d of %d boxes were abandoned, which overlap %d nodes in all", short, count, tested)
					}
					s.compare(t, &w, want, 0, count)
					if half := count / 2; half > 0 {
						s.compare(t, &w, want, 0, half)
						s.compare(t, &w, want, half, count)
					}
				}
			})
		}
	})
	if kept < 100 || lost < 30 {
		t.Errorf("%d answers, %d boxes were abandoned", kept, lost)
	}
}

// compare checks the results of the boxes from first to end.
func (s *boxScene) compare(t *testing.T, w *cull.BoxesWalk, want [][]uint32, first, end int) {
	t.Helper()
	var sums [cull.MaxBoxes]uint32
	dst := kernel.Room[uint32](t, kernel.Tail, 1+(w.Packets()+1)*soa.Lanes)[:1]
	dst[0] = 7
	got := w.AppendIDs(dst, &sums, first, end, s.packets, s.ids, s.counts)
	if got[0] != 7 || !slices.Equal(got[1:], slices.Concat(want[first:end]...)) {
		t.Fatalf("boxes %d to %d: %d IDs, want %d", first, end, len(got)-1, len(slices.Concat(want[first:end]...)))
	}
	from := 0
	for i, ids := range want[first:end] {
		if sum := int(sums[first+i]); sum != from+len(ids) {
			t.Fatalf("boxes %d to %d: %d IDs up to box %d, want %d", first, end, sum, first+i, from+len(ids))
		}
		from += len(ids)
	}
}

// newBoxScene returns a root and packets, with as many slots as nodes have lanes.
func newBoxScene(rng *rand.Rand) (s boxScene) {
	s.nodes = []soa.Node{soa.EmptyNode}
	s.packets, s.counts = kernel.RandomPackets(rng, soa.Fan, testkit.BoxesGrid)
	s.ids, _ = kernel.RandomIDs(rng, soa.Fan)
	return s
}

// addNode adds a node as a child of another one, addPacket a packet.
func (s *boxScene) addNode(to, lane int, box kernel.Columns) int {
	n := len(s.nodes)
	s.nodes = append(s.nodes, soa.EmptyNode)
	kernel.SetNodeBox(&s.nodes[to], lane, box)
	s.nodes[to].Child[lane] = soa.RefMoving | soa.Ref(n)
	return n
}

func (s *boxScene) addPacket(to, lane int, box kernel.Columns) {
	kernel.SetNodeBox(&s.nodes[to], lane, box)
	s.nodes[to].Child[lane] = soa.RefMoving | soa.RefPacket | soa.Ref(lane)
}

// Two regions, common for most boxes and apart for one, with offsets around and within them.
var (
	common, apart = kernel.Columns{0, 4, 0, 4, 0, 4}, kernel.Columns{8, 12, 0, 4, 0, 4}
	around        = kernel.Columns{-1, 1, -1, 1, -1, 1}
	within        = kernel.Columns{1, -1, 1, -1, 1, -1}
)

func plus(c, d kernel.Columns) kernel.Columns {
	for i := range c {
		c[i] += d[i]
	}
	return c
}

// boxesAt are boxes of the common region, except one.
func boxesAt(one int) (boxes [cull.MaxBoxes]cull.Box) {
	for i := range boxes {
		if boxes[i] = cull.Box(common); i == one {
			boxes[i] = cull.Box(apart)
		}
	}
	return boxes
}

// release walks and fails unless the lost boxes bail out and the others have their results.
func (s *boxScene) checkAbandoned(t *testing.T, w *cull.BoxesWalk, lost func(i int) bool) {
	t.Helper()
	w.N = cull.MaxBoxes
	w.Nodes(s.nodes, s.spans, s.pending, cull.BoxNodeLimit)
	want := make([][]uint32, cull.MaxBoxes)
	for i := range want {
		if w.Abandoned(i) != lost(i) {
			t.Errorf("box %d is abandoned: %v, want %v", i, w.Abandoned(i), lost(i))
		}
		if !w.Abandoned(i) {
			want[i], _, _ = s.alone(w.Boxes[i], cull.BoxNodeLimit)
		}
	}
	s.compare(t, w, want, 0, cull.MaxBoxes)
}

// A call takes so many nodes and not one more: boxes beyond the limit bail out, and later boxes with fewer hits go
// on. Fifteen boxes hit three nodes and twelve in each, the sixteenth one node and some in it:
// these, the sixteenth one node and some in that:
//
//	16 roots + 15*3 + 1 = 62, + 9*36 = 386, and 14 are left
func TestBoxesWalkNodes(t *testing.T) {
	const fit, left = 9, 14
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		var w cull.BoxesWalk
		for _, wanted := range []int{left - 1, left, left + 1} {
			s := newBoxScene(rng)
			for l, n := range []int{12, 12, 12, wanted} {
				box := plus(common, around)
				if l == 3 {
					box = plus(apart, around)
				}
				node := s.addNode(0, l, box)
				for k := range n {
					s.addPacket(s.addNode(node, k, box), k, box)
				}
			}
			w.Boxes = boxesAt(cull.MaxBoxes - 1)
			s.checkAbandoned(t, &w, func(i int) bool { return i >= fit && (i < cull.MaxBoxes-1 || wanted > left) })
		}
	})
}

// A list takes so many packets, on the border of a box or inside. A box with more hits bails out without a trace in
// the lists of the others.
func TestBoxesWalkLists(t *testing.T) {
	const big = 3
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		var w cull.BoxesWalk
		for _, list := range []struct {
			place kernel.Columns
			limit int
		}{{around, cull.BoxPacketLimit}, {within, cull.BoxInsideLimit}} {
			for _, n := range []int{list.limit - 1, list.limit, list.limit + 1, 15 * soa.Fan} {
				s := newBoxScene(rng)
				s.addPacket(0, 0, plus(common, list.place))
				for left := n; left > 0; left -= soa.Fan {
					node := s.addNode(0, len(s.nodes), plus(apart, around))
					for l := range min(left, soa.Fan) {
						s.addPacket(node, l, plus(apart, list.place))
					}
				}
				w.Boxes = boxesAt(big)
				s.checkAbandoned(t, &w, func(i int) bool { return i == big && n > list.limit })
			}
		}
	})
}
