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

// secondShare is the part of the picture that the rectangles of solids which were seen, but not
// drawn, must have together for a second look.
const secondShare = 16

// collect makes an answer, to be followed by others if it is one of those that count, and leaves what was seen in
// e.ranges, as hit ranges, before the filter has looked at lanes. Where it hides nothing, or pauses, ok is
// false, and the answer is that of the frustum.
//
//	recall     draw what was large in the last answer of this number
//	scout      if most of that is gone, what is large and near
//	scan       after a pause, what is very large
//	walk       from the root, leaving out what is hidden; given up if that is next to nothing
//	finer      look once more, down to the pixels, if little is seen
//	again      draw what is seen and is large, and look once more at what is seen
//	remember   what is large now
func (e *Culler) collect(v linear.View, f *query.Filter, counts bool) (answer int, ok bool) {
	answer, ok = e.turn(v.Stamp(), f, counts)
	if s := v.Store(); ok {
		if ok = e.see(v, s, f, answer); counts {
			e.judge(answer, ok)
			e.gaveUp = !ok
		}
	}
	return answer, ok
}

// turn begins an answer about what has that stamp, and reports whether it is to be tried.
func (e *Culler) turn(of linear.Stamp, f *query.Filter, counts bool) (answer int, try bool) {
	e.looking()
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
	e.rest.judged, e.gaveUp = false, false
	return answer, try && (e.cfg.OccluderMask != 0 || !e.open)
}

// judge tells the next Look of an answer that was tried.
func (e *Culler) judge(answer int, ok bool) {
	e.rest.tried = e.rest.tried || answer == 0
	e.rest.worth = e.rest.worth || ok && (e.rest.judged || e.sum.worth())
}

// see tries an answer. It reports false if it has given up.
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
	e.finer(s)
	if e.cfg.OccluderMask != 0 && e.again(s) {
		e.finer(s)
	}
	e.sum.add(&e.walk, lanesIn(e.ranges))
	return true
}

// nodes goes on with the walk by one call of the kernel, and leaves out what is small of what that found.
// Small objects of packets that stay are left out by narrow.
func (e *Culler) nodes(s *soa.Store, filter *asm.NodeFilter, picture *asm.Picture) {
	w := &e.walk
	head, queue, packets := w.Head, len(w.Queue), len(w.Packets)
	w.Nodes(s.Nodes.Hot, &e.planes, filter, &e.frame.lens, picture)
	if e.size.On() {
		q, p, _ := e.size.Prune(s.Nodes.Hot, w.Queue[head:w.Head], w.Queue[queue:], w.Head-queue, w.Packets[packets:], nil)
		w.Queue, w.Packets = w.Queue[:queue+q], w.Packets[:packets+p]
	}
}

// finerBoxes is the number of objects up to which the large ones among what is seen are looked at once more, down to the pixels:
// where more is seen little is hidden, and a finer look at a box takes several times what the first one does.
const finerBoxes = 2048

// finer removes what a finer look finds hidden.
func (e *Culler) finer(s *soa.Store) {
	if len(e.ranges) > finerBoxes || asm.CountRanges(s.Packets.Counts, e.ranges) > finerBoxes {
		return
	}
	if picture := e.visible(); picture != nil {
		var hidden int
		e.ranges, hidden = asm.FinerRanges(e.ranges, s.Packets.Bounds, &e.frame.lens, picture)
		e.walk.HiddenLanes += hidden
	}
}

