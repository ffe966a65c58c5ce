package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// start makes the first level that of a scene, and forgets spots.
func (e *Culler) start(v linear.SceneView, frustum *query.Frustum, asked bool) {
	w := e.within
	clear(w.spots)
	w.spots, e.ranges = w.spots[:0], e.ranges[:0]
	l := &w.levels[0]
	l.top(&e.frame, v, frustum)
	l.asked, l.solid = asked, e.cfg.OccluderMask != 0
}

// collectWithin makes an answer about a scene, as collect does about a tree, and leaves what was seen in spots. Where
// ok is false it is that of the frustum.
func (e *Culler) collectWithin(v linear.SceneView, f *query.Filter, counts bool) (answer int, ok bool) {
	answer, ok = e.turn(v.Stamp(), f, counts)
	if e.within == nil {
		e.within = newWithin()
	}
	w := e.within
	w.filter, w.outer, w.tally, w.stop = *f, *f, SceneCounters{}, false
	w.filter.Only = nil
	w.drawn, w.sorted = w.drawn[:0], 0
	if ok {
		if ok = e.seeWithin(v, answer); counts {
			e.judge(answer, ok)
			e.gaveUp = !ok
		}
	}
	return answer, ok
}

// drawSolids draws the solids of a scene for an answer.
func (e *Culler) drawSolids(v linear.SceneView, answer int) {
	if e.cfg.OccluderMask == 0 {
		return
	}
	w := e.within
	counts := w.counts
	w.counts, w.scouted = false, w.scouted[:0]
	e.start(v, &e.frame.frustum, true)
	found, had := e.recallWithin(answer)
	e.tally.Remembered = found
	if 2*found <= had {
		e.scoutWithin(v)
		e.keepWithin(&w.scouted)
	}
	w.counts, w.tally = counts, SceneCounters{}
}

// seeWithin tries an answer. It reports false if it has given up.
func (e *Culler) seeWithin(v linear.SceneView, answer int) bool {
	e.drawSolids(v, answer)
	picture := e.visible()
	if picture == nil {
		return false
	}
	e.start(v, &e.frame.frustum, true)
	if !e.roam(0, picture) {
		return false
	}
	e.finerWithin()
	if e.cfg.OccluderMask != 0 && e.againWithin() {
		e.finerWithin()
	}
	return true
}

// AppendScene adds to an answer the objects of a scene and of the parts in it that are seen: [Culler.Append], asked of what
// stands in places. A place is tested by its box, what is in it in the space of the part.
//
// First come the scene's own objects, then place by place what is in parts, as [scene.Append] has it; of each tree in the order
// of a breadth-first walk. Of an answer in a pause, or that was given up, the order is that of scene.Append. Which of these it
// is, and what is seen, is a function of the changes and the calls. The filter lets through what that of scene.Append does. Solid are the
// objects with a bit of Config.OccluderMask whose places, all on the path, have a gate with one: boxes and oriented boxes under
// their poses.
//
// It allocates only while the answer lacks room, and in the first frames.
func (e *Culler) AppendScene(a *scene.Answer, v linear.SceneView, flt query.Filter) {
	answer, ok := e.collectWithin(v, &flt, true)
	if !ok {
		e.rememberScouted(answer)
		e.within.release()
		scene.Append(a, e.frame.frustum, v, flt)
		return
	}
	w := e.within
	for i := range w.spots {
		s := &w.spots[i]
		if !e.keptOf(i) {
			continue
		}
		p := &s.objects.Store().Packets
		row := w.rowOf(a, int32(i))
		a.IDs = asm.EmitIDs(a.IDs, p.IDs, p.Counts, e.kept)
		a.End(row)
	}
	e.rememberWithin(answer)
	w.release()
}

// keptOf makes e.kept what the filter keeps of what was seen of a spot, and reports whether there is any.
func (e *Culler) keptOf(i int) bool {
	w := e.within
	s := &w.spots[i]
	if !s.asked || s.first == s.end {
		return false
	}
	f := &w.filter
	if i == 0 {
		f = &w.outer
	}
	e.narrowSpot(s, s.first, s.end, f)
	return len(e.kept) > 0
}

// rowOf returns the place of a spot in the answer.
func (w *within) rowOf(a *scene.Answer, at int32) scene.InstanceRef {
	s := &w.spots[at]
	if s.in >= 0 && s.row == 0 {
		s.row = a.Enter(w.rowOf(a, s.in), s.id, s.part, s.pose)
	}
	return s.row
}

// CountScene returns the number of objects of a scene that are seen; those of a part count in each place in which they
// are.
func (e *Culler) CountScene(v linear.SceneView, flt query.Filter) (n uint64) {
	answer, ok := e.collectWithin(v, &flt, true)
	if !ok {
		e.rememberScouted(answer)
		e.within.release()
		return scene.Count(e.frame.frustum, v, flt)
	}
	for i := range e.within.spots {
		if e.keptOf(i) {
			n += uint64(lanesIn(e.kept))
		}
	}
	e.rememberWithin(answer)
	e.within.release()
	return n
}

