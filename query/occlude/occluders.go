package occlude

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// selection selects the occluders of a tree or a scene to draw for a query.
type selection struct {
	candidates   []candidate
	large        []candidate // large occluders in beforeRetest
	beforeRetest []asm.Range // visible before the retest
	sizes        []float32
	drawn        []uint64      // keys of the occluders that the current query has drawn
	sorted       int           // length of the sorted prefix of drawn
	stack, slots []uint32      // nodes and packets of scan
	near         query.Frustum // of the prepass
	prepassed    memory        // the occluders of a scene that the prepass has drawn

	memory [2][]memory // of trees and of scenes: of the first query after SetCamera, the second, ...
}

// memory holds the occluders that were large when a query was complete: their locations in the tree, with
// their IDs. The next query draws an occluder if its location still has its ID, with its current box.
type memory struct {
	objects []remembered // instance by instance
	paths   []pathStart
}

type remembered struct {
	location soa.Location
	id       uint32
}

// pathStart is the path of an instance and the index of its first object in a memory.
type pathStart struct {
	path  scene.Path
	start int
}

func (m *memory) reset() { m.objects, m.paths = m.objects[:0], m.paths[:0] }

// candidate is an occluder that is a candidate for drawing.
type candidate struct {
	area     float32 // area of its rectangle, in pixels
	id       uint32
	location soa.Location
	instance int32
}

// drawOccluders draws the occluders of the target for a query, and reports whether they include those of a
// prepass.
func (c *Culler) drawOccluders() (prepassed bool) {
	if c.cfg.OccluderMask == 0 {
		return false
	}
	c.enterTarget(&c.frame, &c.frame.frustum, true, true)
	found, had := c.redrawRemembered()
	c.tally.Remembered = found
	// The prepass may take long: a tree has none while pauses are short.
	prepassed = 2*found <= had && (c.target.isScene || c.rest.pause == 0 || c.rest.pause == longestPause)
	if prepassed {
		c.prepass()
	}
	if c.rest.pause > 0 && !c.target.isScene {
		c.scan()
	}
	return prepassed
}

// redrawRemembered draws the remembered occluders of the query of this number, in instances that still exist. It
// returns the number of occluders that are drawn and the number that were remembered.
func (c *Culler) redrawRemembered() (found, had int) {
	defer phase.Enter(phase.Pick).Leave()
	list, number := *c.memories(c.target.isScene), min(c.number, maxMemories-1)
	if number >= len(list) {
		return 0, 0
	}
	m := &list[number]
	c.candidates = c.candidates[:0]
	var path scene.Path
	depth := 0 // the levels up to depth are those of path
	var areas [soa.Lanes]float32
	for i, run := range m.paths {
		objects := m.objects[run.start:]
		if i+1 < len(m.paths) {
			objects = m.objects[run.start:m.paths[i+1].start]
		}
		same := 0
		for same < min(depth, run.path.Len()) && run.path.At(same) == path.At(same) {
			same++
		}
		if depth, path = c.follow(run.path, same), run.path; depth < path.Len() {
			continue
		}
		at := int32(0)
		if depth > 0 {
			at = c.scene.levels[depth].at
		}
		s := &c.instances[at]
		if !s.sighted {
			continue
		}
		p := &s.objects.Store().Packets
		for _, r := range objects {
			if r.location == wholePart {
				c.addPart(at)
				continue
			}
			slot, lane := r.location.Slot(), r.location.Lane()
			if int(slot) >= len(p.IDs) || p.IDs[slot][lane] != r.id || asm.PacketMaskLanes(p, slot, c.cfg.OccluderMask)>>lane&1 == 0 {
				continue
			}
			cull.VisibleAreas(&areas, &p.Bounds[slot], 1<<lane, &s.lens, &c.buffer.picture)
			if areas[lane] < c.cfg.minPixels(&c.frame) {
				continue
			}
			if c.weightOf(at, r.id, r.location) > 0 {
				c.candidates = append(c.candidates, candidate{areas[lane], r.id, r.location, at})
			}
		}
	}
	c.largest(c.cfg.MaxOccluders) // shapes may have changed
	c.drawCandidates()
	return len(c.candidates), len(m.objects)
}

const (
	// The first pass ends at this number of occluders in the frustum, or of objects of a tree where occluders
	// are few.
	enough        = 1000
	enoughObjects = 16 * enough

	// It starts with a frustum that ends at nearShare times the distance of the near plane, and at least at a
	// share of the size of the tree. It doubles that distance at most doublings times.
	nearShare = 8
	sizeShare = 0x1p-14
	doublings = 24
)

