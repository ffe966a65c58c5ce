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

// memory is what was large on the picture when an answer was complete: places of solids of
// the tree, with the IDs that they had. Only what is still there is drawn for the next answer, with
// the box that it has then.
type memory struct {
	places []recalled
	within []recalledIn // on scenes
}

type recalled struct {
	place soa.Location
	id    uint32
}

// pick is a solid of the tree that might be drawn.
type pick struct {
	area  float32 // pixels of its rectangle
	id    uint32
	place soa.Location
	spot  int32 // of a scene
}

// recall draws what was large in the answer of that number, and returns how many solids of the tree
// are drawn now and how many the memory had.
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
		// A lane that is not in use has no mask.
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

// minPixels is the least rectangle of a solid of a tree.
func (e *Culler) minPixels() float32 {
	if e.cfg.MinPixels != 0 {
		return float32(e.cfg.MinPixels)
	}
	return max(float32(e.frame.width*e.frame.height)/pixelShare, 1)
}

const (
	// A first look ends where there are as many solids in the frustum, or so many objects where solids are few.
	enough        = 1000
	enoughObjects = 16 * enough

	// It begins with a frustum that ends at nearShare times the near plane's distance, but not
	// before a part of the size of the tree, and doubles that at most so many times.
	nearShare = 8
	sizeShare = 0x1p-14
	doublings = 24
)

// scout draws the largest of the solids that are near: those of a frustum that ends early, which is made
// longer until there are enough of them.
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

// gatherRange lists the solids of a range.
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

// pickLanes lists the solids among lanes of a packet that are large enough.
func (e *Culler) pickLanes(p *soa.PacketColumns, slot, m uint32) {
	e.pickWith(&e.frame.lens, 0, p, slot, m)
}

// pickWith does so with the lens of a spot of a scene.
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

// largest leaves the largest picks, at most MaxSolids of them: of those of the same size the ones of the least IDs, then spots.
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

// drawPicks draws the largest picks that are not drawn.
func (e *Culler) drawPicks(s *soa.Store) {
	e.undrawn()
	e.largest()
	first := len(e.drawn)
	for _, k := range e.picks {
		e.drawn = append(e.drawn, uint32(k.place))
	}
	e.drawPlaces(&s.Packets, e.drawn[first:])
}

// undrawn leaves the picks that are not drawn, and returns how many pixels their rectangles have
// together.
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

// remember makes the largest solids of what is seen the memory of an answer: of those that were large and seen when
// again looked, what is in e.ranges still.
func (e *Culler) remember(answer int) {
	if e.cfg.OccluderMask == 0 {
		return
	}
	defer phase.Enter(phase.Pick).Leave()
	e.picks = e.picks[:0]
	large, left := e.large, e.ranges // in the order of e.looked, as far as they go
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

// rememberDrawn makes what was drawn, last if it is too many, the memory of an answer if that was given up.
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

// memories is the number of answers that have a memory of their own. Those that follow share
// the last one.
const memories = 256

// memoryOf returns the memory of an answer.
func (e *Culler) memoryOf(answer int) *memory {
	answer = min(answer, memories-1)
	for len(e.memory) <= answer {
		e.memory = append(e.memory, memory{})
	}
	return &e.memory[answer]
}
