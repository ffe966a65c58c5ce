package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// secondShare is the share of the buffer, 1/secondShare, that the rectangles of visible occluders not yet
// drawn must have together for a retest.
const secondShare = 16

// collect runs a query and leaves the visible objects in e.ranges, as hit ranges, before the filter has
// tested lanes. If counts is set, the query counts for the back-off and for the memory. ok is false if the
// query was paused or abandoned: the result is then the frustum's.
//
//	redraw     draw the occluders that were large in the last query of this number
//	prepass    if at most half of them are still large, draw large nearby ones
//	scan       after a pause, draw very large ones
//	walk       walk from the root, culling hidden nodes; abandon if next to nothing is hidden
//	refine     retest at full resolution, if few objects are visible
//	retest     draw the large visible occluders, and retest the visible objects
//	remember   remember the large visible occluders
func (e *Culler) collect(v linear.View, f *query.Filter, counts bool) (answer int, ok bool) {
	answer, ok = e.turn(v.Stamp(), f, counts)
	if s := v.Store(); ok {
		if ok = e.see(v, s, f, answer); counts {
			e.evaluate(answer, ok)
			e.stoppedEarly = !ok
		}
	}
	return answer, ok
}

// turn begins a query of a tree or scene with this stamp, and reports whether occlusion is to be tried.
func (e *Culler) turn(of linear.Stamp, f *query.Filter, counts bool) (answer int, try bool) {
	e.checkCamera()
	if err := f.Check(); err != nil {
		panic(err.Error())
	}
	e.renew(of)
	answer, try = e.answers, !e.pauses()
	e.walk.Reset()
	e.drawn, e.sorted = e.drawn[:0], 0
	e.sum = tested{}
	e.tally = Counters{Drawn: e.byHand}
	if !try {
		e.tally.Pause = e.rest.left
	}
	if counts {
		e.answers++
		e.rest.left = max(e.rest.left-1, 0)
	}
	e.rest.evaluated, e.stoppedEarly = false, false
	return answer, try && (e.cfg.OccluderMask != 0 || !e.open)
}

// evaluate records the success of a query for the back-off.
func (e *Culler) evaluate(answer int, ok bool) {
	e.rest.tried = e.rest.tried || answer == 0
	e.rest.paidOff = e.rest.paidOff || ok && (e.rest.evaluated || e.sum.paidOff())
}

// see runs the culled walk of a query. It reports false if the query was abandoned.
func (e *Culler) see(v linear.View, s *soa.Store, f *query.Filter, answer int) bool {
	e.begin(v, s, f, answer)
	lens, picture := &e.frame.lens, e.visible()
	if picture == nil {
		return false
	}
	defer phase.Enter(phase.Seen).Leave()
	filter := e.nodeFilter(f)
	for !e.walk.Done() {
		e.nodes(s, &filter, picture)
		if !e.worthwhile(s, lens, picture) {
			return false
		}
	}
	e.ranges = e.walk.AppendHits(e.ranges[:0], s.Packets.Bounds, e.walk.Packets, &e.planes, lens, picture)
	e.refineToPixels(s)
	if e.cfg.OccluderMask != 0 && e.retest(s) {
		e.refineToPixels(s)
	}
	e.sum.add(&e.walk, lanesIn(e.ranges))
	return true
}

// nodes continues the walk by one call of the kernel, and culls small nodes and packets among the results.
// Small objects in the remaining packets are culled by narrow.
func (e *Culler) nodes(s *soa.Store, filter *asm.NodeFilter, picture *asm.Picture) {
	w := &e.walk
	head, queue, packets := w.Head, len(w.Queue), len(w.Packets)
	w.Nodes(s.Nodes.Hot, &e.planes, filter, &e.frame.lens, picture)
	if e.size.On() {
		q, p, _ := e.size.Prune(s.Nodes.Hot, w.Queue[head:w.Head], w.Queue[queue:], w.Head-queue, w.Packets[packets:], nil)
		w.Queue, w.Packets = w.Queue[:queue+q], w.Packets[:packets+p]
	}
}