// minPixels returns the smallest area of the rectangle of an occluder of a tree, in pixels.
func (c *Config) minPixels(f *frame) float32 {
	if c.MinPixels != 0 {
		return float32(c.MinPixels)
	}
	return max(float32(f.width*f.height)/pixelShare, 1)
}

// prepass draws the largest nearby occluders, in a shortened frustum that is extended until it contains
// enough of them.
func (c *Culler) prepass() {
	defer phase.Enter(phase.Pick).Leave()
	d, ref := c.frame.depth, c.frame.ref
	size, last := 0.0, math.Inf(1)
	if !c.target.isScene {
		extent := &c.target.objects.Store().Extent
		size = float64(max(extent[0], extent[1], extent[2]))
	} else if b := c.target.view.Bounds(); b.Min[0] <= b.Max[0] {
		last = 0
		for a := range 3 {
			lo, hi := float64(b.Min[a]), float64(b.Max[a])
			size = max(size, math.Abs(lo), math.Abs(hi))
			last += max(float64(d[a]*(lo-ref[a])), float64(d[a]*(hi-ref[a])))
		}
	} else {
		last = math.Inf(-1)
	}
	planes := c.frame.frustum.Planes()
	end := float64(size * sizeShare)
	if near := 1 / c.frame.limit; !c.frame.parallel && near > 0 {
		end = max(end, nearShare*near)
	}
	found := false
	for i := 0; i < doublings && end < last && !found; i++ {
		// depth·(p - ref) <= end
		planes[5] = [4]float32{float32(-d[0]), float32(-d[1]), float32(-d[2]), float32(end + dot(d, ref))}
		var err error
		if c.near, err = query.FrustumPlanes(planes); err != nil {
			break
		}
		found = c.listOccluders(&c.near, false)
		end *= 2
	}
	if !found {
		c.listOccluders(&c.frame.frustum, true)
	}
	if c.drawLargest(); c.target.isScene {
		c.rememberCandidates(&c.results, &c.prepassed)
	}
}

// listOccluders makes the large occluders in a frustum the candidates. It reports whether there are enough
// occluders in the frustum, small ones included; if not, it may list none unless all is set.
func (c *Culler) listOccluders(frustum *query.Frustum, all bool) bool {
	if c.target.isScene {
		return c.listInstances(frustum) >= enough
	}
	v, solid := c.target.objects, query.Filter{Mask: c.cfg.OccluderMask}
	if !all && frustum.Count(v, query.Filter{}) < enoughObjects && frustum.Count(v, solid) < enough {
		return false
	}
	c.candidates = c.candidates[:0]
	s, p := &c.instances[0], &v.Store().Packets
	frustum.Ranges(v, solid, func(r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			m := uint32(1)<<p.Counts[slot] - 1
			if r.Mask != 0 {
				m = uint32(r.Mask)
			}
			c.addCandidates(s, 0, p, slot, m)
		}
		return true
	})
	return true
}

// addCandidates adds the occluders in lanes of a packet of an instance that are large enough.
func (c *Culler) addCandidates(s *instance, at int32, p *soa.PacketColumns, slot, m uint32) {
	if m &= asm.PacketMaskLanes(p, slot, c.cfg.OccluderMask); m == 0 {
		return
	}
	var areas [soa.Lanes]float32
	cull.VisibleAreas(&areas, &p.Bounds[slot], m, &s.lens, &c.buffer.picture)
	own := at == 0 && c.shapes != nil
	for least := c.cfg.minPixels(&c.frame); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if areas[lane] < least {
			continue
		}
		id, location := p.IDs[slot][lane], soa.MakeLocation(slot, lane)
		if !own || c.weightOf(at, id, location) > 0 {
			c.candidates = append(c.candidates, candidate{areas[lane], id, location, at})
		}
	}
}

// After a pause an occluder is drawn at any distance if its rectangle has at least 1/scanShare of the pixels.
const scanShare = 256

