package walk

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Tester classifies boxes against a volume: Relate writes the relation of each box. If it has a method Release, a walk
// calls that when it ends.
type Tester interface {
	Relate(boxes []soa.AABB, to []exact.Relation)
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

func (nothing) Relate(_ []soa.AABB, to []exact.Relation) { clear(to) }

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
	queue, inside := len(l.Queue), len(l.Inside)
	l.Budget = queue - l.Head
	w.volume.Nodes(l, s.Nodes.Hot, &w.nodeFilter)
	w.relateQueue(queue)
	in := l.Inside[inside:]
	boxes := w.boxesFor(len(in))
	for i, ref := range in {
		up := &s.Nodes.Parents
		if ref.IsPacket() {
			up = &s.Packets.Parents
		}
		w.setLane(&boxes[i], (*up)[ref.Index()])
	}
	relations := w.relate(boxes)
	l.Inside = l.Inside[:inside]
	for i, ref := range in {
		at := ref.Index()
		switch {
		case relations[i] == exact.Outside:
		case relations[i] == exact.Inside:
			l.Inside = append(l.Inside, ref)
		case ref.IsPacket():
			l.Packets = append(l.Packets, at)
		default:
			l.Queue = append(l.Queue, at)
		}
	}
}

// relateQueue removes the nodes of the queue from an index on that are outside the volume. They cross the border of
// the box, so they are not inside the volume. Packets that do are left to relateRanges, which tests what the kernels
// find in them.
func (w *Walk) relateQueue(from int) {
	l := &w.lists
	boxes := w.boxesFor(len(l.Queue) - from)
	for i, at := range l.Queue[from:] {
		w.setLane(&boxes[i], w.store.Nodes.Parents[at])
	}
	relations := w.relate(boxes)
	kept := l.Queue[:from]
	for i, at := range l.Queue[from:] {
		if relations[i] != exact.Outside {
			kept = append(kept, at)
		}
	}
	l.Queue = kept
}

// boxesFor returns room for boxes to test.
func (w *Walk) boxesFor(n int) []soa.AABB {
	w.boxes = slices.Grow(w.boxes[:0], n)[:n]
	return w.boxes
}

// relate tests boxes.
func (w *Walk) relate(boxes []soa.AABB) []exact.Relation {
	w.relations = slices.Grow(w.relations[:0], len(boxes))[:len(boxes)]
	if len(boxes) > 0 {
		w.tester.Relate(boxes, w.relations)
	}
	return w.relations
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

// relateAtOnce is the number of packets whose boxes are tested together.
const relateAtOnce = 16

// relateHits keeps the lanes of hit ranges that the filter keeps and that are not outside the volume. With once it
// stops at the first packet with a lane kept.
func (w *Walk) relateHits(f *Filter, once bool) {
	if w.coarse {
		return
	}
	m := w.mark
	defer unwind(&m)
	filter, all := f.LaneFilter(), f.All()
	kept, from, atOnce := w.ranges[:0], 0, relateAtOnce
	if once {
		atOnce = 1
	}
	for from < len(w.ranges) && !(once && len(kept) > 0) {
		next := w.ranges[from:min(from+atOnce, len(w.ranges))]
		from += len(next)
		for i := range next {
			if r := &next[i]; !all && r.N&asm.RangeHit != 0 {
				r.N = asm.RangeHit | filter.Kept(&w.store.Packets, r.First, r.N&0xffff)
			}
		}
		kept = w.relateRanges(kept, next)
	}
	w.ranges = kept
	m = phase.Mark{}
}

// relateRanges appends the ranges of a list of at most relateAtOnce that the test leaves.
//
// For a packet that crosses the border of the box of the query, the part of its box in there is tested first. If that
// is inside, each lane that the kernels found has a point of the volume, so no test of it is outside. If it is outside,
// so are the lanes in the box of the query. All other lanes are tested.
func (w *Walk) relateRanges(kept, list []asm.Range) []asm.Range {
	p := &w.store.Packets
	var groups [relateAtOnce]uint32
	boxes, n := w.boxesFor(relateAtOnce*soa.Lanes), 0
	for i, r := range list {
		hit, up := hitsOf(r), p.Parents[r.First]
		groups[i] = 0
		if hit&(hit-1) != 0 && up != soa.NoParent {
			if w.setLane(&boxes[n], up); w.clip(&boxes[n]) {
				groups[i] = hit
				n++
				continue
			}
		}
		n = setBoxes(boxes, n, &p.Bounds[r.First], hit)
	}
	relations := w.relate(boxes[:n])
	n = 0
	for i := range list {
		r := &list[i]
		if groups[i] == 0 {
			var k int
			r.N, k = excluded(r.N, hitsOf(*r), relations[n:])
			n += k
			continue
		}
		switch relations[n] {
		case exact.Inside:
			groups[i] = 0
		case exact.Outside:
			in := w.contained(&p.Bounds[r.First], groups[i])
			r.N &^= in
			groups[i] &^= in
		}
		n++
	}
	n = 0
	for i, r := range list {
		n = setBoxes(boxes, n, &p.Bounds[r.First], groups[i])
	}
	relations = w.relate(boxes[:n])
	n = 0
	for i := range list {
		r := &list[i]
		var k int
		r.N, k = excluded(r.N, groups[i], relations[n:])
		if n += k; r.N != asm.RangeHit {
			kept = append(kept, *r)
		}
	}
	return kept
}

// excluded removes the lanes that are outside from those of a range, of which the relations are given in order. It
// returns their number.
func excluded(of, lanes uint32, relations []exact.Relation) (left uint32, n int) {
	for ; lanes != 0; lanes &= lanes - 1 {
		if n++; relations[n-1] == exact.Outside {
			of &^= lanes & -lanes
		}
	}
	return of, n
}

// contained returns lanes whose boxes lie in the box of the query. It may omit some that touch its border at 0.
func (w *Walk) contained(b *soa.Packet, lanes uint32) (in uint32) {
	q := &w.volume.Box
	for left := lanes; left != 0; left &= left - 1 {
		l := bits.TrailingZeros32(left) & (soa.Lanes - 1)
		out := math.Float32bits(b[soa.MinX][l]-q[soa.MinX]) | math.Float32bits(q[soa.MaxX]-b[soa.MaxX][l]) |
			math.Float32bits(b[soa.MinY][l]-q[soa.MinY]) | math.Float32bits(q[soa.MaxY]-b[soa.MaxY][l]) |
			math.Float32bits(b[soa.MinZ][l]-q[soa.MinZ]) | math.Float32bits(q[soa.MaxZ]-b[soa.MaxZ][l])
		in |= (out>>31 ^ 1) << l
	}
	return in
}

// clip cuts a box off at the box of the query, which it intersects, and reports whether that changes it.
func (w *Walk) clip(box *soa.AABB) (cut bool) {
	q := &w.volume.Box
	for a := range 3 {
		if box.Min[a] < q[2*a] {
			box.Min[a], cut = q[2*a], true
		}
		if box.Max[a] > q[2*a+1] {
			box.Max[a], cut = q[2*a+1], true
		}
	}
	return cut
}

// setBoxes writes the boxes of lanes from an index on, and returns the index behind the last.
func setBoxes(boxes []soa.AABB, n int, b *soa.Packet, lanes uint32) int {
	for ; lanes != 0; lanes &= lanes - 1 {
		setBox(&boxes[n], b, bits.TrailingZeros32(lanes))
		n++
	}
	return n
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
