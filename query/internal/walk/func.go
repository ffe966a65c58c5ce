package walk

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Tester classifies boxes against a volume. If it has a method Release, a walk calls that when it ends.
type Tester interface {
	Relate(box *soa.AABB) exact.Relation
}

// Func is a query of a volume that a tester defines, in a box that contains it. The zero value finds nothing.
//
// The kernels walk the box, level by level. After each call of a kernel the boxes of the children that intersect the
// box of the query are tested, so that no child of an excluded node is visited.
type Func struct {
	box  cull.Box
	test Tester

	// Coarse means that the boxes of nodes and packets are tested, and those of objects are not.
	Coarse bool
}

// Set sets the box and the tester.
func (b *Func) Set(min, max *[3]float32, test Tester) {
	b.box.Set(min, max)
	b.test = test
}

// Bounds returns the box.
func (b *Func) Bounds() soa.AABB { return (&Box{b.box}).Bounds() }

// Tester returns the tester.
func (b *Func) Tester() Tester {
	if b.test == nil {
		return nothing{}
	}
	return b.test
}

// SetTester replaces the tester.
func (b *Func) SetTester(test Tester) { b.test = test }

// nothing is the tester of a volume without points.
type nothing struct{}

func (nothing) Relate(*soa.AABB) exact.Relation { return exact.Outside }

// Begin takes a walk from the pool and prepares the box for the store.
func (b *Func) Begin(s *soa.Store) *Walk {
	w := take(s)
	w.second, w.tester, w.coarse = secondFunc, b.Tester(), b.Coarse
	w.mark = phase.Mark{}
	w.volume.Shape = cull.ShapeBox
	w.volume.Box = b.box
	return w
}

// SetTester replaces the tester of a walk of a [Func] that has begun.
func (w *Walk) SetTester(test Tester) { w.tester = test }

// releaseTester drops the tester.
func (w *Walk) releaseTester() {
	if t, ok := w.tester.(interface{ Release() }); ok {
		t.Release()
	}
	w.tester = nil
}

// Lift writes the box in float64, and the tester.
func (b *Func) Lift(to *Volume) {
	(&Box{b.box}).Lift(to)
	to.Kind, to.N, to.Test = KindFunc, 0, b.Tester()
	to.SetEdges(to)
}

// relateNodes walks the nodes in a phase, lists the references inside the volume and the packets to test.
func (w *Walk) relateNodes(m phase.Mark) {
	w.mark = m
	defer unwind(&m)
	for !w.lists.Done() {
		w.relateSome()
	}
	m = phase.Mark{}
}

// unwind leaves the phase of a test that has panicked. Otherwise the mark is zero, which has no effect.
func unwind(m *phase.Mark) { m.Leave() }

// relateSome continues a walk by one call of the kernel, and tests the children that it has listed. The call visits
// no child listed by itself.
func (w *Walk) relateSome() {
	s, l := w.store, &w.lists
	queue, packets, inside := len(l.Queue), len(l.Packets), len(l.Inside)
	l.Budget = queue - l.Head
	w.volume.Nodes(l, s.Nodes.Hot, &w.nodeFilter)
	l.Queue = w.relateList(l.Queue, queue, s.Nodes.Parents)
	l.Packets = w.relateList(l.Packets, packets, s.Packets.Parents)
	in := l.Inside[inside:]
	boxes := w.boxesFor(len(in))
	for i, ref := range in {
		up := &s.Nodes.Parents
		if ref.IsPacket() {
			up = &s.Packets.Parents
		}
		w.setLane(&boxes[i], (*up)[ref.Index()])
	}
	l.Inside = l.Inside[:inside]
	for i, ref := range in {
		at := ref.Index()
		switch r := w.tester.Relate(&boxes[i]); {
		case r == exact.Outside:
		case r == exact.Inside:
			l.Inside = append(l.Inside, ref)
		case ref.IsPacket():
			l.Packets = append(l.Packets, at)
		default:
			l.Queue = append(l.Queue, at)
		}
	}
}