// scan draws the very large occluders of a tree, at any distance. It descends only into nodes that are large on
// the image, for large occluders lie in large nodes. It finds a large occluder behind a field of small ones,
// which no abandoned walk reaches.
func (c *Culler) scan() {
	s := c.target.objects.Store()
	planes := c.frame.frustum.Planes()
	c.planes.Set(&planes, &s.Near, &s.Extent)
	c.candidates, c.stack = c.candidates[:0], c.stack[:0]
	if len(s.Nodes.Hot) > 0 {
		c.stack = append(c.stack, 0)
	}
	c.slots = append(c.slots[:0], s.Pending...)
	least := float32(c.frame.width*c.frame.height) / scanShare
	for len(c.stack) > 0 {
		last := len(c.stack) - 1
		n := &s.Nodes.Hot[c.stack[last]]
		c.stack = c.stack[:last]
		m := asm.MaskLanes(&n.Mask, c.cfg.OccluderMask)
		for m = c.frame.largeLanes(&n.Bounds, m, least, &c.buffer.picture); m != 0; m &= m - 1 {
			ref := n.Child[bits.TrailingZeros32(m)]
			switch {
			case ref&soa.RefFlags == 0:
			case ref.IsPacket():
				c.slots = append(c.slots, ref.Index())
			default:
				c.stack = append(c.stack, ref.Index())
			}
		}
	}
	p := &s.Packets
	c.slots = slices.DeleteFunc(c.slots, func(slot uint32) bool { return asm.PacketMaskLanes(p, slot, c.cfg.OccluderMask) == 0 })
	c.kept = c.walk.AppendHits(c.kept[:0], p.Bounds, c.slots, &c.planes, &c.frame.lens, nil)
	for _, r := range c.kept {
		m := asm.PacketMaskLanes(p, r.First, c.cfg.OccluderMask) & r.N
		m = c.frame.largeLanes(&p.Bounds[r.First], m, least, &c.buffer.picture)
		c.addCandidates(&c.instances[0], 0, p, r.First, m)
	}
	c.drawLargest()
}

// largest keeps the largest candidates, in total of at most a weight, of which only the last one may exceed it.
// It breaks ties by the smaller ID, then by the smaller instance.
func (c *Culler) largest(most int) {
	total, weighted := len(c.candidates), c.shapes != nil || c.parts != nil
	if weighted {
		total = 0
		for _, k := range c.candidates {
			total += int(c.weightOf(k.instance, k.id, k.location))
		}
	}
	if total <= most {
		return
	}
	if total == len(c.candidates) {
		c.sizes = c.sizes[:0]
		for i := range c.candidates {
			c.sizes = append(c.sizes, -c.candidates[i].area)
		}
		least := -nth.Element(c.sizes, most-1)
		c.candidates = slices.DeleteFunc(c.candidates, func(p candidate) bool { return p.area < least })
		if len(c.candidates) == most {
			return
		}
		weighted = false
	}
	slices.SortFunc(c.candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.area, a.area), cmp.Compare(a.id, b.id), cmp.Compare(a.instance, b.instance), cmp.Compare(a.location, b.location))
	})
	if !weighted {
		c.candidates = c.candidates[:most]
		return
	}
	n := 0
	for sum := 0; n < len(c.candidates) && sum < most; n++ {
		k := &c.candidates[n]
		sum += int(c.weightOf(k.instance, k.id, k.location))
	}
	c.candidates = c.candidates[:n]
}

// keyIn returns the key of an occluder of an instance. If two keys collide, an occluder counts as drawn that is
// not: less is culled.
func (s *instance) keyIn(location soa.Location) uint64 { return s.key ^ uint64(location) }

// notDrawn keeps the candidates that are not drawn yet, and returns the total area of their rectangles in pixels.
func (o *selection) notDrawn(instances []instance) (pixels float64) {
	if o.sorted < len(o.drawn) {
		slices.Sort(o.drawn)
		o.sorted = len(o.drawn)
	}
	left := o.candidates[:0]
	for _, k := range o.candidates {
		if _, ok := slices.BinarySearch(o.drawn, instances[k.instance].keyIn(k.location)); !ok {
			left = append(left, k)
			pixels += float64(k.area)
		}
	}
	o.candidates = left
	return pixels
}

// drawLargest draws the largest candidates that are not drawn yet.
func (c *Culler) drawLargest() {
	c.notDrawn(c.instances)
	c.largest(c.cfg.MaxOccluders)
	c.drawCandidates()
}