// begin draws for an answer and starts its walk.
func (e *Culler) begin(v linear.View, s *soa.Store, f *query.Filter, answer int) {
	if e.cfg.OccluderMask != 0 {
		found, had := e.recall(s, answer)
		e.tally.Remembered = found
		if 2*found <= had && e.rest.thorough() {
			e.scout(v)
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

// nodeFilter is the filter of the walk: it keeps solids too, which count as seen whether or not
// they are asked for.
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

// again draws solids that are seen, if they are large, and looks at what is seen once more. It reports whether it did, and
// leaves what is seen before in e.looked, and of that the large solids in e.large.
func (e *Culler) again(s *soa.Store) bool {
	m := phase.Enter(phase.Pick)
	defer m.Leave()
	e.picks = e.picks[:0]
	for _, r := range e.ranges {
		e.pickLanes(&s.Packets, r.First, r.N&0xffff)
	}
	e.looked, e.large = append(e.looked[:0], e.ranges...), append(e.large[:0], e.picks...)
	if e.undrawn()*secondShare < float64(e.frame.width*e.frame.height) {
		return false
	}
	e.drawPicks(s)
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

// narrow makes e.kept what the filter keeps of what was seen.
func (e *Culler) narrow(s *soa.Store, f *query.Filter) {
	defer phase.Enter(phase.Seen).Leave()
	e.kept = append(e.kept[:0], e.ranges...)
	e.kept = query.Narrow(&e.frame.frustum, s, f, e.kept)
}

// Append appends the IDs of the objects that are seen to dst and returns it: those of which it is not
// sure that every ray of the picture enters a solid before it enters their box, as the package
// comment has it. Objects are those of the view that [Culler.Frustum], with Config.MinSize, and the
// filter keep.
//
// The order is that of a breadth-first walk, pending packets first; of an answer in a pause, or that was given
// up, that of [query.Frustum.Append]. It is a function of the changes made to the
// tree, and of the calls made on this Eye and their arguments. It allocates when dst lacks room for
// the answer and 16 more.
//
// Cost: as said in the package comment. The filter says what is answered, not what hides: solids hide
// that the filter does not keep. It is an answer that renews the memory, and so are those of Count, All and Ranges
// if they are not broken off. Nothing else does.
func (e *Culler) Append(dst []uint32, v linear.View, flt query.Filter) []uint32 {
	answer, ok := e.collect(v, &flt, true)
	if !ok {
		e.rememberDrawn(v, answer)
		return e.frame.frustum.Append(dst, v, flt)
	}
	e.narrow(v.Store(), &flt)
	p := &v.Store().Packets
	m := phase.Enter(phase.Seen)
	dst = asm.EmitIDs(dst, p.IDs, p.Counts, e.kept)
	m.Leave()
	e.remember(answer)
	return dst
}

// Count returns the number of objects that are seen, without reading IDs.
func (e *Culler) Count(v linear.View, flt query.Filter) int {
	answer, ok := e.collect(v, &flt, true)
	if !ok {
		e.rememberDrawn(v, answer)
		return e.frame.frustum.Count(v, flt)
	}
	e.narrow(v.Store(), &flt)
	n := asm.CountRanges(v.Store().Packets.Counts, e.kept)
	e.remember(answer)
	return n
}

// All returns an iterator over the IDs of the objects that are seen, in the order of [Culler.Append]. The answer is
// made when the iteration starts. Changing the tree during the iteration makes it panic.
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

// Ranges calls yield with the parts of the answer, in the order of [Culler.Append], until it returns false:
// packets one by one, with a mask; of an answer in a pause, or that was given up, those of
// [query.Frustum.Ranges]. It reads no IDs. Changing the tree in yield makes it panic.
func (e *Culler) Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool) {
	answer, ok := e.collect(v, &flt, true)
	if ok {
		e.narrow(v.Store(), &flt)
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

// Any reports whether an object is seen. It stops when it has found one, and is no answer that counts: the next
// one is that which would have followed without it. It looks only once, so it may say yes where Append finds all hidden.
func (e *Culler) Any(v linear.View, flt query.Filter) bool {
	e.looking()
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
		if e.narrow(v.Store(), &flt); len(e.kept) > 0 {
			return true
		}
		if e.walk.Done() {
			return false
		}
		e.nodes(s, &filter, picture)
	}
}