// AllScene returns an iterator over the objects of a scene that are seen, with the paths of the parts that they are in, in the order of
// [Culler.AppendScene]. The answer is made when the iteration starts. Changing the scene during the iteration
// makes it panic.
func (e *Culler) AllScene(v linear.SceneView, flt query.Filter) iter.Seq2[scene.Path, uint32] {
	return func(yield func(scene.Path, uint32) bool) {
		answer, ok := e.collectWithin(v, &flt, true)
		w := e.within
		e.busy = true
		defer e.yielded()
		if !ok {
			w.each, w.whole = yield, true
			scene.All(e.frame.frustum, v, flt)(w.passEach)
			if w.whole {
				e.rememberScouted(answer)
			}
			return
		}
		for i := range w.spots {
			if !e.keptOf(i) {
				continue
			}
			path, p := w.path(int32(i)), &w.spots[i].objects.Store().Packets
			for _, r := range e.kept {
				for m := r.N & 0xffff; m != 0; m &= m - 1 {
					if !yield(path, p.IDs[r.First][bits.TrailingZeros32(m)]) {
						return
					}
					v.Objects() // panics if the scene has changed
				}
			}
		}
		e.rememberWithin(answer)
	}
}

// yielded ends what has called back.
func (e *Culler) yielded() {
	e.busy = false
	e.within.release()
}

// RangesScene calls yield with the answer of [Culler.AppendScene] as ranges of packet slots, until it returns false: see
// [scene.Ranges]. Changing the scene in yield makes it panic.
func (e *Culler) RangesScene(v linear.SceneView, flt query.Filter, yield func(scene.Part, query.Range) bool) {
	answer, ok := e.collectWithin(v, &flt, true)
	w := e.within
	e.busy = true
	defer e.yielded()
	if !ok {
		w.part, w.whole = yield, true
		scene.Ranges(e.frame.frustum, v, flt, w.passPart)
		if w.whole {
			e.rememberScouted(answer)
		}
		return
	}
	for i := range w.spots {
		if !e.keptOf(i) {
			continue
		}
		part := scene.Part{Path: w.path(int32(i)), View: w.spots[i].view, Number: w.spots[i].part}
		for _, r := range e.kept {
			if !yield(part, query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
				return
			}
			v.Objects()
		}
	}
	e.rememberWithin(answer)
}

// AnyScene reports whether an object of a scene is seen: see [Culler.Any].
func (e *Culler) AnyScene(v linear.SceneView, flt query.Filter) bool {
	answer, try := e.turn(v.Stamp(), &flt, false)
	if e.within == nil {
		e.within = newWithin()
	}
	w := e.within
	defer w.release()
	w.filter, w.outer = flt, flt
	w.filter.Only = nil
	w.drawn, w.sorted = w.drawn[:0], 0
	var picture *asm.Picture
	if try {
		e.drawSolids(v, answer)
		picture = e.visible()
	}
	if picture == nil {
		return scene.Any(e.frame.frustum, v, flt)
	}
	e.start(v, &e.frame.frustum, true)
	w.levels[0].solid = false // nothing is remembered
	w.stop, w.found = true, false
	e.roam(0, picture)
	w.stop = false
	return w.found
}

// SceneCounters tell what an answer about a scene took. They are equal on every CPU.
type SceneCounters struct {
	// Counters are those of the walks of all trees, of objects and of places, added up. HiddenObjects
	// counts no places.
	Counters

	// Instances is the number of places whose boxes were seen. Of these, Rejected had nothing in the frustum; others are among
	// HiddenInstances, as are those whose boxes were not seen; the rest were gone into.
	Instances, Rejected, HiddenInstances int
}

// ExplainScene makes the answer as [Culler.AppendScene] does and tells what it took, also in heat, unless that is nil: see
// [Culler.Explain].
func (e *Culler) ExplainScene(v linear.SceneView, flt query.Filter, heat *scene.Heat) SceneCounters {
	e.free()
	if e.within == nil {
		e.within = newWithin()
	}
	w := e.within
	defer func() {
		w.counts = false
		w.release()
	}()
	w.counts, w.heat = true, heat
	_, ok := e.collectWithin(v, &flt, false)
	c := w.tally
	c.Drawn, c.Remembered, c.Pause = e.tally.Drawn, e.tally.Remembered, e.tally.Pause
	c.Occluders, c.Covered = len(w.drawn), e.covered()
	if !ok {
		c.GaveUp = c.Pause == 0 && (e.cfg.OccluderMask != 0 || !e.open)
		told := scene.Explain(e.frame.frustum, v, flt, heat)
		c.Counters.Counters = c.Counters.Counters.Add(told.Counters)
		return c
	}
	for i := range w.spots {
		if e.keptOf(i) {
			c.Ranges += len(e.kept)
		}
	}
	return c
}

// lanesOf returns the number of lanes of a mask.
func lanesOf(m uint32) int { return bits.OnesCount32(m & (1<<soa.Lanes - 1)) }