// drawCandidates draws the candidates by their shapes, if these are set. Otherwise it draws the oriented box of
// an object if it has one, nothing if it has only a sphere, else its box.
func (c *Culler) drawCandidates() {
	if len(c.candidates) == 0 {
		return
	}
	defer phase.Enter(phase.Cones).Leave()
	b := &c.buffer
	b.forTrees()
	for _, k := range c.candidates {
		s := &c.instances[k.instance]
		c.drawn = append(c.drawn, s.keyIn(k.location))
		if shape := c.shapeOf(k.instance, k.id, k.location); shape != nil {
			if c.drawShape(shape, k.instance); !shape.Bounds || k.location == wholePart {
				continue
			}
		}
		p, slot, lane := &s.objects.Store().Packets, k.location.Slot(), k.location.Lane()
		oriented, isOriented := p.Oriented(slot, lane)
		if !isOriented {
			if _, ok := p.Sphere(slot, lane); ok {
				continue
			}
		}
		ref := c.frame.ref
		if s.identity && s.ref != ref { // as in a tree, with another reference point
			c.frame.from(s.ref)
		}
		box := p.Box(slot, lane)
		if s.identity && !isOriented {
			b.add(c.frame.boxCone(b.next(), &box))
		} else {
			switch {
			case s.identity:
				b.hull.setOriented(&c.frame, &oriented)
			case isOriented:
				b.hull.setImage(&c.frame, c.instances, k.instance, nil, &oriented)
			default:
				b.hull.setImage(&c.frame, c.instances, k.instance, &box, nil)
			}
			b.add(c.frame.hullCone(b.next(), &b.hull))
		}
		if s.identity && s.ref != ref {
			c.frame.from(ref)
		}
	}
}

// remember stores the large visible occluders as the memory of a query: the large occluders of c.beforeRetest
// that are still visible after the retest. If the query was abandoned, it stores the drawn ones, only the last
// ones if there are too many; in a scene those of the prepass, if any.
func (c *Culler) remember(ok bool) {
	if c.cfg.OccluderMask == 0 || !ok && !c.stoppedEarly {
		return
	}
	defer phase.Enter(phase.Pick).Leave()
	list, number := c.memories(c.target.isScene), min(c.number, maxMemories-1)
	for len(*list) <= number {
		*list = append(*list, memory{})
	}
	m := &(*list)[number]
	switch {
	case ok:
		c.candidates = c.candidates[:0]
		large := c.large
		for i := range c.instances {
			s := &c.instances[i]
			if len(large) > 0 && large[0].instance == int32(i) && large[0].location == wholePart {
				if s.first < s.end || s.first == s.before {
					c.candidates = append(c.candidates, large[0])
				}
				large = large[1:]
			}
			left := c.ranges[s.first:s.end] // in the order of beforeRetest; left may end earlier
			for _, before := range c.beforeRetest[s.first:s.before] {
				visible := uint32(0)
				if len(left) > 0 && left[0].First == before.First {
					visible, left = left[0].N, left[1:]
				}
				for len(large) > 0 && large[0].instance == int32(i) && large[0].location.Slot() == before.First {
					if visible>>large[0].location.Lane()&1 != 0 {
						c.candidates = append(c.candidates, large[0])
					}
					large = large[1:]
				}
			}
		}
		c.largest(c.cfg.MaxOccluders)
		c.rememberCandidates(&c.results, m)
	case !c.target.isScene:
		m.reset()
		m.paths = append(m.paths, pathStart{})
		p := &c.target.objects.Store().Packets
		for _, key := range c.drawn[max(len(c.drawn)-c.cfg.MaxOccluders, 0):] {
			at := soa.Location(key)
			m.objects = append(m.objects, remembered{at, p.IDs[at.Slot()][at.Lane()]})
		}
	case len(c.prepassed.objects) > 0:
		m.objects, m.paths = append(m.objects[:0], c.prepassed.objects...), append(m.paths[:0], c.prepassed.paths...)
	}
}

// rememberCandidates stores the candidates in a memory.
func (o *selection) rememberCandidates(r *results, m *memory) {
	if len(r.instances) > 1 {
		slices.SortFunc(o.candidates, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(a.instance, b.instance), cmp.Compare(a.location, b.location))
		})
	}
	m.reset()
	for i, k := range o.candidates {
		if i == 0 || k.instance != o.candidates[i-1].instance {
			m.paths = append(m.paths, pathStart{r.path(k.instance), i})
		}
		m.objects = append(m.objects, remembered{k.location, k.id})
	}
}

// maxMemories is the number of queries of a frame that have a memory of their own. Later queries share the last
// one.
const maxMemories = 256

// memories returns the memories of the queries of trees, or of scenes.
func (o *selection) memories(isScene bool) *[]memory {
	if isScene {
		return &o.memory[1]
	}
	return &o.memory[0]
}
