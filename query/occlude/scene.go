package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// start makes the first level a scene's, and clears the instances.
func (c *Culler) start(v linear.SceneView, frustum *query.Frustum, asked bool) {
	w := c.within
	clear(w.instances)
	w.instances, c.ranges = w.instances[:0], c.ranges[:0]
	l := &w.levels[0]
	l.top(&c.frame, v, frustum)
	l.queried, l.occluders = asked, c.cfg.OccluderMask != 0
}

// collectWithin runs a query of a scene, as collect does for a tree, and leaves the visible objects in the
// instances. If ok is false, the result is the frustum's.
func (c *Culler) collectWithin(v linear.SceneView, f *query.Filter, counts bool) (answer int, ok bool) {
	answer, ok = c.turn(v.Stamp(), f, counts)
	if c.within == nil {
		c.within = newWithin()
	}
	w := c.within
	w.filter, w.outer, w.tally, w.stop = *f, *f, SceneCounters{}, false
	w.filter.Only, w.filter.Exclude = nil, soa.Handle{}
	w.drawn, w.sorted = w.drawn[:0], 0
	if ok {
		if ok = c.seeWithin(v, answer); counts {
			c.evaluate(answer, ok)
			c.stoppedEarly = !ok
		}
	}
	return answer, ok
}

// drawOccluders draws the occluders of a scene for a query.
func (c *Culler) drawOccluders(v linear.SceneView, answer int) {
	if c.cfg.OccluderMask == 0 {
		return
	}
	w := c.within
	counts := w.counts
	w.counts, w.prepassed = false, w.prepassed[:0]
	c.start(v, &c.frame.frustum, true)
	found, had := c.redrawRememberedWithin(answer)
	c.tally.Remembered = found
	if 2*found <= had {
		c.prepassWithin(v)
		c.keepWithin(&w.prepassed)
	}
	w.counts, w.tally = counts, SceneCounters{}
}

