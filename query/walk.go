package query

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// walk is the state of one volume query: the prepared volume, the lists of the kernels and the
// resulting ranges. It is taken from a pool and returned when the query ends, so a query allocates
// nothing once the lists have grown.
type walk struct {
	store      *soa.Store
	volume     cull.Volume
	apart      separators // second test of a precise frustum, else empty
	turned     turned
	size       cull.Size // minimum size, else off
	nodeFilter asm.NodeFilter
	lists      asm.VolumeWalk
	ranges     []asm.Range
	kept       []asm.Range // ranges that passed a filter
	stack      []uint32
	below      []uint32 // nodes visited by descend
	scanned    bool     // every slot was tested
}

var walks = sync.Pool{New: func() any { return new(walk) }}

// take returns a walk over s. Each volume has a begin method that takes one and sets the volume.
// Each method of walk that is named like a query method releases it.
func take(s *soa.Store) *walk {
	w := walks.Get().(*walk)
	w.store = s
	w.apart.n, w.turned.on, w.turned.moved, w.size.Least = 0, false, false, 0
	w.below = w.below[:0]
	return w
}

func (w *walk) release() {
	w.store = nil
	walks.Put(w)
}

func (w *walk) append(dst []uint32, f *Filter) []uint32 {
	m := phase.Enter(phase.Nodes)
	if !w.begin(m, f) {
		return w.emit(m, dst, f)
	}
	if w.whole(f) {
		var done bool
		if dst, done = w.volume.Whole(dst, &w.lists, w.store, &w.nodeFilter, mostPackets(w.store)); done {
			w.release()
			m.Leave()
			return dst
		}
		doubtNodes(&w.lists, w.store, 0)
	}
	return w.finish(m, dst, f)
}

// mostPackets is the number of packets up to which testing them one by one is cheaper than a scan.
func mostPackets(s *soa.Store) int { return len(s.Packets.Counts) * scanShare / 8 }

// whole reports whether the answer is every object that intersects the volume.
func (w *walk) whole(f *Filter) bool {
	return w.apart.n == 0 && !w.turned.on && !w.size.On() && !f.Exact && f.all()
}

// finish continues a walk that has begun, and appends its answer.
func (w *walk) finish(m phase.Mark, dst []uint32, f *Filter) []uint32 {
	if !w.meet(m) {
		return w.emit(m, dst, f)
	}
	p := &w.store.Packets
	m.Next(phase.Ranges)
	w.inside()
	if !w.whole(f) || cap(dst)-len(dst) < (slotsIn(w.ranges)+1)*soa.Lanes {
		m.Next(phase.Packets)
		w.border()
		return w.emit(m, dst, f)
	}
	// Nothing is excluded, and dst has room for the ranges inside: the IDs of the border need no
	// ranges.
	dst = cull.EmitIDs(dst, p.IDs, p.Counts, w.ranges)
	m.Next(phase.Packets)
	dst, w.ranges = w.volume.AppendIDs(dst, w.ranges, p.Bounds, p.IDs, w.lists.Packets)
	w.release()
	m.Leave()
	return dst
}

// emit appends the IDs of the ranges that the filter keeps.
func (w *walk) emit(m phase.Mark, dst []uint32, f *Filter) []uint32 {
	m.Next(phase.Ranges)
	w.narrow(f)
	dst = cull.EmitIDs(dst, w.store.Packets.IDs, w.store.Packets.Counts, w.ranges)
	w.release()
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

// each yields the IDs of the answer until yield returns false.
func (w *walk) each(v linear.View, f Filter, yield func(uint32) bool) {
	w.collect(f.of(v))
	for _, r := range w.ranges {
		if !w.eachOf(v, unpack(r), yield) {
			break
		}
	}
	w.release()
}

// eachOf yields the IDs of one range.
func (w *walk) eachOf(v linear.View, r Range, yield func(uint32) bool) bool {
	p := &w.store.Packets
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		for ; m != 0; m &= m - 1 {
			if !yield(p.IDs[slot][bits.TrailingZeros32(m)]) {
				return false
			}
			v.Store() // panics if the tree has changed
		}
	}
	return true
}

// parts yields the ranges of the answer until yield returns false.
func (w *walk) parts(v linear.View, f Filter, yield func(Range) bool) {
	w.collect(f.of(v))
	for _, r := range w.ranges {
		if !yield(unpack(r)) {
			break
		}
		v.Store()
	}
	w.release()
}

