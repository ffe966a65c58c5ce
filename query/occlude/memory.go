package occlude

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// memory holds the occluders that were large when a query was complete: their locations in the tree, with
// their IDs. The next query draws an occluder if its location still has its ID, with its current box.
type memory struct {
	objects []remembered
	within  []rememberedIn // for scenes
}

type remembered struct {
	location soa.Location
	id       uint32
}

// candidate is an occluder of the tree that is a candidate for drawing.
type candidate struct {
	area     float32 // area of its rectangle, in pixels
	id       uint32
	location soa.Location
	instance int32 // for a scene
}

// redrawRemembered draws the remembered occluders of the query of that number. It returns the number of occluders that
// are drawn and the number that were remembered.
func (c *Culler) redrawRemembered(s *soa.Store, answer int) (found, had int) {
	defer phase.Enter(phase.Pick).Leave()
	c.drawn, c.sorted = c.drawn[:0], 0
	if answer = min(answer, memories-1); c.cfg.OccluderMask == 0 || answer >= len(c.memory) {
		return 0, 0
	}
	p := &s.Packets
	m := c.memory[answer].objects
	var areas [soa.Lanes]float32
	for _, r := range m {
		slot, lane := r.location.Slot(), r.location.Lane()
		// An unused lane has no mask.
		if int(slot) >= len(p.IDs) || p.IDs[slot][lane] != r.id || p.Masks[slot][lane]&c.cfg.OccluderMask == 0 {
			continue
		}
		cull.SeenAreas(&areas, &p.Bounds[slot], 1<<lane, &c.frame.lens, &c.depth)
		if areas[lane] >= c.minPixels() {
			c.drawn = append(c.drawn, uint32(r.location))
		}
	}
	c.drawLocations(p, c.drawn)
	return len(c.drawn), len(m)
}

// minPixels returns the smallest area of the rectangle of an occluder of a tree, in pixels.
func (c *Culler) minPixels() float32 {
	if c.cfg.MinPixels != 0 {
		return float32(c.cfg.MinPixels)
	}
	return max(float32(c.frame.width*c.frame.height)/pixelShare, 1)
}

const (
	// The first pass ends at this number of occluders in the frustum, or of objects where occluders are few.
	enough        = 1000
	enoughObjects = 16 * enough

	// It starts with a frustum that ends at nearShare times the distance of the near plane, and at least at a
	// share of the size of the tree. It doubles that distance at most doublings times.
	nearShare = 8
	sizeShare = 0x1p-14
	doublings = 24
)

// prepass draws the largest nearby occluders, in a shortened frustum that is extended until it contains
// enough of them.
func (c *Culler) prepass(v linear.View) {
	defer phase.Enter(phase.Pick).Leave()
	s := v.Store()
	size := float64(max(s.Extent[0], s.Extent[1], s.Extent[2]))
	planes := c.frame.frustum.Planes()
	solid := query.Filter{Mask: c.cfg.OccluderMask}
	end := float64(size * sizeShare)
	if near := 1 / c.frame.limit; !c.frame.parallel && near > 0 {
		end = max(end, nearShare*near)
	}
	all := c.frame.frustum
	for range doublings {
		// depth·(p - ref) <= end
		d := c.frame.depth
		planes[5] = [4]float32{float32(-d[0]), float32(-d[1]), float32(-d[2]), float32(end + dot(d, c.frame.ref))}
		near, err := query.FrustumPlanes(planes)
		if err != nil {
			break
		}
		if near.Count(v, query.Filter{}) >= enoughObjects || near.Count(v, solid) >= enough {
			all = near
			break
		}
		end *= 2
	}
	c.candidates, c.from = c.candidates[:0], v
	all.Ranges(v, solid, c.gather)
	c.from = linear.View{}
	c.drawCandidates(s)
}

// gatherRange lists the occluders of a range.
func (c *Culler) gatherRange(r query.Range) bool {
	p := &c.from.Store().Packets
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		c.candidateLanes(p, slot, m)
	}
	return true
}

// candidateLanes lists the occluders in lanes of a packet that are large enough.
func (c *Culler) candidateLanes(p *soa.PacketColumns, slot, m uint32) {
	c.candidateWith(&c.frame.lens, 0, p, slot, m)
}

