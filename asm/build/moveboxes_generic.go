package build

import "github.com/zoctree/zoctree/soa"

func moveBoxesGo(dst []Moved, packets []soa.Packet, placements []soa.AABB, at []soa.Location, boxes []soa.AABB, first uint32) (n int) {
	for i := range boxes {
		slot, lane, box := at[i].Slot(), at[i].Lane(), &boxes[i]
		p, placement := &packets[slot], &placements[slot]
		flags := uint32(0)
		for a := range 3 {
			lo, hi := &p[2*a], &p[2*a+1]
			if lo[lane] < placement.Min[a] || hi[lane] > placement.Max[a] {
				flags |= MovedAway
			}
			if box.Min[a] < placement.Min[a] || box.Max[a] > placement.Max[a] {
				flags |= MovedLeaves
			}
			if noneBelow(lo, lo[lane]) {
				flags |= MovedFromFace
			}
			if noneAbove(hi, hi[lane]) {
				flags |= MovedFromFace
			}
			if box.Min[a] < lo[lane] && noneUpTo(lo, box.Min[a]) || box.Max[a] > hi[lane] && noneFrom(hi, box.Max[a]) {
				flags |= MovedGrows
			}
		}
		for a := range 3 {
			p[2*a][lane], p[2*a+1][lane] = box.Min[a], box.Max[a]
		}
		if flags <= MovedAway {
			continue
		}
		m := &dst[n]
		n++
		m.Index, m.Flags = first+uint32(i), flags
		for a := range 3 {
			lo, hi := p[2*a][0], p[2*a+1][0]
			for l := 1; l < soa.Lanes; l++ {
				lo, hi = min(lo, p[2*a][l]), max(hi, p[2*a+1][l])
			}
			m.Min[a], m.Max[a] = lo+0, hi+0 // no -0
		}
	}
	return n
}

// noneBelow and the three functions below return at the first lane that fails, which is usually
// early.
func noneBelow(column *[soa.Lanes]float32, x float32) bool {
	for _, y := range column {
		if y < x {
			return false
		}
	}
	return true
}

func noneUpTo(column *[soa.Lanes]float32, x float32) bool {
	for _, y := range column {
		if y <= x {
			return false
		}
	}
	return true
}

func noneAbove(column *[soa.Lanes]float32, x float32) bool {
	for _, y := range column {
		if y > x {
			return false
		}
	}
	return true
}

func noneFrom(column *[soa.Lanes]float32, x float32) bool {
	for _, y := range column {
		if y >= x {
			return false
		}
	}
	return true
}
