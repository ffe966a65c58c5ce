package occlude

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
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
func (c *Culler) redrawRememberedWithin(answer int) (found, had int) {
	w := c.within
	if answer = min(answer, memories-1); answer >= len(c.memory) {
		return 0, 0
	}
	var at scene.Path
	depth := 0 // the levels up to depth are those of at
	w.push(0)
	there := w.levels[0].occluders
	var areas [soa.Lanes]float32
	for _, r := range c.memory[answer].within { // path by path
		if r.path != at {
			same := 0
			for same < min(depth, r.path.Len()) && r.path.At(same) == at.At(same) {
				same++
			}
			depth, at = c.follow(r.path, same), r.path
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
		slot, lane := r.location.Slot(), r.location.Lane()
		if int(slot) >= len(p.IDs) || p.IDs[slot][lane] != r.id || p.Masks[slot][lane]&c.cfg.OccluderMask == 0 || !l.sighted {
			continue
		}
		cull.SeenAreas(&areas, &p.Bounds[slot], 1<<lane, &l.lens, &c.depth)
		if areas[lane] >= c.minPixels() {
			c.drawWithin(l.instance, r.location)
		}
	}
	return len(w.drawn), len(c.memory[answer].within)
}

// follow sets the levels to those of a path, of which the first depth levels are right, as far as such
// instances exist and may contain occluders. It returns the depth that it reached.
func (c *Culler) follow(path scene.Path, depth int) int {
	w := c.within
	for ; depth < path.Len(); depth++ {
		instances := w.levels[depth].view.Instances()
		o, ok := linear.Object{}, false
		if instances.Len() > 0 {
			o, ok = instances.Object(path.At(depth))
		}
		if !ok {
			break
		}
		if _, ok := c.admit(depth, gate{path.At(depth), o.Mask}); !ok || !w.levels[depth+1].occluders {
			break
		}
		l := &w.levels[depth+1]
		l.frustum = w.levels[depth].frustum // not used by the remembered ones
		l.into(&w.levels[depth], &c.frame)
		w.push(depth + 1)
	}
	return depth
}

// drawWithin draws an occluder of an instance.
func (c *Culler) drawWithin(at int32, location soa.Location) {
	w := c.within
	s := &w.instances[at]
	w.drawn = append(w.drawn, keyOf(s.key, uint32(location)))
	c.forTrees()
	p := &s.objects.Store().Packets
	slot, lane := location.Slot(), location.Lane()
	if s.identity { // as in a tree, with another reference point
		ref := c.frame.ref
		c.frame.from(s.ref)
		c.drawLocation(p, slot, lane)
		c.frame.from(ref)
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
	if c.place.setCell(&c.frame, w.instances, at, middle, half, &axes); c.frame.drawPlaced(c.next(), &c.place) {
		c.take()
	}
}

// prepassWithin draws the largest nearby occluders: see prepass.
func (c *Culler) prepassWithin(v linear.SceneView) {
	d, ref := c.frame.depth, c.frame.ref
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
	if near := 1 / c.frame.limit; !c.frame.parallel && near > 0 {
		end = max(end, nearShare*near)
	}
	planes := c.frame.frustum.Planes()
	for range doublings {
		if end >= last {
			break
		}
		planes[5] = [4]float32{float32(-d[0]), float32(-d[1]), float32(-d[2]), float32(end + dot(d, ref))}
		var err error
		if c.within.cut, err = query.FrustumPlanes(planes); err != nil {
			break
		}
		if c.gatherWithin(v, &c.within.cut) >= enough {
			c.drawCandidatesWithin()
			return
		}
		end *= 2
	}
	c.gatherWithin(v, &c.frame.frustum)
	c.drawCandidatesWithin()
}

// gatherWithin lists the large occluders in a frustum, and returns the number of all of them, small ones
// included.
func (c *Culler) gatherWithin(v linear.SceneView, frustum *query.Frustum) (n int) {
	w := c.within
	c.start(v, frustum, false)
	c.roam(0, nil)
	c.sum = tested{}
	c.candidates = c.candidates[:0]
	for i := range w.instances {
		s := &w.instances[i]
		if s.first == s.end {
			continue
		}
		p := &s.objects.Store().Packets
		for _, r := range c.ranges[s.first:s.end] {
			m := asm.MaskLanes(&p.Masks[r.First], c.cfg.OccluderMask) & r.N
			n += lanesOf(m)
			if s.sighted {
				c.candidateWith(&s.lens, int32(i), p, r.First, m)
			}
		}
	}
	return n
}

// candidatesWithin lists the visible occluders that are large enough.
func (c *Culler) candidatesWithin() {
	w := c.within
	c.candidates = c.candidates[:0]
	for i := range w.instances {
		if s := &w.instances[i]; s.occluders && s.sighted && s.first < s.end {
			p := &s.objects.Store().Packets
			for _, r := range c.ranges[s.first:s.end] {
				c.candidateWith(&s.lens, int32(i), p, r.First, r.N&0xffff)
			}
		}
	}
}

// undrawnWithin keeps the candidates that are not drawn yet: see notDrawn.
func (c *Culler) undrawnWithin() (pixels float64) {
	w := c.within
	if w.sorted < len(w.drawn) {
		slices.Sort(w.drawn)
		w.sorted = len(w.drawn)
	}
	left := c.candidates[:0]
	for _, k := range c.candidates {
		if _, ok := slices.BinarySearch(w.drawn, keyOf(w.instances[k.instance].key, uint32(k.location))); !ok {
			left = append(left, k)
			pixels += float64(k.area)
		}
	}
	c.candidates = left
	return pixels
}

func (c *Culler) drawCandidatesWithin() {
	c.undrawnWithin()
	c.largest()
	for _, k := range c.candidates {
		c.drawWithin(k.instance, k.location)
	}
}

// retestWithin draws large visible occluders and retests the visible objects. It reports whether it did.
func (c *Culler) retestWithin() bool {
	c.candidatesWithin()
	if c.undrawnWithin()*secondShare < float64(c.frame.width*c.frame.height) {
		return false
	}
	c.drawCandidatesWithin()
	picture := c.visible()
	if picture == nil {
		return false
	}
	w := c.within
	for i := range w.instances {
		s := &w.instances[i]
		if !s.sighted || s.first == s.end {
			continue
		}
		left, hidden := cull.SeenRanges(c.ranges[s.first:s.end], s.objects.Store().Packets.Bounds, &s.lens, picture)
		s.end = s.first + len(left)
		w.tally.HiddenObjects += hidden
		c.sum.hiddenLanes += hidden
	}
	return true
}

// refineToPixelsWithin retests the visible objects of a scene at full resolution: see finer.
func (c *Culler) refineToPixelsWithin() {
	w := c.within
	n := 0
	for i := range w.instances {
		s := &w.instances[i]
		for _, r := range c.ranges[s.first:s.end] {
			if n += lanesOf(r.N); n > finerBoxes {
				return
			}
		}
	}
	picture := c.visible()
	if picture == nil {
		return
	}
	for i := range w.instances {
		s := &w.instances[i]
		if !s.sighted || s.first == s.end {
			continue
		}
		left, hidden := cull.FinerRanges(c.ranges[s.first:s.end], s.objects.Store().Packets.Bounds, &s.lens, picture)
		s.end = s.first + len(left)
		w.tally.HiddenObjects += hidden
		c.sum.hiddenLanes += hidden
	}
}

// rememberWithin stores the largest visible occluders as the memory of a query.
func (c *Culler) rememberWithin(answer int) {
	if c.cfg.OccluderMask == 0 {
		return
	}
	c.candidatesWithin()
	c.largest()
	c.keepWithin(&c.memoryOf(answer).within)
}

// rememberPrepass stores the occluders of the first pass, if any, as the memory of an abandoned query.
func (c *Culler) rememberPrepass(answer int) {
	if w := c.within; c.stoppedEarly && len(w.prepassed) > 0 {
		m := c.memoryOf(answer)
		m.within = append(m.within[:0], w.prepassed...)
	}
}

// keepWithin stores the candidates as a memory.
func (c *Culler) keepWithin(to *[]rememberedIn) {
	w := c.within
	slices.SortFunc(c.candidates, func(a, b candidate) int { // path by path
		if a.instance != b.instance {
			return cmp.Compare(a.instance, b.instance)
		}
		return cmp.Compare(a.location, b.location)
	})
	*to = (*to)[:0]
	var path scene.Path
	last := int32(-1)
	for _, k := range c.candidates {
		if k.instance != last {
			path, last = w.path(k.instance), k.instance
		}
		*to = append(*to, rememberedIn{path, remembered{k.location, k.id}})
	}
}
