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

// start makes the first level a scene's, and clears the instances.
func (e *Culler) start(v linear.SceneView, frustum *query.Frustum, asked bool) {
	w := e.within
	clear(w.instances)
	w.instances, e.ranges = w.instances[:0], e.ranges[:0]
	l := &w.levels[0]
	l.top(&e.frame, v, frustum)
	l.queried, l.occluders = asked, e.cfg.OccluderMask != 0
}

// collectWithin runs a query of a scene, as collect does for a tree, and leaves the visible objects in the
// instances. If ok is false, the result is the frustum's.
func (e *Culler) collectWithin(v linear.SceneView, f *query.Filter, counts bool) (answer int, ok bool) {
	answer, ok = e.turn(v.Stamp(), f, counts)
	if e.within == nil {
		e.within = newWithin()
	}
	w := e.within
	w.filter, w.outer, w.tally, w.stop = *f, *f, SceneCounters{}, false
	w.filter.Only, w.filter.Exclude = nil, soa.Handle{}
	w.drawn, w.sorted = w.drawn[:0], 0
	if ok {
		if ok = e.seeWithin(v, answer); counts {
			e.evaluate(answer, ok)
			e.stoppedEarly = !ok
		}
	}
	return answer, ok
}

// drawOccluders draws the occluders of a scene for a query.
func (e *Culler) drawOccluders(v linear.SceneView, answer int) {
	if e.cfg.OccluderMask == 0 {
		return
	}
	w := e.within
	counts := w.counts
	w.counts, w.prepassed = false, w.prepassed[:0]
	e.start(v, &e.frame.frustum, true)
	found, had := e.redrawRememberedWithin(answer)
	e.tally.Remembered = found
	if 2*found <= had {
		e.prepassWithin(v)
		e.keepWithin(&w.prepassed)
	}
	w.counts, w.tally = counts, SceneCounters{}
}

// seeWithin runs the culled walk of a query. It reports false if the query was abandoned.
func (e *Culler) seeWithin(v linear.SceneView, answer int) bool {
	e.drawOccluders(v, answer)
	picture := e.visible()
	if picture == nil {
		return false
	}
	e.start(v, &e.frame.frustum, true)
	if !e.roam(0, picture) {
		return false
	}
	e.refineToPixelsWithin()
	if e.cfg.OccluderMask != 0 && e.retestWithin() {
		e.refineToPixelsWithin()
	}
	return true
}