// seeWithin runs the culled walk of a query. It reports false if the query was abandoned.
func (c *Culler) seeWithin(v linear.SceneView, answer int) bool {
	c.drawOccluders(v, answer)
	picture := c.visible()
	if picture == nil {
		return false
	}
	c.start(v, &c.frame.frustum, true)
	if !c.roam(0, picture) {
		return false
	}
	c.refineToPixelsWithin()
	if c.cfg.OccluderMask != 0 && c.retestWithin() {
		c.refineToPixelsWithin()
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
func (c *Culler) AppendScene(a *scene.Answer, v linear.SceneView, flt query.Filter) {
	answer, ok := c.collectWithin(v, &flt, true)
	if !ok {
		c.rememberPrepass(answer)
		c.within.release()
		scene.Append(a, c.frame.frustum, v, flt)
		return
	}
	w := c.within
	for i := range w.instances {
		s := &w.instances[i]
		if !c.keptOf(i) {
			continue
		}
		p := &s.objects.Store().Packets
		row := w.rowOf(a, int32(i))
		a.IDs = cull.EmitIDs(a.IDs, p.IDs, p.Counts, c.kept)
		a.End(row)
	}
	c.rememberWithin(answer)
	w.release()
}

// keptOf sets e.kept to the visible objects of an instance that pass the filter, and reports whether there are
// any.
func (c *Culler) keptOf(i int) bool {
	w := c.within
	s := &w.instances[i]
	if !s.queried || s.first == s.end {
		return false
	}
	f := &w.filter
	if i == 0 {
		f = &w.outer
	}
	c.filterInstance(s, s.first, s.end, f)
	return len(c.kept) > 0
}

// rowOf returns the row of an instance in the answer.
func (w *within) rowOf(a *scene.Answer, at int32) scene.InstanceRef {
	s := &w.instances[at]
	if s.in >= 0 && s.row == 0 {
		s.row = a.Enter(w.rowOf(a, s.in), s.id, s.part, (*linear.Transform)(s.transform))
	}
	return s.row
}

// CountScene returns the number of visible objects of a scene. Objects of a part count once per instance.
func (c *Culler) CountScene(v linear.SceneView, flt query.Filter) (n uint64) {
	answer, ok := c.collectWithin(v, &flt, true)
	if !ok {
		c.rememberPrepass(answer)
		c.within.release()
		return scene.Count(c.frame.frustum, v, flt)
	}
	for i := range c.within.instances {
		if c.keptOf(i) {
			n += uint64(lanesIn(c.kept))
		}
	}
	c.rememberWithin(answer)
	c.within.release()
	return n
}

// AllScene returns an iterator over the visible objects of a scene, with the paths of their instances, in the
// order of [Culler.AppendScene]. The query runs when the iteration starts. Changing the scene during the
// iteration makes it panic.
func (c *Culler) AllScene(v linear.SceneView, flt query.Filter) iter.Seq2[scene.Path, uint32] {
	return func(yield func(scene.Path, uint32) bool) {
		answer, ok := c.collectWithin(v, &flt, true)
		w := c.within
		c.busy = true
		defer c.endCallback()
		if !ok {
			w.each, w.whole = yield, true
			scene.All(c.frame.frustum, v, flt)(w.passEach)
			if w.whole {
				c.rememberPrepass(answer)
			}
			return
		}
		for i := range w.instances {
			if !c.keptOf(i) {
				continue
			}
			path, p := w.path(int32(i)), &w.instances[i].objects.Store().Packets
			for _, r := range c.kept {
				for m := r.N & 0xffff; m != 0; m &= m - 1 {
					if !yield(path, p.IDs[r.First][bits.TrailingZeros32(m)]) {
						return
					}
					v.Objects() // panics if the scene has changed
				}
			}
		}
		c.rememberWithin(answer)
	}
}

// endCallback ends a callback.
func (c *Culler) endCallback() {
	c.busy = false
	c.within.release()
}

// RangesScene calls yield with the visible objects of a scene as ranges of packet slots, in the order of
// [Culler.AppendScene], until yield returns false: see [scene.Ranges]. Changing the scene in yield makes it
// panic.
func (c *Culler) RangesScene(v linear.SceneView, flt query.Filter, yield func(scene.Part, query.Range) bool) {
	answer, ok := c.collectWithin(v, &flt, true)
	w := c.within
	c.busy = true
	defer c.endCallback()
	if !ok {
		w.part, w.whole = yield, true
		scene.Ranges(c.frame.frustum, v, flt, w.passPart)
		if w.whole {
			c.rememberPrepass(answer)
		}
		return
	}
	for i := range w.instances {
		if !c.keptOf(i) {
			continue
		}
		part := scene.Part{Path: w.path(int32(i)), View: w.instances[i].view, Number: w.instances[i].part}
		for _, r := range c.kept {
			if !yield(part, query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
				return
			}
			v.Objects()
		}
	}
	c.rememberWithin(answer)
}

// AnyScene reports whether an object of a scene is visible: see [Culler.Any].
func (c *Culler) AnyScene(v linear.SceneView, flt query.Filter) bool {
	answer, try := c.turn(v.Stamp(), &flt, false)
	if c.within == nil {
		c.within = newWithin()
	}
	w := c.within
	defer w.release()
	w.filter, w.outer = flt, flt
	w.filter.Only, w.filter.Exclude = nil, soa.Handle{}
	w.drawn, w.sorted = w.drawn[:0], 0
	var picture *depth.Picture
	if try {
		c.drawOccluders(v, answer)
		picture = c.visible()
	}
	if picture == nil {
		return scene.Any(c.frame.frustum, v, flt)
	}
	c.start(v, &c.frame.frustum, true)
	w.levels[0].occluders = false // nothing is remembered
	w.stop, w.found = true, false
	c.roam(0, picture)
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
func (c *Culler) ExplainScene(v linear.SceneView, flt query.Filter, heat *scene.Heat) SceneCounters {
	c.checkNotBusy()
	if c.within == nil {
		c.within = newWithin()
	}
	w := c.within
	defer func() {
		w.counts = false
		w.release()
	}()
	w.counts, w.heat = true, heat
	_, ok := c.collectWithin(v, &flt, false)
	counters := w.tally
	counters.Drawn, counters.Remembered, counters.Pause = c.tally.Drawn, c.tally.Remembered, c.tally.Pause
	counters.Occluders, counters.Covered = len(w.drawn), c.covered()
	if !ok {
		counters.Abandoned = counters.Pause == 0 && (c.cfg.OccluderMask != 0 || !c.open)
		told := scene.Explain(c.frame.frustum, v, flt, heat)
		counters.Counters.Counters = counters.Counters.Counters.Add(told.Counters)
		return counters
	}
	for i := range w.instances {
		if c.keptOf(i) {
			counters.Ranges += len(c.kept)
		}
	}
	return counters
}

// lanesOf returns the number of lanes of a mask.
func lanesOf(m uint32) int { return bits.OnesCount32(m & (1<<soa.Lanes - 1)) }