const (
	// scanSlots is the number of slots up to which a scan is faster than a walk.
	scanSlots = 8

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

// collect runs both phases of a walk and leaves the answer in w.ranges.
func (w *walk) collect(f *Filter) {
	m := phase.Enter(phase.Nodes)
	w.gather(m, f)
	m.Next(phase.Ranges)
	w.narrow(f)
	m.Leave()
}

// gather is collect without the second tests and the filter.
func (w *walk) gather(m phase.Mark, f *Filter) {
	if w.begin(m, f) && w.meet(m) {
		m.Next(phase.Ranges)
		w.inside()
		m.Next(phase.Packets)
		w.border()
	}
}

// begin starts a walk and returns true. It scans a small store instead, leaves the hits in
// w.ranges and returns false.
func (w *walk) begin(m phase.Mark, f *Filter) bool {
	w.ranges = w.ranges[:0]
	w.scanned = false
	slots := len(w.store.Packets.Counts)
	if slots <= scanSlots {
		w.lists.Head, w.below = 0, w.below[:0]
		m.Next(phase.Packets)
		w.scan()
		return false
	}
	w.start(f)
	w.lists.Budget = nodesBeforeDoubt(slots)
	return true
}

// meet walks the nodes, lists the references inside and the packets to test, and returns true.
// Where that would cost more than a scan, it scans, leaves the hits in w.ranges and returns false.
func (w *walk) meet(m phase.Mark) bool {
	s := w.store
	for !w.lists.Done() && w.lists.Budget >= 0 {
		w.nodes()
		doubtNodes(&w.lists, s, 0)
	}
	if w.lists.Budget < 0 || len(w.lists.Packets) > mostPackets(s) {
		m.Next(phase.Packets)
		w.scan()
		return false
	}
	if w.turned.on {
		w.confirm()
	}
	return true
}

// border tests the listed packets.
func (w *walk) border() {
	w.ranges = w.volume.Packets(w.ranges, w.store.Packets.Bounds, w.lists.Packets)
}

// nodesBeforeDoubt is the number of nodes after which a walk checks its progress.
func nodesBeforeDoubt(slots int) int { return max(slots/doubtShare, 1) }

// doubtNodes ends a walk that has cost a part of a scan and whose border crosses nearly every
// child: it sets Budget below 0. It checks once, after 1/doubtShare as many nodes as there are
// slots; most walks end before. tested is the number of packets that have been taken from the
// list.
func doubtNodes(l *asm.VolumeWalk, s *soa.Store, tested int) {
	if l.Budget == 0 {
		return // already checked
	}
	slots := len(s.Packets.Counts)
	if most := nodesBeforeDoubt(slots) - l.Head; most > 0 {
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

// narrow removes objects rejected by the second tests or the filter.
func (w *walk) narrow(f *Filter) {
	if w.turned.on {
		w.separate()
	}
	if w.apart.n != 0 {
		w.refine()
	}
	if f.Exact {
		w.bounds()
	}
	if w.size.On() {
		w.onlyLarge()
	}
	if !f.all() {
		w.filter(f)
	}
}

// start puts the root into the queue, and pending packets into the list to test.
func (w *walk) start(f *Filter) {
	s := w.store
	if w.nodeFilter = asm.AllNodes; !f.all() {
		w.nodeFilter = f.NodeFilter()
	}
	w.below = w.below[:0]
	w.lists.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		w.lists.Queue = w.lists.Queue[:0]
	}
	w.lists.Packets = append(w.lists.Packets, s.Pending...)
}

// scan tests every slot.
func (w *walk) scan() {
	w.scanned = true
	b := w.store.Packets.Bounds
	w.ranges = w.volume.Scan(w.ranges[:0], b, 0, len(b))
}

// inside turns references wholly inside the volume into ranges of slots. With a filter or a
// minimum size, it descends to the packets and skips excluded ones.
func (w *walk) inside() {
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
func (w *walk) descend(node uint32, all bool) {
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
func (w *walk) addRange(first, n uint32) {
	if k := len(w.ranges) - 1; k >= 0 && w.ranges[k].First+w.ranges[k].N == first {
		w.ranges[k].N += n
		return
	}
	w.ranges = append(w.ranges, asm.Range{First: first, N: n})
}

// filter replaces the ranges by the lanes in them that pass.
func (w *walk) filter(f *Filter) {
	w.kept = f.keepLanes(w.kept[:0], &w.store.Packets, w.ranges)
	w.ranges, w.kept = w.kept, w.ranges
}

// Range is a range of packet slots in an answer, from which a caller can read IDs and columns
// without copying. The order of ranges is as for [Frustum.Append].
type Range struct {
	First uint32 // first slot
	Count uint32 // number of slots
	Mask  uint16 // 0: all objects of the slots; else Count is 1 and these lanes are hit
}

// unpack converts a kernel's range into the public form.
func unpack(r asm.Range) Range {
	if r.N&asm.RangeHit != 0 {
		return Range{First: r.First, Count: 1, Mask: uint16(r.N)}
	}
	return Range{First: r.First, Count: r.N}
}
