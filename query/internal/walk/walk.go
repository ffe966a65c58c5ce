package walk

import (
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Walk is the state of one volume query: the prepared volume, the lists of the kernels and the
// resulting ranges. It is taken from a pool and returned when the query ends, so a query allocates
// nothing once the lists have grown.
type Walk struct {
	store      *soa.Store
	volume     cull.Volume
	Separators Separators // second test of a precise frustum, else empty
	oriented   orientedTest
	size       cull.Size  // minimum size, else off
	tester     Tester     // of secondFunc
	mark       phase.Mark // of a query with a tester
	nodeFilter asm.NodeFilter
	lists      asm.VolumeWalk
	ranges     []asm.Range
	kept       []asm.Range // ranges that passed a filter
	stack      []uint32
	boxes      []soa.AABB // next ones for the tester
	relations  []exact.Relation
	below      []uint32 // nodes visited by descend
	scanned    bool     // every slot was tested
	owned      bool     // by the caller of Own
	coarse     bool     // the tester is not called for objects
	second     second
}

// second is the test of each object that the kernels find, and of the boxes that they find inside.
type second uint8

const (
	secondNone     second = iota
	secondOriented        // oriented
	secondFunc            // tester
)

var walks = sync.Pool{New: func() any { return new(Walk) }}

// take returns a walk over s. Each volume has a begin method that takes one and sets the volume.
// Each method of walk that is named like a query method releases it.
func take(s *soa.Store) *Walk { return walks.Get().(*Walk).reset(s) }

// reset prepares a walk for a store.
func (w *Walk) reset(s *soa.Store) *Walk {
	w.store = s
	w.Separators.N, w.second, w.oriented.isCell, w.size.Least = 0, secondNone, false, 0
	w.below = w.below[:0]
	return w
}

// Release returns the walk to the pool, unless the caller owns it.
func (w *Walk) Release() {
	w.store = nil
	if w.second == secondFunc {
		w.releaseTester()
	}
	if !w.owned {
		walks.Put(w)
	}
}

// Own sets the shape of a walk of the caller, which is not from the pool, and returns its volume. See
// [Lowered.Prepared].
func (w *Walk) Own(shape cull.Shape) *cull.Volume {
	w.owned, w.volume.Shape = true, shape
	return &w.volume
}

// Append appends the IDs of the answer to dst, and releases the walk.
func (w *Walk) Append(dst []uint32, f *Filter) []uint32 {
	m := phase.Enter(phase.Nodes)
	if !w.begin(m, f) {
		return w.emit(m, dst, f)
	}
	if w.isPlain(f) {
		var done bool
		if dst, done = w.volume.Whole(dst, &w.lists, w.store, &w.nodeFilter, MostPackets(w.store)); done {
			w.Release()
			m.Leave()
			return dst
		}
		doubtNodes(&w.lists, w.store, 0)
	}
	return w.finish(m, dst, f)
}

// MostPackets is the number of packets up to which testing them one by one is cheaper than a scan.
func MostPackets(s *soa.Store) int { return len(s.Packets.Counts) * scanShare / 8 }

// isPlain reports whether the answer is every object that intersects the volume.
func (w *Walk) isPlain(f *Filter) bool {
	return w.Separators.N == 0 && w.second == secondNone && !w.size.On() && !f.Exact && f.All()
}

// finish continues a walk that has begun, and appends its answer.
func (w *Walk) finish(m phase.Mark, dst []uint32, f *Filter) []uint32 {
	if !w.listNodes(m) {
		return w.emit(m, dst, f)
	}
	p := &w.store.Packets
	m.Next(phase.Ranges)
	w.inside()
	if !w.isPlain(f) || cap(dst)-len(dst) < (slotsIn(w.ranges)+1)*soa.Lanes {
		m.Next(phase.Packets)
		w.ranges = w.volume.Packets(w.ranges, p.Bounds, w.lists.Packets)
		return w.emit(m, dst, f)
	}
	// Nothing is excluded, and dst has room for the ranges inside: the IDs of the border need no
	// ranges.
	dst = cull.EmitIDs(dst, p.IDs, p.Counts, w.ranges)
	m.Next(phase.Packets)
	dst, w.ranges = w.volume.AppendIDs(dst, w.ranges, p.Bounds, p.IDs, w.lists.Packets)
	w.Release()
	m.Leave()
	return dst
}

// emit appends the IDs of the ranges that the filter keeps.
func (w *Walk) emit(m phase.Mark, dst []uint32, f *Filter) []uint32 {
	m.Next(phase.Ranges)
	w.filterExact(f)
	dst = cull.EmitIDs(dst, w.store.Packets.IDs, w.store.Packets.Counts, w.ranges)
	w.Release()
	m.Leave()
	return dst
}

// slotsIn returns the number of slots in ranges without masks.
func slotsIn(ranges []asm.Range) (n int) {
	for _, r := range ranges {
		n += int(r.N)
	}
	return n
}

const (
	// ScanSlots is the number of slots up to which a scan is faster than a walk.
	ScanSlots = 8

	// scanShare is in eighths: a walk that has to test more than scanShare/8 of all slots one by one
	// scans all of them instead.
	scanShare = 6

	// doubtShare is the number of slots for each node visited before a walk checks its progress. A
	// walk up to that point has cost about a twentieth of a scan: see doubtNodes.
	doubtShare = 32

	// smallSlots is the number of slots up to which nodes are a large part of the cost. In such a tree
	// a walk is replaced by a scan when the border crosses three of four children.
	smallSlots = 128
)

// Collect runs both phases of a walk and returns the answer, which is valid until the walk is released.
func (w *Walk) Collect(f *Filter) []asm.Range {
	m := phase.Enter(phase.Nodes)
	w.gather(m, f)
	m.Next(phase.Ranges)
	w.filterExact(f)
	m.Leave()
	return w.ranges
}

// gather is collect without the second tests and the filter.
func (w *Walk) gather(m phase.Mark, f *Filter) {
	if w.begin(m, f) && w.listNodes(m) {
		m.Next(phase.Ranges)
		w.inside()
		m.Next(phase.Packets)
		w.ranges = w.volume.Packets(w.ranges, w.store.Packets.Bounds, w.lists.Packets)
	}
}

// begin starts a walk and returns true. It scans a small store instead, leaves the hits in
// w.ranges and returns false.
func (w *Walk) begin(m phase.Mark, f *Filter) bool {
	w.ranges = w.ranges[:0]
	w.scanned = false
	slots := len(w.store.Packets.Counts)
	if slots <= ScanSlots && w.second != secondFunc {
		w.lists.Head, w.below = 0, w.below[:0]
		m.Next(phase.Packets)
		w.scan()
		return false
	}
	w.start(f)
	w.lists.Budget = NodesBeforeDoubt(slots)
	return true
}

// listNodes walks the nodes, lists the references inside and the packets to test, and returns true.
// Where that would cost more than a scan, it scans, leaves the hits in w.ranges and returns false.
func (w *Walk) listNodes(m phase.Mark) bool {
	if w.second == secondFunc {
		w.relateNodes(m)
		return true
	}
	s := w.store
	for !w.lists.Done() && w.lists.Budget >= 0 {
		w.nodes()
		doubtNodes(&w.lists, s, 0)
	}
	if w.lists.Budget < 0 || len(w.lists.Packets) > MostPackets(s) {
		m.Next(phase.Packets)
		w.scan()
		return false
	}
	if w.second == secondOriented {
		w.confirm()
	}
	return true
}

// nodes continues a walk by one call of the kernel, and removes small boxes from the lists of the
// call.
func (w *Walk) nodes() {
	l := &w.lists
	head, queue, packets, inside := l.Head, len(l.Queue), len(l.Packets), len(l.Inside)
	w.volume.Nodes(l, w.store.Nodes.Hot, &w.nodeFilter)
	if w.size.On() {
		w.size.PruneWalk(l, w.store.Nodes.Hot, head, queue, packets, inside)
	}
}

// NodesBeforeDoubt is the number of nodes after which a walk checks its progress.
func NodesBeforeDoubt(slots int) int { return max(slots/doubtShare, 1) }

// doubtNodes ends a walk that has cost a part of a scan and whose border crosses nearly every
// child: it sets Budget below 0. It checks once, after 1/doubtShare as many nodes as there are
// slots; most walks end before. tested is the number of packets that have been taken from the
// list.
func doubtNodes(l *asm.VolumeWalk, s *soa.Store, tested int) {
	if l.Budget == 0 {
		return // already checked
	}
	slots := len(s.Packets.Counts)
	if most := NodesBeforeDoubt(slots) - l.Head; most > 0 {
		l.Budget = most
		return
	}
	l.Budget = 0
	nodes := len(s.Nodes.Hot)
	children := childrenOf(l.Head, nodes, slots)
	most := children - children/16
	if slots <= smallSlots {
		most = children - children/4
	}
	if len(l.Queue)+len(l.Packets)+tested > most {
		l.Budget = -1
	}
}

// childrenOf returns the mean number of children of the visited nodes, in a tree of those nodes
// and slots. The product does not fit 32 bits.
func childrenOf[T int | int32](visited, nodes, slots T) T {
	return T(int64(visited) * (int64(nodes) + int64(slots)) / int64(nodes))
}

// filterExact removes objects rejected by the second tests or the filter.
func (w *Walk) filterExact(f *Filter) {
	switch w.second {
	case secondOriented:
		w.separate()
	case secondFunc:
		w.relateHits(f, false)
	}
	if w.Separators.N != 0 {
		w.refine()
	}
	if f.Exact && w.second != secondFunc {
		w.bounds()
	}
	if w.size.On() {
		w.onlyLarge()
	}
	if !f.All() {
		w.filter(f)
	}
}

// start puts the root into the queue, and pending packets into the list to test.
func (w *Walk) start(f *Filter) {
	s := w.store
	w.nodeFilter = f.NodeFilter()
	w.below = w.below[:0]
	w.lists.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		w.lists.Queue = w.lists.Queue[:0]
	}
	w.lists.Packets = append(w.lists.Packets, s.Pending...)
}

