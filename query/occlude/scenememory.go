package occlude

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// rememberedIn is a remembered occluder with the path of its instance.
type rememberedIn struct {
	path scene.Path
	remembered
}

// redrawRememberedWithin draws the remembered occluders of the query of that number in instances that still exist: see
// redrawRemembered.
func (e *Culler) redrawRememberedWithin(answer int) (found, had int) {
	w := e.within
	if answer = min(answer, memories-1); answer >= len(e.memory) {
		return 0, 0
	}
	var at scene.Path
	depth := 0 // the levels up to depth are those of at
	w.push(0)
	there := w.levels[0].occluders
	var areas [soa.Lanes]float32
	for _, r := range e.memory[answer].within { // path by path
		if r.path != at {
			same := 0
			for same < min(depth, r.path.Len()) && r.path.At(same) == at.At(same) {
				same++
			}
			depth, at = e.follow(r.path, same), r.path
			there = depth == at.Len()
		}
		if !there {
			continue
		}
		l := &w.levels[depth]
		v := l.view.Objects()
		if v.Len() == 0 {
			continue
		}
		p := &v.Store().Packets
		slot, lane := r.place.Slot(), r.place.Lane()
		if int(slot) >= len(p.IDs) || p.IDs[slot][lane] != r.id || p.Masks[slot][lane]&e.cfg.OccluderMask == 0 || !l.sighted {
			continue
		}
		asm.SeenAreas(&areas, &p.Bounds[slot], 1<<lane, &l.lens, &e.depth)
		if areas[lane] >= e.minPixels() {
			e.drawWithin(l.instance, r.place)
		}
	}
	return len(w.drawn), len(e.memory[answer].within)
}

// follow sets the levels to those of a path, of which the first depth levels are right, as far as such
// instances exist and may contain occluders. It returns the depth that it reached.
func (e *Culler) follow(path scene.Path, depth int) int {
	w := e.within
	for ; depth < path.Len(); depth++ {
		places := w.levels[depth].view.Instances()
		o, ok := linear.Object{}, false
		if places.Len() > 0 {
			o, ok = places.Object(path.At(depth))
		}
		if !ok {
			break
		}
		if _, ok := e.admit(depth, gate{path.At(depth), o.Mask}); !ok || !w.levels[depth+1].occluders {
			break
		}
		l := &w.levels[depth+1]
		l.frustum = w.levels[depth].frustum // not used by the remembered ones
		l.into(&w.levels[depth], &e.frame)
		w.push(depth + 1)
	}
	return depth
}

// drawWithin draws an occluder of a instance.
func (e *Culler) drawWithin(at int32, place soa.Location) {
	w := e.within
	s := &w.instances[at]
	w.drawn = append(w.drawn, keyOf(s.key, uint32(place)))
	e.forTrees()
	p := &s.objects.Store().Packets
	slot, lane := place.Slot(), place.Lane()
	if s.identity { // as in a tree, with another reference point
		ref := e.frame.ref
		e.frame.from(s.ref)
		e.drawPlace(p, slot, lane)
		e.frame.from(ref)
		return
	}
	var middle, half [3]float64
	var axes [3][3]float64
	if b, ok := p.Oriented(slot, lane); ok {
		for a := range 3 {
			middle[a] = float64(b.Center[a])
			for i := range 3 {
				axes[i][a] = float64(b.Axes[i][a])
			}
		}
	} else if _, ok := p.Sphere(slot, lane); ok {
		return
	} else {
		b := p.Box(slot, lane)
		for a := range 3 {
			lo, hi := float64(b.Min[a])/2, float64(b.Max[a])/2
			middle[a], half[a] = lo+hi, hi-lo
		}
	}
	if e.place.setCell(&e.frame, w.instances, at, middle, half, &axes); e.frame.drawPlaced(e.next(), &e.place) {
		e.take()
	}
}

// prepassWithin draws the largest nearby occluders: see prepass.
func (e *Culler) prepassWithin(v linear.SceneView) {
	d, ref := e.frame.depth, e.frame.ref
	b := v.Bounds()
	size, last := 0.0, math.Inf(-1)
	if b.Min[0] <= b.Max[0] {
		last = 0
		for a := range 3 {
			lo, hi := float64(b.Min[a]), float64(b.Max[a])
			size = max(size, math.Abs(lo), math.Abs(hi))
			last += max(float64(d[a]*(lo-ref[a])), float64(d[a]*(hi-ref[a])))
		}
	}
	end := float64(size * sizeShare)
	if near := 1 / e.frame.limit; !e.frame.parallel && near > 0 {
		end = max(end, nearShare*near)
	}
	planes := e.frame.frustum.Planes()
	for range doublings {
		if end >= last {
			break
		}
		planes[5] = [4]float32{float32(-d[0]), float32(-d[1]), float32(-d[2]), float32(end + dot(d, ref))}
		var err error
		if e.within.cut, err = query.FrustumPlanes(planes); err != nil {
			break
		}
		if e.gatherWithin(v, &e.within.cut) >= enough {
			e.drawCandidatesWithin()
			return
		}
		end *= 2
	}
	e.gatherWithin(v, &e.frame.frustum)
	e.drawCandidatesWithin()
}