// finerBoxes is the number of visible objects up to which large ones are retested at full resolution. Above
// it little is hidden, and the finer test of a box costs several times the first one.
const finerBoxes = 2048

// refineToPixels removes the objects that a test at full resolution finds hidden.
func (e *Culler) refineToPixels(s *soa.Store) {
	if len(e.ranges) > finerBoxes || asm.CountRanges(s.Packets.Counts, e.ranges) > finerBoxes {
		return
	}
	if picture := e.visible(); picture != nil {
		var hidden int
		e.ranges, hidden = asm.FinerRanges(e.ranges, s.Packets.Bounds, &e.frame.lens, picture)
		e.walk.HiddenLanes += hidden
	}
}

// begin draws the occluders for a query and starts its walk.
func (e *Culler) begin(v linear.View, s *soa.Store, f *query.Filter, answer int) {
	if e.cfg.OccluderMask != 0 {
		found, had := e.redrawRemembered(s, answer)
		e.tally.Remembered = found
		if 2*found <= had && e.rest.mayTakeLong() {
			e.prepass(v)
		}
		if e.rest.pause > 0 {
			e.scan(s)
		}
	}
	planes := e.frame.frustum.Planes()
	e.planes.Set(&planes, &s.Near, &s.Extent)
	e.walk.Reset()
	if len(s.Nodes.Hot) > 0 {
		e.walk.Queue = append(e.walk.Queue, 0)
	}
	e.walk.Packets = append(e.walk.Packets, s.Pending...)
}

// nodeFilter returns the filter of the walk. It also keeps occluders that the query's filter rejects: they
// count as visible for the memory.
func (e *Culler) nodeFilter(f *query.Filter) asm.NodeFilter {
	filter := f.NodeFilter()
	if e.cfg.OccluderMask != 0 {
		filter.Flags = soa.RefFlags
		if filter.Mask != 0 {
			filter.Mask |= e.cfg.OccluderMask
		}
	}
	return filter
}

// retest draws large visible occluders and retests the visible objects. It reports whether it did. It leaves
// the ranges before the retest in e.looked, and the large occluders in them in e.large.
func (e *Culler) retest(s *soa.Store) bool {
	m := phase.Enter(phase.Pick)
	defer m.Leave()
	e.candidates = e.candidates[:0]
	for _, r := range e.ranges {
		e.candidateLanes(&s.Packets, r.First, r.N&0xffff)
	}
	e.beforeRetest, e.large = append(e.beforeRetest[:0], e.ranges...), append(e.large[:0], e.candidates...)
	if e.notDrawn()*secondShare < float64(e.frame.width*e.frame.height) {
		return false
	}
	e.drawCandidates(s)
	m.Next(phase.Seen)
	picture := e.visible()
	if picture == nil {
		return false
	}
	var hidden int
	e.ranges, hidden = asm.SeenRanges(e.ranges, s.Packets.Bounds, &e.frame.lens, picture)
	e.walk.HiddenLanes += hidden
	return true
}

// filterExact sets e.kept to the part of the visible ranges that passes the filter.
func (e *Culler) filterExact(v linear.View, f *query.Filter) {
	defer phase.Enter(phase.Seen).Leave()
	e.kept = append(e.kept[:0], e.ranges...)
	e.kept = query.Narrow(&e.frame.frustum, v, f, e.kept)
}