// candidateWith is candidateLanes with the lens of an instance of a scene.
func (c *Culler) candidateWith(lens *cull.Lens, spot int32, p *soa.PacketColumns, slot, m uint32) {
	if m &= asm.MaskLanes(&p.Masks[slot], c.cfg.OccluderMask); m == 0 {
		return
	}
	var areas [soa.Lanes]float32
	cull.SeenAreas(&areas, &p.Bounds[slot], m, lens, &c.depth)
	for least := c.minPixels(); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if areas[lane] >= least {
			c.candidates = append(c.candidates, candidate{areas[lane], p.IDs[slot][lane], soa.MakeLocation(slot, lane), spot})
		}
	}
}

// largest keeps the largest candidates, at most MaxOccluders. It breaks ties by the smaller ID, then by the
// smaller instance.
func (c *Culler) largest() {
	most := c.cfg.MaxOccluders
	if len(c.candidates) <= most {
		return
	}
	c.sizes = c.sizes[:0]
	for i := range c.candidates {
		c.sizes = append(c.sizes, -c.candidates[i].area)
	}
	least := -nth.Element(c.sizes, most-1)
	c.candidates = slices.DeleteFunc(c.candidates, func(p candidate) bool { return p.area < least })
	if len(c.candidates) == most {
		return
	}
	slices.SortFunc(c.candidates, func(a, b candidate) int {
		if a.area != b.area {
			return cmp.Compare(b.area, a.area)
		}
		if a.id != b.id {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Compare(a.instance, b.instance)
	})
	c.candidates = c.candidates[:most]
}

// drawCandidates draws the largest candidates that are not drawn yet.
func (c *Culler) drawCandidates(s *soa.Store) {
	c.notDrawn()
	c.largest()
	first := len(c.drawn)
	for _, k := range c.candidates {
		c.drawn = append(c.drawn, uint32(k.location))
	}
	c.drawLocations(&s.Packets, c.drawn[first:])
}

// notDrawn keeps the candidates that are not drawn yet, and returns the total area of their rectangles in pixels.
func (c *Culler) notDrawn() (pixels float64) {
	if c.sorted < len(c.drawn) {
		slices.Sort(c.drawn)
		c.sorted = len(c.drawn)
	}
	left := c.candidates[:0]
	for _, k := range c.candidates {
		if _, ok := slices.BinarySearch(c.drawn, uint32(k.location)); !ok {
			left = append(left, k)
			pixels += float64(k.area)
		}
	}
	c.candidates = left
	return pixels
}

// remember stores the largest visible occluders as the memory of a query: the large occluders of c.looked
// that are still in c.ranges after the retest.
func (c *Culler) remember(answer int) {
	if c.cfg.OccluderMask == 0 {
		return
	}
	defer phase.Enter(phase.Pick).Leave()
	c.candidates = c.candidates[:0]
	large, left := c.large, c.ranges // in the order of c.looked; left may end earlier
	for _, r := range c.beforeRetest {
		seen := uint32(0)
		if len(left) > 0 && left[0].First == r.First {
			seen, left = left[0].N, left[1:]
		}
		for len(large) > 0 && large[0].location.Slot() == r.First {
			if seen>>large[0].location.Lane()&1 != 0 {
				c.candidates = append(c.candidates, large[0])
			}
			large = large[1:]
		}
	}
	c.largest()
	m := c.memoryOf(answer)
	m.objects = m.objects[:0]
	for _, k := range c.candidates {
		m.objects = append(m.objects, remembered{k.location, k.id})
	}
}

// rememberDrawn stores the drawn occluders as the memory of an abandoned query, only the last ones if there
// are too many.
func (c *Culler) rememberDrawn(v linear.View, answer int) {
	if !c.stoppedEarly {
		return
	}
	s, m := v.Store(), c.memoryOf(answer)
	m.objects = m.objects[:0]
	for _, d := range c.drawn[max(len(c.drawn)-c.cfg.MaxOccluders, 0):] {
		p := soa.Location(d)
		m.objects = append(m.objects, remembered{p, s.Packets.IDs[p.Slot()][p.Lane()]})
	}
}

// memories is the number of queries of a frame that have a memory of their own. Later queries share the last
// one.
const memories = 256

// memoryOf returns the memory of a query.
func (c *Culler) memoryOf(answer int) *memory {
	answer = min(answer, memories-1)
	for len(c.memory) <= answer {
		c.memory = append(c.memory, memory{})
	}
	return &c.memory[answer]
}