// gatherWithin lists the large occluders in a frustum, and returns the number of all of them, small ones
// included.
func (e *Culler) gatherWithin(v linear.SceneView, frustum *query.Frustum) (n int) {
	w := e.within
	e.start(v, frustum, false)
	e.roam(0, nil)
	e.sum = tested{}
	e.candidates = e.candidates[:0]
	for i := range w.instances {
		s := &w.instances[i]
		if s.first == s.end {
			continue
		}
		p := &s.objects.Store().Packets
		for _, r := range e.ranges[s.first:s.end] {
			m := asm.MaskLanes(&p.Masks[r.First], e.cfg.OccluderMask) & r.N
			n += lanesOf(m)
			if s.sighted {
				e.candidateWith(&s.lens, int32(i), p, r.First, m)
			}
		}
	}
	return n
}

// candidatesWithin lists the visible occluders that are large enough.
func (e *Culler) candidatesWithin() {
	w := e.within
	e.candidates = e.candidates[:0]
	for i := range w.instances {
		if s := &w.instances[i]; s.occluders && s.sighted && s.first < s.end {
			p := &s.objects.Store().Packets
			for _, r := range e.ranges[s.first:s.end] {
				e.candidateWith(&s.lens, int32(i), p, r.First, r.N&0xffff)
			}
		}
	}
}

// undrawnWithin keeps the candidates that are not drawn yet: see notDrawn.
func (e *Culler) undrawnWithin() (pixels float64) {
	w := e.within
	if w.sorted < len(w.drawn) {
		slices.Sort(w.drawn)
		w.sorted = len(w.drawn)
	}
	left := e.candidates[:0]
	for _, k := range e.candidates {
		if _, ok := slices.BinarySearch(w.drawn, keyOf(w.instances[k.instance].key, uint32(k.place))); !ok {
			left = append(left, k)
			pixels += float64(k.area)
		}
	}
	e.candidates = left
	return pixels
}

func (e *Culler) drawCandidatesWithin() {
	e.undrawnWithin()
	e.largest()
	for _, k := range e.candidates {
		e.drawWithin(k.instance, k.place)
	}
}

// retestWithin draws large visible occluders and retests the visible objects. It reports whether it did.
func (e *Culler) retestWithin() bool {
	e.candidatesWithin()
	if e.undrawnWithin()*secondShare < float64(e.frame.width*e.frame.height) {
		return false
	}
	e.drawCandidatesWithin()
	picture := e.visible()
	if picture == nil {
		return false
	}
	w := e.within
	for i := range w.instances {
		s := &w.instances[i]
		if !s.sighted || s.first == s.end {
			continue
		}
		left, hidden := asm.SeenRanges(e.ranges[s.first:s.end], s.objects.Store().Packets.Bounds, &s.lens, picture)
		s.end = s.first + len(left)
		w.tally.HiddenObjects += hidden
		e.sum.hiddenLanes += hidden
	}
	return true
}

// refineToPixelsWithin retests the visible objects of a scene at full resolution: see finer.
func (e *Culler) refineToPixelsWithin() {
	w := e.within
	n := 0
	for i := range w.instances {
		s := &w.instances[i]
		for _, r := range e.ranges[s.first:s.end] {
			if n += lanesOf(r.N); n > finerBoxes {
				return
			}
		}
	}
	picture := e.visible()
	if picture == nil {
		return
	}
	for i := range w.instances {
		s := &w.instances[i]
		if !s.sighted || s.first == s.end {
			continue
		}
		left, hidden := asm.FinerRanges(e.ranges[s.first:s.end], s.objects.Store().Packets.Bounds, &s.lens, picture)
		s.end = s.first + len(left)
		w.tally.HiddenObjects += hidden
		e.sum.hiddenLanes += hidden
	}
}

// rememberWithin stores the largest visible occluders as the memory of a query.
func (e *Culler) rememberWithin(answer int) {
	if e.cfg.OccluderMask == 0 {
		return
	}
	e.candidatesWithin()
	e.largest()
	e.keepWithin(&e.memoryOf(answer).within)
}

// rememberPrepass stores the occluders of the first pass, if any, as the memory of an abandoned query.
func (e *Culler) rememberPrepass(answer int) {
	if w := e.within; e.stoppedEarly && len(w.prepassed) > 0 {
		m := e.memoryOf(answer)
		m.within = append(m.within[:0], w.prepassed...)
	}
}

// keepWithin stores the candidates as a memory.
func (e *Culler) keepWithin(to *[]rememberedIn) {
	w := e.within
	slices.SortFunc(e.candidates, func(a, b candidate) int { // path by path
		if a.instance != b.instance {
			return cmp.Compare(a.instance, b.instance)
		}
		return cmp.Compare(a.place, b.place)
	})
	*to = (*to)[:0]
	var path scene.Path
	last := int32(-1)
	for _, k := range e.candidates {
		if k.instance != last {
			path, last = w.path(k.instance), k.instance
		}
		*to = append(*to, rememberedIn{path, remembered{k.place, k.id}})
	}
}
