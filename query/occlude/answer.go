package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// secondShare is the share of the buffer, 1/secondShare, that the rectangles of visible occluders not yet
// drawn must have together for a retest.
const secondShare = 16

// collect runs a query and leaves the visible objects in c.ranges, as hit ranges, before the filter has
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
func (c *Culler) collect(v linear.View, f *query.Filter, counts bool) (answer int, ok bool) {
	answer, ok = c.turn(v.Stamp(), f, counts)
	if s := v.Store(); ok {
		if ok = c.see(v, s, f, answer); counts {
			c.evaluate(answer, ok)
			c.stoppedEarly = !ok
		}
	}
	return answer, ok
}

// turn begins a query of a tree or scene with this stamp, and reports whether occlusion is to be tried.
func (c *Culler) turn(of linear.Stamp, f *query.Filter, counts bool) (answer int, try bool) {
	c.checkCamera()
	if err := f.Check(); err != nil {
		panic(err.Error())
	}
	c.renew(of)
	answer, try = c.answers, !c.pauses()
	c.walk.Reset()
	c.drawn, c.sorted = c.drawn[:0], 0
	c.sum = tested{}
	c.tally = Counters{Drawn: c.byHand}
	if !try {
		c.tally.Pause = c.rest.left
	}
	if counts {
		c.answers++
		c.rest.left = max(c.rest.left-1, 0)
	}
	c.rest.evaluated, c.stoppedEarly = false, false
	return answer, try && (c.cfg.OccluderMask != 0 || !c.open)
}

// evaluate records the success of a query for the back-off.
func (c *Culler) evaluate(answer int, ok bool) {
	c.rest.tried = c.rest.tried || answer == 0
	c.rest.paidOff = c.rest.paidOff || ok && (c.rest.evaluated || c.sum.paidOff())
}

// see runs the culled walk of a query. It reports false if the query was abandoned.
func (c *Culler) see(v linear.View, s *soa.Store, f *query.Filter, answer int) bool {
	c.begin(v, s, f, answer)
	lens, picture := &c.frame.lens, c.visible()
	if picture == nil {
		return false
	}
	defer phase.Enter(phase.Seen).Leave()
	filter := c.nodeFilter(f)
	for !c.walk.Done() {
		c.nodes(s, &filter, picture)
		if !c.worthwhile(s, lens, picture) {
			return false
		}
	}
	c.ranges = c.walk.AppendHits(c.ranges[:0], s.Packets.Bounds, c.walk.Packets, &c.planes, lens, picture)
	c.refineToPixels(s)
	if c.cfg.OccluderMask != 0 && c.retest(s) {
		c.refineToPixels(s)
	}
	c.sum.add(&c.walk, lanesIn(c.ranges))
	return true
}

// nodes continues the walk by one call of the kernel, and culls small nodes and packets among the results.
// Small objects in the remaining packets are culled by narrow.
func (c *Culler) nodes(s *soa.Store, filter *asm.NodeFilter, picture *depth.Picture) {
	w := &c.walk
	head, queue, packets := w.Head, len(w.Queue), len(w.Packets)
	w.Nodes(s.Nodes.Hot, &c.planes, filter, &c.frame.lens, picture)
	if c.size.On() {
		q, p, _ := c.size.Prune(s.Nodes.Hot, w.Queue[head:w.Head], w.Queue[queue:], w.Head-queue, w.Packets[packets:], nil)
		w.Queue, w.Packets = w.Queue[:queue+q], w.Packets[:packets+p]
	}
}

// finerBoxes is the number of visible objects up to which large ones are retested at full resolution. Above
// it little is hidden, and the finer test of a box costs several times the first one.
const finerBoxes = 2048

// refineToPixels removes the objects that a test at full resolution finds hidden.
func (c *Culler) refineToPixels(s *soa.Store) {
	if len(c.ranges) > finerBoxes || cull.CountRanges(s.Packets.Counts, c.ranges) > finerBoxes {
		return
	}
	if picture := c.visible(); picture != nil {
		var hidden int
		c.ranges, hidden = cull.FinerRanges(c.ranges, s.Packets.Bounds, &c.frame.lens, picture)
		c.walk.HiddenLanes += hidden
	}
}

// begin draws the occluders for a query and starts its walk.
func (c *Culler) begin(v linear.View, s *soa.Store, f *query.Filter, answer int) {
	if c.cfg.OccluderMask != 0 {
		found, had := c.redrawRemembered(s, answer)
		c.tally.Remembered = found
		if 2*found <= had && c.rest.mayTakeLong() {
			c.prepass(v)
		}
		if c.rest.pause > 0 {
			c.scan(s)
		}
	}
	planes := c.frame.frustum.Planes()
	c.planes.Set(&planes, &s.Near, &s.Extent)
	c.walk.Reset()
	if len(s.Nodes.Hot) > 0 {
		c.walk.Queue = append(c.walk.Queue, 0)
	}
	c.walk.Packets = append(c.walk.Packets, s.Pending...)
}

// nodeFilter returns the filter of the walk. It also keeps occluders that the query's filter rejects: they
// count as visible for the memory.
func (c *Culler) nodeFilter(f *query.Filter) asm.NodeFilter {
	filter := nodeFilterOf(f)
	if c.cfg.OccluderMask != 0 {
		filter.Flags = soa.RefFlags
		if filter.Mask != 0 {
			filter.Mask |= c.cfg.OccluderMask
		}
	}
	return filter
}

