package occlude

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// memory holds the occluders that were large when a query was complete: their locations in the tree, with
// their IDs. The next query draws an occluder if its location still has its ID, with its current box.
type memory struct {
	places []remembered
	within []rememberedIn // for scenes
}

type remembered struct {
	place soa.Location
	id    uint32
}

// candidate is an occluder of the tree that is a candidate for drawing.
type candidate struct {
	area     float32 // area of its rectangle, in pixels
	id       uint32
	place    soa.Location
	instance int32 // for a scene
}

// redrawRemembered draws the remembered occluders of the query of that number. It returns the number of occluders that
// are drawn and the number that were remembered.
func (e *Culler) redrawRemembered(s *soa.Store, answer int) (found, had int) {
	defer phase.Enter(phase.Pick).Leave()
	e.drawn, e.sorted = e.drawn[:0], 0
	if answer = min(answer, memories-1); e.cfg.OccluderMask == 0 || answer >= len(e.memory) {
		return 0, 0
	}
	p := &s.Packets
	m := e.memory[answer].places
	var areas [soa.Lanes]float32
	for _, r := range m {
		slot, lane := r.place.Slot(), r.place.Lane()
		// An unused lane has no mask.
		if int(slot) >= len(p.IDs) || p.IDs[slot][lane] != r.id || p.Masks[slot][lane]&e.cfg.OccluderMask == 0 {
			continue
		}
		asm.SeenAreas(&areas, &p.Bounds[slot], 1<<lane, &e.frame.lens, &e.depth)
		if areas[lane] >= e.minPixels() {
			e.drawn = append(e.drawn, uint32(r.place))
		}
	}
	e.drawPlaces(p, e.drawn)
	return len(e.drawn), len(m)
}

// minPixels returns the smallest area of the rectangle of an occluder of a tree, in pixels.
func (e *Culler) minPixels() float32 {
	if e.cfg.MinPixels != 0 {
		return float32(e.cfg.MinPixels)
	}
	return max(float32(e.frame.width*e.frame.height)/pixelShare, 1)
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
func (e *Culler) prepass(v linear.View) {
	defer phase.Enter(phase.Pick).Leave()
	s := v.Store()
	size := float64(max(s.Extent[0], s.Extent[1], s.Extent[2]))
	planes := e.frame.frustum.Planes()
	solid := query.Filter{Mask: e.cfg.OccluderMask}
	end := float64(size * sizeShare)
	if near := 1 / e.frame.limit; !e.frame.parallel && near > 0 {
		end = max(end, nearShare*near)
	}
	all := e.frame.frustum
	for range doublings {
		// depth·(p - ref) <= end
		d := e.frame.depth
		planes[5] = [4]float32{float32(-d[0]), float32(-d[1]), float32(-d[2]), float32(end + dot(d, e.frame.ref))}
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
	e.candidates, e.from = e.candidates[:0], v
	all.Ranges(v, solid, e.gather)
	e.from = linear.View{}
	e.drawCandidates(s)
}

// gatherRange lists the occluders of a range.
func (e *Culler) gatherRange(r query.Range) bool {
	p := &e.from.Store().Packets
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		e.candidateLanes(p, slot, m)
	}
	return true
}

// candidateLanes lists the occluders in lanes of a packet that are large enough.
func (e *Culler) candidateLanes(p *soa.PacketColumns, slot, m uint32) {
	e.candidateWith(&e.frame.lens, 0, p, slot, m)
}

// candidateWith is candidateLanes with the lens of a instance of a scene.
func (e *Culler) candidateWith(lens *asm.Lens, spot int32, p *soa.PacketColumns, slot, m uint32) {
	if m &= asm.MaskLanes(&p.Masks[slot], e.cfg.OccluderMask); m == 0 {
		return
	}
	var areas [soa.Lanes]float32
	asm.SeenAreas(&areas, &p.Bounds[slot], m, lens, &e.depth)
	for least := e.minPixels(); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if areas[lane] >= least {
			e.candidates = append(e.candidates, candidate{areas[lane], p.IDs[slot][lane], soa.MakeLocation(slot, lane), spot})
		}
	}
}

