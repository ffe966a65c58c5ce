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
	places []recalled
	within []recalledIn // for scenes
}

type recalled struct {
	place soa.Location
	id    uint32
}

// pick is an occluder of the tree that is a candidate for drawing.
type pick struct {
	area  float32 // area of its rectangle, in pixels
	id    uint32
	place soa.Location
	spot  int32 // for a scene
}

// recall draws the remembered occluders of the query of that number. It returns the number of occluders that
// are drawn and the number that were remembered.
func (e *Culler) recall(s *soa.Store, answer int) (found, had int) {
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
		asm.SeenAreas(&areas, &p.Bounds[slot], 1<<lane, &e.frame.lens, &e.picture)
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

// scout draws the largest nearby occluders, in a shortened frustum that is extended until it contains
// enough of them.
func (e *Culler) scout(v linear.View) {
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
	e.picks, e.from = e.picks[:0], v
	all.Ranges(v, solid, e.gather)
	e.from = linear.View{}
	e.drawPicks(s)
}

// gatherRange lists the occluders of a range.
func (e *Culler) gatherRange(r query.Range) bool {
	p := &e.from.Store().Packets
	for slot := r.First; slot < r.First+r.Count; slot++ {
		m := uint32(1)<<p.Counts[slot] - 1
		if r.Mask != 0 {
			m = uint32(r.Mask)
		}
		e.pickLanes(p, slot, m)
	}
	return true
}

// pickLanes lists the occluders in lanes of a packet that are large enough.
func (e *Culler) pickLanes(p *soa.PacketColumns, slot, m uint32) {
	e.pickWith(&e.frame.lens, 0, p, slot, m)
}

// pickWith is pickLanes with the lens of a spot of a scene.
func (e *Culler) pickWith(lens *asm.Lens, spot int32, p *soa.PacketColumns, slot, m uint32) {
	if m &= asm.MaskLanes(&p.Masks[slot], e.cfg.OccluderMask); m == 0 {
		return
	}
	var areas [soa.Lanes]float32
	asm.SeenAreas(&areas, &p.Bounds[slot], m, lens, &e.picture)
	for least := e.minPixels(); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if areas[lane] >= least {
			e.picks = append(e.picks, pick{areas[lane], p.IDs[slot][lane], soa.MakeLocation(slot, lane), spot})
		}
	}
}

// largest keeps the largest picks, at most MaxOccluders. It breaks ties by the smaller ID, then by the
// smaller spot.
func (e *Culler) largest() {
	most := e.cfg.MaxOccluders
	if len(e.picks) <= most {
		return
	}
	e.sizes = e.sizes[:0]
	for i := range e.picks {
		e.sizes = append(e.sizes, -e.picks[i].area)
	}
	least := -nth.Element(e.sizes, most-1)
	e.picks = slices.DeleteFunc(e.picks, func(p pick) bool { return p.area < least })
	if len(e.picks) == most {
		return
	}
	slices.SortFunc(e.picks, func(a, b pick) int {
		if a.area != b.area {
			return cmp.Compare(b.area, a.area)
		}
		if a.id != b.id {
			return cmp.Compare(a.id, b.id)
		}
		return cmp.Compare(a.spot, b.spot)
	})
	e.picks = e.picks[:most]
}

// drawPicks draws the largest picks that are not drawn yet.
func (e *Culler) drawPicks(s *soa.Store) {
	e.undrawn()
	e.largest()
	first := len(e.drawn)
	for _, k := range e.picks {
		e.drawn = append(e.drawn, uint32(k.place))
	}
	e.drawPlaces(&s.Packets, e.drawn[first:])
}

// undrawn keeps the picks that are not drawn yet, and returns the total area of their rectangles in pixels.
func (e *Culler) undrawn() (pixels float64) {
	if e.sorted < len(e.drawn) {
		slices.Sort(e.drawn)
		e.sorted = len(e.drawn)
	}
	left := e.picks[:0]
	for _, k := range e.picks {
		if _, ok := slices.BinarySearch(e.drawn, uint32(k.place)); !ok {
			left = append(left, k)
			pixels += float64(k.area)
		}
	}
	e.picks = left
	return pixels
}

// remember stores the largest visible occluders as the memory of a query: the large occluders of e.looked
// that are still in e.ranges after the retest.
func (e *Culler) remember(answer int) {
	if e.cfg.OccluderMask == 0 {
		return
	}
	defer phase.Enter(phase.Pick).Leave()
	e.picks = e.picks[:0]
	large, left := e.large, e.ranges // in the order of e.looked; left may end earlier
	for _, r := range e.looked {
		seen := uint32(0)
		if len(left) > 0 && left[0].First == r.First {
			seen, left = left[0].N, left[1:]
		}
		for len(large) > 0 && large[0].place.Slot() == r.First {
			if seen>>large[0].place.Lane()&1 != 0 {
				e.picks = append(e.picks, large[0])
			}
			large = large[1:]
		}
	}
	e.largest()
	m := e.memoryOf(answer)
	m.places = m.places[:0]
	for _, k := range e.picks {
		m.places = append(m.places, recalled{k.place, k.id})
	}
}

// rememberDrawn stores the drawn occluders as the memory of an abandoned query, only the last ones if there
// are too many.
func (e *Culler) rememberDrawn(v linear.View, answer int) {
	if !e.gaveUp {
		return
	}
	s, m := v.Store(), e.memoryOf(answer)
	m.places = m.places[:0]
	for _, d := range e.drawn[max(len(e.drawn)-e.cfg.MaxOccluders, 0):] {
		p := soa.Location(d)
		m.places = append(m.places, recalled{p, s.Packets.IDs[p.Slot()][p.Lane()]})
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