// AppendScene appends the visible objects of a scene with instancing, and of the parts in it, to a;
// it is [Culler.Append] for scenes. An instance is tested by its box, its objects in the space of the part.
//
// The filter has the meaning that it has in [scene.Append]. Occluders are the objects with a bit of
// Config.OccluderMask, if the masks of all instances on their path have one, too. They occlude by their boxes
// and oriented boxes under their transforms.
//
// The scene's own objects are first, then the objects of parts by instance, as in [scene.Append]; within a
// tree the order is that of a breadth-first walk. During a pause, and for an abandoned query, the order is
// the order of scene.Append. Results and order are a function of the changes and the calls.
//
// It allocates only while the answer lacks room, and in the first frames.
func (e *Culler) AppendScene(a *scene.Answer, v linear.SceneView, flt query.Filter) {
	answer, ok := e.collectWithin(v, &flt, true)
	if !ok {
		e.rememberPrepass(answer)
		e.within.release()
		scene.Append(a, e.frame.frustum, v, flt)
		return
	}
	w := e.within
	for i := range w.instances {
		s := &w.instances[i]
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

// keptOf sets e.kept to the visible objects of a instance that pass the filter, and reports whether there are
// any.
func (e *Culler) keptOf(i int) bool {
	w := e.within
	s := &w.instances[i]
	if !s.queried || s.first == s.end {
		return false
	}
	f := &w.filter
	if i == 0 {
		f = &w.outer
	}
	e.filterInstance(s, s.first, s.end, f)
	return len(e.kept) > 0
}

// rowOf returns the row of a instance in the answer.
func (w *within) rowOf(a *scene.Answer, at int32) scene.InstanceRef {
	s := &w.instances[at]
	if s.in >= 0 && s.row == 0 {
		s.row = a.Enter(w.rowOf(a, s.in), s.id, s.part, s.transform)
	}
	return s.row
}

// CountScene returns the number of visible objects of a scene. Objects of a part count once per instance.
func (e *Culler) CountScene(v linear.SceneView, flt query.Filter) (n uint64) {
	answer, ok := e.collectWithin(v, &flt, true)
	if !ok {
		e.rememberPrepass(answer)
		e.within.release()
		return scene.Count(e.frame.frustum, v, flt)
	}
	for i := range e.within.instances {
		if e.keptOf(i) {
			n += uint64(lanesIn(e.kept))
		}
	}
	e.rememberWithin(answer)
	e.within.release()
	return n
}

// AllScene returns an iterator over the visible objects of a scene, with the paths of their instances, in the
// order of [Culler.AppendScene]. The query runs when the iteration starts. Changing the scene during the
// iteration makes it panic.
func (e *Culler) AllScene(v linear.SceneView, flt query.Filter) iter.Seq2[scene.Path, uint32] {
	return func(yield func(scene.Path, uint32) bool) {
		answer, ok := e.collectWithin(v, &flt, true)
		w := e.within
		e.busy = true
		defer e.endCallback()
		if !ok {
			w.each, w.whole = yield, true
			scene.All(e.frame.frustum, v, flt)(w.passEach)
			if w.whole {
				e.rememberPrepass(answer)
			}
			return
		}
		for i := range w.instances {
			if !e.keptOf(i) {
				continue
			}
			path, p := w.path(int32(i)), &w.instances[i].objects.Store().Packets
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

// endCallback ends a callback.
func (e *Culler) endCallback() {
	e.busy = false
	e.within.release()
}

// RangesScene calls yield with the visible objects of a scene as ranges of packet slots, in the order of
// [Culler.AppendScene], until yield returns false: see [scene.Ranges]. Changing the scene in yield makes it
// panic.
func (e *Culler) RangesScene(v linear.SceneView, flt query.Filter, yield func(scene.Part, query.Range) bool) {
	answer, ok := e.collectWithin(v, &flt, true)
	w := e.within
	e.busy = true
	defer e.endCallback()
	if !ok {
		w.part, w.whole = yield, true
		scene.Ranges(e.frame.frustum, v, flt, w.passPart)
		if w.whole {
			e.rememberPrepass(answer)
		}
		return
	}
	for i := range w.instances {
		if !e.keptOf(i) {
			continue
		}
		part := scene.Part{Path: w.path(int32(i)), View: w.instances[i].view, Number: w.instances[i].part}
		for _, r := range e.kept {
			if !yield(part, query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
				return
			}
			v.Objects()
		}
	}
	e.rememberWithin(answer)
}

// AnyScene reports whether an object of a scene is visible: see [Culler.Any].
func (e *Culler) AnyScene(v linear.SceneView, flt query.Filter) bool {
	answer, try := e.turn(v.Stamp(), &flt, false)
	if e.within == nil {
		e.within = newWithin()
	}
	w := e.within
	defer w.release()
	w.filter, w.outer = flt, flt
	w.filter.Only, w.filter.Exclude = nil, soa.Handle{}
	w.drawn, w.sorted = w.drawn[:0], 0
	var picture *asm.Picture
	if try {
		e.drawOccluders(v, answer)
		picture = e.visible()
	}
	if picture == nil {
		return scene.Any(e.frame.frustum, v, flt)
	}
	e.start(v, &e.frame.frustum, true)
	w.levels[0].occluders = false // nothing is remembered
	w.stop, w.found = true, false
	e.roam(0, picture)
	w.stop = false
	return w.found
}

// SceneCounters counts the work of a query of a scene. The counts are equal on every CPU.
type SceneCounters struct {
	// Counters sums the walks of all trees, of objects and of instances. HiddenObjects counts no instances.
	Counters

	// Instances is the number of instances with visible boxes. Rejected of them had nothing in the frustum.
	// HiddenInstances counts hidden instances: those with hidden boxes, and the hidden ones among Instances.
	// The others were entered.
	Instances, Rejected, HiddenInstances int
}

// ExplainScene runs the query of [Culler.AppendScene] and returns its counters; it also adds to heat, unless
// heat is nil: see [Culler.Explain].
func (e *Culler) ExplainScene(v linear.SceneView, flt query.Filter, heat *scene.Heat) SceneCounters {
	e.checkNotBusy()
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
		c.Abandoned = c.Pause == 0 && (e.cfg.OccluderMask != 0 || !e.open)
		told := scene.Explain(e.frame.frustum, v, flt, heat)
		c.Counters.Counters = c.Counters.Counters.Add(told.Counters)
		return c
	}
	for i := range w.instances {
		if e.keptOf(i) {
			c.Ranges += len(e.kept)
		}
	}
	return c
}

// lanesOf returns the number of lanes of a mask.
func lanesOf(m uint32) int { return bits.OnesCount32(m & (1<<soa.Lanes - 1)) }