// largest keeps the largest candidates, at most MaxOccluders. It breaks ties by the smaller ID, then by the
// smaller instance.
func (e *Culler) largest() {
	most := e.cfg.MaxOccluders
	if len(e.candidates) <= most {
		return
	}
	e.sizes = e.sizes[:0]
	for i := range e.candidates {
		e.sizes = append(e.sizes, -e.candidates[i].area)
	}
	least := -nth.Element(e.sizes, most-1)
	e.candidates = slices.DeleteFunc(e.candidates, func(p candidate) bool { return p.area < least })
	if len(e.candidates) == most {
		return
	}
	slices.SortFunc(e.candidates, func(a, b candidate) int {
		if a.area != b.area {
			return cmp.Compare(b.area, a.area)
		}
		if a.id != b.id {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Compare(a.instance, b.instance)
	})
	e.candidates = e.candidates[:most]
}

// drawCandidates draws the largest candidates that are not drawn yet.
func (e *Culler) drawCandidates(s *soa.Store) {
	e.notDrawn()
	e.largest()
	first := len(e.drawn)
	for _, k := range e.candidates {
		e.drawn = append(e.drawn, uint32(k.place))
	}
	e.drawPlaces(&s.Packets, e.drawn[first:])
}

// notDrawn keeps the candidates that are not drawn yet, and returns the total area of their rectangles in pixels.
func (e *Culler) notDrawn() (pixels float64) {
	if e.sorted < len(e.drawn) {
		slices.Sort(e.drawn)
		e.sorted = len(e.drawn)
	}
	left := e.candidates[:0]
	for _, k := range e.candidates {
		if _, ok := slices.BinarySearch(e.drawn, uint32(k.place)); !ok {
			left = append(left, k)
			pixels += float64(k.area)
		}
	}
	e.candidates = left
	return pixels
}

// remember stores the largest visible occluders as the memory of a query: the large occluders of e.looked
// that are still in e.ranges after the retest.
func (e *Culler) remember(answer int) {
	if e.cfg.OccluderMask == 0 {
		return
	}
	defer phase.Enter(phase.Pick).Leave()
	e.candidates = e.candidates[:0]
	large, left := e.large, e.ranges // in the order of e.looked; left may end earlier
	for _, r := range e.beforeRetest {
		seen := uint32(0)
		if len(left) > 0 && left[0].First == r.First {
			seen, left = left[0].N, left[1:]
		}
		for len(large) > 0 && large[0].place.Slot() == r.First {
			if seen>>large[0].place.Lane()&1 != 0 {
				e.candidates = append(e.candidates, large[0])
			}
			large = large[1:]
		}
	}
	e.largest()
	m := e.memoryOf(answer)
	m.places = m.places[:0]
	for _, k := range e.candidates {
		m.places = append(m.places, remembered{k.place, k.id})
	}
}

// rememberDrawn stores the drawn occluders as the memory of an abandoned query, only the last ones if there
// are too many.
func (e *Culler) rememberDrawn(v linear.View, answer int) {
	if !e.stoppedEarly {
		return
	}
	s, m := v.Store(), e.memoryOf(answer)
	m.places = m.places[:0]
	for _, d := range e.drawn[max(len(e.drawn)-e.cfg.MaxOccluders, 0):] {
		p := soa.Location(d)
		m.places = append(m.places, remembered{p, s.Packets.IDs[p.Slot()][p.Lane()]})
	}
}

// memories is the number of queries of a frame that have a memory of their own. Later queries share the last
// one.
const memories = 256

// memoryOf returns the memory of a query.
func (e *Culler) memoryOf(answer int) *memory {
	answer = min(answer, memories-1)
	for len(e.memory) <= answer {
		e.memory = append(e.memory, memory{})
	}
	return &e.memory[answer]
}