// retest draws large visible occluders and retests the visible objects. It reports whether it did. It leaves
// the ranges before the retest in c.looked, and the large occluders in them in c.large.
func (c *Culler) retest(s *soa.Store) bool {
	m := phase.Enter(phase.Pick)
	defer m.Leave()
	c.candidates = c.candidates[:0]
	for _, r := range c.ranges {
		c.candidateLanes(&s.Packets, r.First, r.N&0xffff)
	}
	c.beforeRetest, c.large = append(c.beforeRetest[:0], c.ranges...), append(c.large[:0], c.candidates...)
	if c.notDrawn()*secondShare < float64(c.frame.width*c.frame.height) {
		return false
	}
	c.drawCandidates(s)
	m.Next(phase.Seen)
	picture := c.visible()
	if picture == nil {
		return false
	}
	var hidden int
	c.ranges, hidden = cull.SeenRanges(c.ranges, s.Packets.Bounds, &c.frame.lens, picture)
	c.walk.HiddenLanes += hidden
	return true
}

// filterExact sets c.kept to the part of the visible ranges that passes the filter.
func (c *Culler) filterExact(v linear.View, f *query.Filter) {
	defer phase.Enter(phase.Seen).Leave()
	c.kept = append(c.kept[:0], c.ranges...)
	c.kept = filterFrustum(&c.frame.frustum, v, f, c.kept)
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
func (c *Culler) Append(dst []uint32, v linear.View, flt query.Filter) []uint32 {
	answer, ok := c.collect(v, &flt, true)
	if !ok {
		c.rememberDrawn(v, answer)
		return c.frame.frustum.Append(dst, v, flt)
	}
	c.filterExact(v, &flt)
	p := &v.Store().Packets
	m := phase.Enter(phase.Seen)
	dst = cull.EmitIDs(dst, p.IDs, p.Counts, c.kept)
	m.Leave()
	c.remember(answer)
	return dst
}

// Count returns the number of visible objects, without reading IDs.
func (c *Culler) Count(v linear.View, flt query.Filter) int {
	answer, ok := c.collect(v, &flt, true)
	if !ok {
		c.rememberDrawn(v, answer)
		return c.frame.frustum.Count(v, flt)
	}
	c.filterExact(v, &flt)
	n := cull.CountRanges(v.Store().Packets.Counts, c.kept)
	c.remember(answer)
	return n
}

// All returns an iterator over the IDs of the visible objects, in the order of [Culler.Append]. The query
// runs when the iteration starts. Changing the tree during the iteration makes it panic.
func (c *Culler) All(v linear.View, flt query.Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		c.Ranges(v, flt, func(r query.Range) bool {
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
func (c *Culler) Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool) {
	answer, ok := c.collect(v, &flt, true)
	if ok {
		c.filterExact(v, &flt)
	}
	c.busy = true
	defer func() { c.busy = false }()
	if !ok {
		whole := true
		c.frame.frustum.Ranges(v, flt, func(r query.Range) bool {
			whole = yield(r)
			return whole
		})
		if whole {
			c.rememberDrawn(v, answer)
		}
		return
	}
	for _, r := range c.kept {
		if !yield(query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
			return
		}
		v.Store()
	}
	c.remember(answer)
}

// Any reports whether an object is visible. It stops at the first one found. It does not count as a query:
// the next one runs as it would have without it. It makes a single pass, so it may return true where Append
// finds all hidden.
func (c *Culler) Any(v linear.View, flt query.Filter) bool {
	c.checkCamera()
	if err := flt.Check(); err != nil {
		panic(err.Error())
	}
	c.renew(v.Stamp())
	if c.pauses() {
		return c.frame.frustum.Any(v, flt)
	}
	s := v.Store()
	c.begin(v, s, &flt, c.answers)
	lens, picture := &c.frame.lens, c.visible()
	defer phase.Enter(phase.Seen).Leave()
	filter := nodeFilterOf(&flt)
	for tested := 0; ; {
		c.ranges = c.walk.AppendHits(c.ranges[:0], s.Packets.Bounds, c.walk.Packets[tested:], &c.planes, lens, picture)
		tested = len(c.walk.Packets)
		if c.filterExact(v, &flt); len(c.kept) > 0 {
			return true
		}
		if c.walk.Done() {
			return false
		}
		c.nodes(s, &filter, picture)
	}
}

// nodeFilterOf returns the filter of a query in the form of the node kernels.
func nodeFilterOf(f *query.Filter) asm.NodeFilter {
	keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion)}
	return keep.NodeFilter()
}

// filterFrustum removes objects rejected by the frustum's second test or by the filter from hit ranges of boxes
// that intersect the frustum.
func filterFrustum(frustum *query.Frustum, v linear.View, f *query.Filter, ranges []asm.Range) []asm.Range {
	keep := walk.Filter{Mask: f.Mask, Motion: uint8(f.Motion), Exact: f.Exact, Only: f.Only}
	if f.Exclude.Gen != 0 {
		keep.ExcludeAt(v.LocateHandle(f.Exclude))
	}
	return (*walk.Frustum)(frustum).FilterExact(v.Store(), &keep, ranges)
}