// Append appends the IDs of the visible objects to dst and returns it: the objects of the view that
// [Culler.Frustum], with Config.MinSize, and the filter keep, except the ones found hidden. An object is
// hidden if every ray of the image that hits its box enters an occluder before it enters the box; see the
// package comment.
//
// The order is that of a breadth-first walk, pending packets first; during a pause, and for an abandoned
// query, the order of [query.Frustum.Append]. It is a function of the changes made to the tree, and of the calls
// made on this Culler and their arguments. It allocates when dst lacks room for the result and 16 more.
//
// For the cost see the package comment. The filter selects the results, not the occluders: an object that
// the filter rejects may occlude. The query updates the memory of large occluders, and so do Count, All,
// Ranges and their forms for scenes if they run to completion. Any and Explain do not.
func (e *Culler) Append(dst []uint32, v linear.View, flt query.Filter) []uint32 {
	answer, ok := e.collect(v, &flt, true)
	if !ok {
		e.rememberDrawn(v, answer)
		return e.frame.frustum.Append(dst, v, flt)
	}
	e.filterExact(v, &flt)
	p := &v.Store().Packets
	m := phase.Enter(phase.Seen)
	dst = asm.EmitIDs(dst, p.IDs, p.Counts, e.kept)
	m.Leave()
	e.remember(answer)
	return dst
}

// Count returns the number of visible objects, without reading IDs.
func (e *Culler) Count(v linear.View, flt query.Filter) int {
	answer, ok := e.collect(v, &flt, true)
	if !ok {
		e.rememberDrawn(v, answer)
		return e.frame.frustum.Count(v, flt)
	}
	e.filterExact(v, &flt)
	n := asm.CountRanges(v.Store().Packets.Counts, e.kept)
	e.remember(answer)
	return n
}

// All returns an iterator over the IDs of the visible objects, in the order of [Culler.Append]. The query
// runs when the iteration starts. Changing the tree during the iteration makes it panic.
func (e *Culler) All(v linear.View, flt query.Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		e.Ranges(v, flt, func(r query.Range) bool {
			p := &v.Store().Packets
			for slot := r.First; slot < r.First+r.Count; slot++ {
				m := uint32(r.Mask)
				if m == 0 {
					m = uint32(1)<<p.Counts[slot] - 1
				}
				for ; m != 0; m &= m - 1 {
					if !yield(p.IDs[slot][bits.TrailingZeros32(m)]) {
						return false
					}
					v.Store() // panics if the tree has changed
				}
			}
			return true
		})
	}
}

// Ranges calls yield with the visible objects as ranges of packet slots, in the order of [Culler.Append],
// until yield returns false. Each range is one packet with a mask; during a pause, and for an abandoned
// query, they are the ranges of [query.Frustum.Ranges]. It reads no IDs. Changing the tree in yield makes it
// panic.
func (e *Culler) Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool) {
	answer, ok := e.collect(v, &flt, true)
	if ok {
		e.filterExact(v, &flt)
	}
	e.busy = true
	defer func() { e.busy = false }()
	if !ok {
		whole := true
		e.frame.frustum.Ranges(v, flt, func(r query.Range) bool {
			whole = yield(r)
			return whole
		})
		if whole {
			e.rememberDrawn(v, answer)
		}
		return
	}
	for _, r := range e.kept {
		if !yield(query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
			return
		}
		v.Store()
	}
	e.remember(answer)
}

// Any reports whether an object is visible. It stops at the first one found. It does not count as a query:
// the next one runs as it would have without it. It makes a single pass, so it may return true where Append
// finds all hidden.
func (e *Culler) Any(v linear.View, flt query.Filter) bool {
	e.checkCamera()
	if err := flt.Check(); err != nil {
		panic(err.Error())
	}
	e.renew(v.Stamp())
	if e.pauses() {
		return e.frame.frustum.Any(v, flt)
	}
	s := v.Store()
	e.begin(v, s, &flt, e.answers)
	lens, picture := &e.frame.lens, e.visible()
	defer phase.Enter(phase.Seen).Leave()
	filter := flt.NodeFilter()
	for tested := 0; ; {
		e.ranges = e.walk.AppendHits(e.ranges[:0], s.Packets.Bounds, e.walk.Packets[tested:], &e.planes, lens, picture)
		tested = len(e.walk.Packets)
		if e.filterExact(v, &flt); len(e.kept) > 0 {
			return true
		}
		if e.walk.Done() {
			return false
		}
		e.nodes(s, &filter, picture)
	}
}
