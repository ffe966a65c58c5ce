package occlude

import (
	"slices"

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

// collect runs a query and leaves the visible objects in the ranges of the instances, before the filter has
// tested lanes. If counts is set, the query counts for the back-off and for the memory. ok is false if the
// query was paused or abandoned: the result is then the frustum's.
//
//	redraw     draw the occluders that were large in the last query of this number
//	prepass    if at most half of them are still large, draw large nearby ones
//	scan       after a pause, draw very large ones of a tree
//	walk       walk from the root, culling hidden nodes; abandon if next to nothing is hidden. If only the
//	           occluders of the last query were drawn, which are elsewhere after a cut, first try the prepass
//	refine     retest at full resolution, if few objects are visible
//	retest     draw the large visible occluders, and retest the visible objects
//	remember   remember the large visible occluders
func (c *Culler) collect(t target, f *query.Filter, counts bool) (ok bool) {
	ok = c.begin(t, f, counts)
	if !ok {
		return false
	}
	prepassed := c.drawOccluders()
	defer phase.Enter(phase.Visible).Leave()
	picture, ok := c.walkTarget()
	if !ok && !prepassed && c.tally.Remembered > 0 && c.rest.pause == 0 {
		c.prepass()
		c.sum, c.rest.evaluated = tested{}, false
		picture, ok = c.walkTarget()
	}
	if ok {
		c.refineToPixels(picture)
		if c.cfg.OccluderMask != 0 {
			if picture = c.retest(); picture != nil {
				c.refineToPixels(picture)
			}
		}
	}
	if !counts {
		return ok
	}
	c.rest.tried = c.rest.tried || c.number == 0
	c.rest.paidOff = c.rest.paidOff || ok && (c.rest.evaluated || c.sum.paidOff())
	c.stoppedEarly = !ok
	return ok
}

// walkTarget walks from the root. It returns the depth buffer, and false if nothing has been drawn or the query is
// abandoned.
func (c *Culler) walkTarget() (*depth.Picture, bool) {
	picture := c.buffer.settle()
	if picture == nil {
		return nil, false
	}
	c.enterTarget(&c.frame, &c.frame.frustum, true, c.cfg.OccluderMask != 0)
	return picture, c.walkObjects(0, picture) && c.walkInstances(0, picture)
}

// begin begins a query, and reports whether occlusion is to be tried.
func (c *Culler) begin(t target, f *query.Filter, counts bool) (try bool) {
	c.checkCamera()
	if err := f.Check(); err != nil {
		panic(err.Error())
	}
	if t.isScene && c.scene == nil {
		c.scene = newSceneWalk()
	}
	if t.isScene {
		c.renew(t.view.Stamp())
	} else {
		c.renew(t.objects.Stamp())
	}
	c.target, c.filter, c.sized = t, *f, c.size.On()
	c.number, try = c.queries, c.rest.left == 0 || c.buffer.byHand > 0
	c.drawn, c.sorted = c.drawn[:0], 0
	c.sum, c.tally = tested{}, SceneCounters{}
	c.tally.Drawn = c.buffer.byHand
	if !try {
		c.tally.Pause = c.rest.left
	}
	if counts {
		c.queries++
		c.rest.left = max(c.rest.left-1, 0)
	}
	c.rest.evaluated, c.stoppedEarly, c.counts = false, false, counts
	c.stop, c.found = false, false
	c.prepassed.reset()
	return try && (c.cfg.OccluderMask != 0 || !c.buffer.open)
}

// any reports whether an object of a target is visible; ok is false if the result is the frustum's.
func (c *Culler) any(t target, f *query.Filter) (found, ok bool) {
	try := c.begin(t, f, false)
	defer c.release()
	if !try {
		return false, false
	}
	c.drawOccluders()
	picture := c.buffer.settle()
	if picture == nil {
		return false, false
	}
	defer phase.Enter(phase.Visible).Leave()
	c.stop, c.found, c.rest.evaluated = true, false, true  // not to be abandoned
	c.enterTarget(&c.frame, &c.frame.frustum, true, false) // nothing is remembered
	_ = c.walkObjects(0, picture) && c.walkInstances(0, picture)
	return c.found, true
}

// sourcesMax is the maximum number of trees and scenes whose stamps are remembered.
const sourcesMax = 1024

// renew begins a query of a tree or scene with this stamp. If the tree or scene was queried before in another
// state, it begins a new frame of the same camera with the occluders drawn by the program.
func (c *Culler) renew(of linear.Stamp) {
	i := slices.IndexFunc(c.stamps, func(s linear.Stamp) bool { return s.Source == of.Source })
	if i >= 0 && c.stamps[i] == of {
		return
	}
	if i >= 0 || len(c.stamps) == sourcesMax {
		c.beginFrame()
		c.buffer.removeTrees()
	}
	c.stamps = append(c.stamps, of)
}

// beginFrame begins a frame: the next query is its first.
func (c *Culler) beginFrame() {
	c.stamps, c.queries = c.stamps[:0], 0
	c.rest.beginFrame()
}

// walkObjects walks the objects of an instance and appends the visible ranges to its results. It reports false
// if the query is abandoned.
func (c *Culler) walkObjects(at int32, picture *depth.Picture) bool {
	s := &c.instances[at]
	s.first, s.end = len(c.ranges), len(c.ranges)
	if s.objects.Len() == 0 {
		return true
	}
	if c.stop {
		c.found = c.anyVisible(at, picture)
		return !c.found
	}
	mask, motion := c.cfg.OccluderMask, query.AnyMotion
	if s.queried {
		mask, motion = c.filter.Mask, c.filter.Motion
	}
	filter := nodeFilter(mask, motion)
	if s.queried && s.occluders {
		// Occluders that the filter rejects count as visible for the memory.
		filter.Flags = soa.RefFlags
		if filter.Mask != 0 {
			filter.Mask |= c.cfg.OccluderMask
		}
	}
	ok := c.walkTree(s, s.objects, &filter, picture)
	s.end = len(c.ranges)
	c.tally.HiddenObjects += c.walk.HiddenLanes
	c.explain.count(&c.tally.Counters, &c.walk, s, s.objects, false, ok)
	return ok
}

// walkTree walks the objects of an instance, or its tree of instances, and appends the visible ranges to
// c.ranges. It reports false if the query is abandoned.
func (c *Culler) walkTree(s *instance, v linear.View, filter *asm.NodeFilter, picture *depth.Picture) bool {
	store, w := v.Store(), &c.walk
	if !s.sighted {
		picture = nil
	}
	c.startTree(s, store)
	for !w.Done() {
		c.walkNodes(s, store, filter, picture)
		if picture != nil && !c.worthwhile(s, store, picture) {
			return false
		}
	}
	first := len(c.ranges)
	c.ranges = w.AppendHits(c.ranges, store.Packets.Bounds, w.Packets, &c.planes, &s.lens, picture)
	if c.sum.add(w, cull.CountRanges(store.Packets.Counts, c.ranges[first:])); picture == nil || c.rest.evaluated ||
		c.sum.nodes < evaluateNodes || c.sum.lanes < evaluatePackets*soa.Lanes {
		return true
	}
	c.rest.evaluated = true
	return c.sum.paidOff()
}

// startTree prepares the walk through a tree of an instance.
func (c *Culler) startTree(s *instance, store *soa.Store) {
	c.walk.Reset()
	planes := s.frustum.Planes()
	c.planes.Set(&planes, &store.Near, &store.Extent)
	inside := uint32(0)
	if s.inside {
		inside = cull.InsideFlag
	}
	if len(store.Nodes.Hot) > 0 {
		c.walk.Queue = append(c.walk.Queue, inside)
	}
	for _, slot := range store.Pending {
		c.walk.Packets = append(c.walk.Packets, slot|inside)
	}
}

// walkNodes continues the walk by one call of the kernel, and in a tree culls small nodes and packets among
// the results. Small objects in the remaining packets are culled by keep.
func (c *Culler) walkNodes(s *instance, store *soa.Store, filter *asm.NodeFilter, picture *depth.Picture) {
	w := &c.walk
	head, queue, packets := w.Head, len(w.Queue), len(w.Packets)
	w.Nodes(store.Nodes.Hot, &c.planes, filter, &s.lens, picture)
	if c.size.On() && !c.target.isScene {
		q, p, _ := c.size.Prune(store.Nodes.Hot, w.Queue[head:w.Head], w.Queue[queue:], w.Head-queue, w.Packets[packets:], nil)
		w.Queue, w.Packets = w.Queue[:queue+q], w.Packets[:packets+p]
	}
}

// finerBoxes is the number of visible objects up to which large ones are retested at full resolution. Above
// it little is hidden, and the finer test of a box costs several times the first one.
const finerBoxes = 2048

// refineToPixels removes the objects that a test at full resolution finds hidden.
func (c *Culler) refineToPixels(picture *depth.Picture) {
	ranges, n := 0, 0
	for i := range c.instances {
		s := &c.instances[i]
		if ranges += s.end - s.first; ranges > finerBoxes {
			return
		}
		if s.first < s.end {
			n += cull.CountRanges(s.objects.Store().Packets.Counts, c.ranges[s.first:s.end])
		}
	}
	if n <= finerBoxes {
		c.test(cull.VisibleRangesByPixel, picture)
	}
}

// retest draws large visible occluders and retests the visible objects. It returns nil if there are too few
// large ones. It leaves the ranges before the retest in c.beforeRetest, and the large occluders in them in
// c.large.
func (c *Culler) retest() *depth.Picture {
	m := phase.Enter(phase.Pick)
	defer m.Leave()
	c.candidates = c.candidates[:0]
	for i := range c.instances {
		if c.parts != nil {
			c.addPart(int32(i)) // before the objects of the instance
		}
		s := &c.instances[i]
		if s.before = s.end; s.occluders && s.sighted && s.first < s.end {
			p := &s.objects.Store().Packets
			for _, r := range c.ranges[s.first:s.end] {
				c.addCandidates(s, int32(i), p, r.First, r.N&0xffff)
			}
		}
	}
	c.beforeRetest, c.large = append(c.beforeRetest[:0], c.ranges...), append(c.large[:0], c.candidates...)
	if c.notDrawn(c.instances)*secondShare < float64(c.frame.width*c.frame.height) {
		return nil
	}
	c.drawLargest()
	m.Next(phase.Visible)
	picture := c.buffer.settle()
	if picture != nil {
		c.test(cull.VisibleRanges, picture)
	}
	return picture
}

// test removes and counts the visible objects that a kernel finds hidden.
func (c *Culler) test(kernel func([]asm.Range, []soa.Packet, *cull.Lens, *depth.Picture) ([]asm.Range, int), picture *depth.Picture) {
	for i := range c.instances {
		s := &c.instances[i]
		if !s.sighted || s.first == s.end {
			continue
		}
		left, hidden := kernel(c.ranges[s.first:s.end], s.objects.Store().Packets.Bounds, &s.lens, picture)
		s.end = s.first + len(left)
		c.tally.HiddenObjects += hidden
		c.sum.hiddenLanes += hidden
	}
}

// anyVisible reports whether an object of an instance is visible. It stops at the first one found.
func (c *Culler) anyVisible(at int32, picture *depth.Picture) bool {
	s := &c.instances[at]
	store, w := s.objects.Store(), &c.walk
	if !s.sighted {
		picture = nil
	}
	c.startTree(s, store)
	filter := nodeFilter(c.filter.Mask, c.filter.Motion)
	for tested := 0; ; {
		c.ranges = w.AppendHits(c.ranges[:0], store.Packets.Bounds, w.Packets[tested:], &c.planes, &s.lens, picture)
		tested = len(w.Packets)
		if s.first, s.end = 0, len(c.ranges); c.keep(at) {
			return true
		}
		if w.Done() {
			return false
		}
		c.walkNodes(s, store, &filter, picture)
	}
}

// nodeFilter returns a filter in the form of the node kernels.
func nodeFilter(mask uint32, motion query.Motion) asm.NodeFilter {
	keep := walk.Filter{Mask: mask, Motion: uint8(motion)}
	return keep.NodeFilter()
}

// In open country nothing is hidden, and finding that out costs many times the frustum query. So a query is
// abandoned once it is evidently not worthwhile, and the next ones do not try: first 1 query, then 2, 4, up
// to 16, until a try has been worthwhile again (exponential back-off). Only queries are counted, so the
// back-off is a function of the calls.

const (
	longestPause = 16

	// A try is worthwhile if at least one in worthShare of the tested objects is hidden, or one in
	// subtreeShare of the tested subtrees and packets, each standing for many objects that were not
	// reached.
	worthShare   = 16
	subtreeShare = 64

	// A query is evaluated after this number of nodes, by these and by a sample of packets.
	evaluateNodes   = 128
	evaluatePackets = 64
)

// backoff counts the queries that do not try occlusion (exponential back-off).
type backoff struct {
	pause     int  // length of the last pause, in queries
	left      int  // remaining queries of the pause
	tried     bool // the first query since SetCamera tried
	paidOff   bool // a query since SetCamera was worthwhile
	evaluated bool // the current query has been evaluated
}

// beginFrame begins a frame. The success of the queries since the last frame decides on a pause.
func (b *backoff) beginFrame() {
	switch {
	case b.paidOff:
		b.pause, b.left = 0, 0
	case b.tried:
		b.pause = min(max(2*b.pause, 1), longestPause)
		b.left = b.pause
	}
	b.tried, b.paidOff = false, false
}

// tested counts the tests of a query and the hidden ones among them.
type tested struct {
	nodes              int // with tested children
	boxes, hiddenBoxes int // subtrees and packets
	lanes, hiddenLanes int
}

func (t *tested) paidOff() bool {
	return subtreeShare*t.hiddenBoxes >= t.boxes || worthShare*t.hiddenLanes >= t.lanes
}

// add adds the tests of a walk that found seen visible lanes.
func (t *tested) add(w *cull.VisibleWalk, seen int) {
	hidden := w.HiddenNodes + w.HiddenPackets
	t.nodes += w.Head
	t.boxes += hidden + len(w.Queue) + len(w.Packets)
	t.hiddenBoxes += hidden
	t.lanes += w.HiddenLanes + seen
	t.hiddenLanes += w.HiddenLanes
}

// worthwhile judges a query in the middle of its walk, once enough nodes are tested, by the counts so far and
// by a sample of packets.
func (c *Culler) worthwhile(s *instance, store *soa.Store, picture *depth.Picture) bool {
	w := &c.walk
	if c.rest.evaluated || c.sum.nodes+w.Head < evaluateNodes || len(w.Packets) < evaluatePackets {
		return true
	}
	c.rest.evaluated = true
	var sample [evaluatePackets]uint32
	for i := range sample {
		sample[i] = w.Packets[i*len(w.Packets)/evaluatePackets]
	}
	so := c.sum
	before := w.HiddenLanes
	c.kept = w.AppendHits(c.kept[:0], store.Packets.Bounds, sample[:], &c.planes, &s.lens, picture)
	so.add(w, cull.CountRanges(store.Packets.Counts, c.kept))
	w.HiddenLanes = before
	return so.paidOff()
}
