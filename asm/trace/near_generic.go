package trace

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

func nearWalkGo(w *NearWalk, nodes []soa.Node, packets []soa.Packet, budget int) (mask uint32) {
	for ; budget > 0 && len(w.Stack) > 0; budget-- {
		top := len(w.Stack) - 1
		e := w.Stack[top]
		w.Stack = w.Stack[:top]
		if math.Float32frombits(uint32(e>>32)) > w.Bound {
			continue
		}
		if ref := soa.Ref(e); !ref.IsPacket() {
			w.pushChildren(&nodes[ref.Index()])
		} else if mask = w.within(&packets[ref.Index()], &w.Dist); mask != 0 {
			w.Slot = ref.Index()
			break
		}
	}
	return mask
}

// within writes the distances of 16 boxes and returns the lanes within Bound.
func (w *NearWalk) within(b *soa.Packet, dist *[soa.Lanes]float32) (mask uint32) {
	scale := w.Scale
	if scale == 0 {
		scale = 1
	}
	return lane.WithinMask(b, &w.Point, scale, w.Bound, dist)
}

// nearLane is the part of a sort key that holds the lane.
const nearLane = soa.Fan - 1

// pushChildren pushes the children of n that are within Bound and pass the filter, the nearest
// last.
func (w *NearWalk) pushChildren(n *soa.Node) {
	var dist [soa.Fan]float32
	var keys [soa.Fan]uint32 // descending
	hits := 0
	for m := w.within(&n.Bounds, &dist); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (soa.Fan - 1)
		if !keeps(&w.Filter, n, l) {
			continue
		}
		key := math.Float32bits(dist[l])&^nearLane | uint32(l)
		i := hits
		for ; i > 0 && keys[(i-1)&nearLane] < key; i-- {
			keys[i&nearLane] = keys[(i-1)&nearLane]
		}
		keys[i&nearLane] = key
		hits++
	}
	for _, key := range keys[:hits] {
		l := key & nearLane
		w.Stack = append(w.Stack, NearEntry(dist[l], n.Child[l]))
	}
}

func nearFindGo(w *NearWalk, p *NearFound, nodes []soa.Node, packets []soa.Packet, budget int) {
	for ; budget > 0 && p.Len <= nearKept; budget-- {
		mask := nearWalkGo(w, nodes, packets, 1)
		if len(w.Stack) == 0 && mask == 0 {
			return
		}
		for m := mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
			p.insert(math.Float32bits(w.Dist[l]))
		}
		smallest := p.Smallest()
		w.Bound = math.Float32frombits(smallest[len(smallest)-1])
		for ; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros32(mask) & (soa.Lanes - 1)
			if w.Dist[l] <= w.Bound {
				p.Dist[p.Len], p.Location[p.Len] = w.Dist[l], soa.MakeLocation(w.Slot, l)
				p.Len++
			}
		}
	}
}

// nearFirstGo is the reference of the kernels that find the nearest box. Between packets it walks
// with the code of the tier. Each packet counts as one entry taken, and the entries before it are
// at most budget.
func nearFirstGo(w *NearWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	for ; budget > 0 && len(w.Stack) > 0; budget-- {
		mask := nearWalk(w, nodes, packets, min(budget, nearPerCall))
		if mask == 0 {
			return
		}
		for ; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros32(mask) & (soa.Lanes - 1)
			d, at := w.Dist[l], w.Location
			if at == NoLocation && d <= w.Bound || d < w.Bound || d == w.Bound && ids[w.Slot][l] < ids[at.Slot()][at.Lane()] {
				w.Bound, w.Location = d, soa.MakeLocation(w.Slot, l)
			}
		}
	}
}

// insert inserts d into the ascending list and drops the largest.
func (p *NearFound) insert(d uint32) {
	best := p.Smallest()
	i := len(best) - 1
	if best[i] <= d {
		return
	}
	for ; i > 0 && best[i-1] > d; i-- {
		best[i] = best[i-1]
	}
	best[i] = d
}