// scan tests every slot.
func (w *Walk) scan() {
	w.scanned = true
	b := w.store.Packets.Bounds
	w.ranges = w.volume.Scan(w.ranges[:0], b, 0, len(b))
}

// inside turns references wholly inside the volume into ranges of slots. With a filter or a
// minimum size, it descends to the packets and skips excluded ones.
func (w *Walk) inside() {
	s, all := w.store, w.nodeFilter == asm.AllNodes && !w.size.On()
	out := slices.Grow(w.ranges[:0], len(w.lists.Inside))
	start, end := uint32(0), uint32(soa.None) // bounds of the last range
	for _, ref := range w.lists.Inside {
		first, n := ref.Index(), uint32(1)
		if !ref.IsPacket() {
			span := s.Nodes.Slots[first]
			if !all || span.End == 0 {
				w.ranges = out
				w.descend(first, all)
				out, end = w.ranges, soa.None
				continue
			}
			first, n = span.First, span.End-span.First
		}
		// Whether slots continue the last range is unpredictable: avoid the branch.
		k := len(out)
		if first == end {
			k--
		}
		if first != end {
			start = first
		}
		end = first + n
		out = append(out[:k], asm.Range{First: start, N: end - start})
	}
	w.ranges = out
}

// descend adds the packets below a node that can pass the filter. If all can, the slots of a
// subtree that are still contiguous are added as one range.
func (w *Walk) descend(node uint32, all bool) {
	s := w.store
	w.stack = append(w.stack[:0], node)
	for len(w.stack) > 0 {
		top := w.stack[len(w.stack)-1]
		n := &s.Nodes.Hot[top]
		w.stack = w.stack[:len(w.stack)-1]
		w.below = append(w.below, top)
		base, keep := len(w.stack), uint32(1<<soa.Fan-1)
		if w.size.On() {
			keep = w.size.Large(&n.Bounds, keep)
		}
		for l, ref := range n.Child {
			if ref&w.nodeFilter.Flags == 0 || keep>>l&1 == 0 || w.nodeFilter.Mask != 0 && n.Mask[l]&w.nodeFilter.Mask == 0 {
				continue
			}
			if ref.IsPacket() {
				w.addRange(ref.Index(), 1)
				continue
			}
			child := ref.Index()
			if span := s.Nodes.Slots[child]; all && span.End != 0 {
				w.addRange(span.First, span.End-span.First)
				continue
			}
			w.stack = append(w.stack, child)
		}
		slices.Reverse(w.stack[base:]) // the first child is on top
	}
}

// addRange appends slots, or extends the last range if they are contiguous with it.
func (w *Walk) addRange(first, n uint32) {
	if k := len(w.ranges) - 1; k >= 0 && w.ranges[k].First+w.ranges[k].N == first {
		w.ranges[k].N += n
		return
	}
	w.ranges = append(w.ranges, asm.Range{First: first, N: n})
}

// filter replaces the ranges by the lanes in them that pass.
func (w *Walk) filter(f *Filter) {
	w.kept = f.keepLanes(w.kept[:0], &w.store.Packets, w.ranges)
	w.ranges, w.kept = w.kept, w.ranges
}

// Range is a range of packet slots in an answer: the Range of package query.
type Range struct {
	First uint32
	Count uint32
	Mask  uint16
}

// Unpack returns a range of [Walk.Collect] in its parts.
func Unpack(r asm.Range) Range {
	if r.N&asm.RangeHit != 0 {
		return Range{First: r.First, Count: 1, Mask: uint16(r.N)}
	}
	return Range{First: r.First, Count: r.N}
}