// relateList removes the entries of a list from an index on that are outside the volume. They cross the border of
// the box, so they are not inside the volume.
func (w *Walk) relateList(list []uint32, from int, parents []soa.Up) []uint32 {
	boxes := w.boxesFor(len(list) - from)
	for i, at := range list[from:] {
		w.setLane(&boxes[i], parents[at])
	}
	kept := list[:from]
	for i, at := range list[from:] {
		if w.tester.Relate(&boxes[i]) != exact.Outside {
			kept = append(kept, at)
		}
	}
	return kept
}

// boxesFor returns room for boxes to test. All are written before the first is tested, which copies it: reading a box
// by words that are wider than the ones just written delays each test.
func (w *Walk) boxesFor(n int) []soa.AABB {
	w.boxes = slices.Grow(w.boxes[:0], n)[:n]
	return w.boxes
}

// setLane writes the box of a lane of a node.
func (w *Walk) setLane(to *soa.AABB, up soa.Up) {
	setBox(to, &w.store.Nodes.Hot[up.Node()].Bounds, int(up.Lane()))
}

func setBox(to *soa.AABB, b *soa.Packet, l int) {
	l &= soa.Lanes - 1
	to.Min[0], to.Min[1], to.Min[2] = b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]
	to.Max[0], to.Max[1], to.Max[2] = b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]
}

// relateAtOnce is the number of packets whose boxes are written before the first is tested.
const relateAtOnce = 16

// relateHits keeps the lanes of hit ranges that the filter keeps and that are not outside the volume. With once it
// stops at the first lane kept.
func (w *Walk) relateHits(f *Filter, once bool) {
	if w.coarse {
		return
	}
	m := w.mark
	defer unwind(&m)
	filter, all := f.LaneFilter(), f.All()
	kept, from := w.ranges[:0], 0
	for from < len(w.ranges) && !(once && len(kept) > 0) {
		next := w.ranges[from:min(from+relateAtOnce, len(w.ranges))]
		from += len(next)
		for i := range next {
			if r := &next[i]; !all && r.N&asm.RangeHit != 0 {
				r.N = asm.RangeHit | filter.Kept(&w.store.Packets, r.First, r.N&0xffff)
			}
		}
		kept = w.relateRanges(kept, next, once)
	}
	w.ranges = kept
	m = phase.Mark{}
}

// relateRanges appends the ranges of a list of at most relateAtOnce that the test leaves.
func (w *Walk) relateRanges(kept, list []asm.Range, once bool) []asm.Range {
	boxes, n := w.boxesFor(relateAtOnce*soa.Lanes), 0
	for _, r := range list {
		b := &w.store.Packets.Bounds[r.First]
		for left := hitsOf(r); left != 0; left &= left - 1 {
			setBox(&boxes[n], b, bits.TrailingZeros32(left))
			n++
		}
	}
	n = 0
	for _, r := range list {
		hit := hitsOf(r)
		for left := hit; left != 0; left &= left - 1 {
			lane := left & -left
			if n++; w.tester.Relate(&boxes[n-1]) == exact.Outside {
				hit &^= lane
			} else if once {
				return append(kept, asm.Range{First: r.First, N: asm.RangeHit | lane})
			}
		}
		if r.N&asm.RangeHit == 0 {
			kept = append(kept, r)
		} else if hit != 0 {
			kept = append(kept, asm.Range{First: r.First, N: asm.RangeHit | hit})
		}
	}
	return kept
}

// hitsOf returns the lanes of a hit range, and none of a range of whole packets.
func hitsOf(r asm.Range) uint32 {
	if r.N&asm.RangeHit == 0 {
		return 0
	}
	return r.N & 0xffff
}

// anyRelated reports whether an object is not outside the volume and passes the filter, for a walk that has begun.
func (w *Walk) anyRelated(f *Filter) bool {
	l := &w.lists
	for {
		w.inside()
		l.Inside = l.Inside[:0]
		if w.found(f) {
			return true
		}
		w.ranges = w.volume.Packets(w.ranges[:0], w.store.Packets.Bounds, l.Packets)
		l.Packets = l.Packets[:0]
		if w.relateHits(f, true); len(w.ranges) > 0 {
			return true
		}
		if l.Done() {
			return false
		}
		w.relateSome()
	}
}
