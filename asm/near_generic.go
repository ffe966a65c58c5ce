package asm

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/soa"
)

// gap is the distance of c from the interval lo to hi.
func gap(lo, hi, c float32) float32 {
	d := lo - c
	if e := c - hi; e > d {
		d = e
	}
	if d > 0 {
		return d
	}
	return 0
}

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
		} else if mask = w.packet(&packets[ref.Index()]); mask != 0 {
			w.Slot = ref.Index()
			break
		}
	}
	return mask
}

// packet writes the distances of 16 boxes and returns the lanes within Bound.
func (w *NearWalk) packet(b *soa.Packet) (mask uint32) {
	x, y, z, bound := w.Point[0], w.Point[1], w.Point[2], w.Bound
	if w.Scale != 0 {
		return w.scaledPacket(b)
	}
	for l := range soa.Lanes {
		dx := gap(b[soa.MinX][l], b[soa.MaxX][l], x)
		dy := gap(b[soa.MinY][l], b[soa.MaxY][l], y)
		dz := gap(b[soa.MinZ][l], b[soa.MaxZ][l], z)
		d2 := float32(float32(dx*dx)+float32(dy*dy)) + float32(dz*dz)
		w.Dist[l] = d2
		mask |= bit(d2 <= bound) << l
	}
	return mask
}

// scaledPacket is packet with a scale.
func (w *NearWalk) scaledPacket(b *soa.Packet) (mask uint32) {
	for l := range soa.Lanes {
		dx := gap(b[soa.MinX][l], b[soa.MaxX][l], w.Point[0]) * w.Scale
		dy := gap(b[soa.MinY][l], b[soa.MaxY][l], w.Point[1]) * w.Scale
		dz := gap(b[soa.MinZ][l], b[soa.MaxZ][l], w.Point[2]) * w.Scale
		d2 := float32(float32(dx*dx)+float32(dy*dy)) + float32(dz*dz)
		w.Dist[l] = d2
		mask |= bit(d2 <= w.Bound) << l
	}
	return mask
}

// nearLane is the part of a sort key that holds the lane.
const nearLane = soa.Fan - 1

// pushChildren pushes the children of n within Bound that the filter keeps, the
// nearest last.
func (w *NearWalk) pushChildren(n *soa.Node) {
	x, y, z, scale := w.Point[0], w.Point[1], w.Point[2], w.Scale
	if scale == 0 {
		scale = 1
	}
	var dist [soa.Fan]float32
	var keys [soa.Fan]uint32 // descending
	hits := 0
	for l := range soa.Fan {
		ref := n.Child[l]
		if ref&w.Filter.Flags == 0 || w.Filter.Mask != 0 && n.Mask[l]&w.Filter.Mask == 0 {
			continue
		}
		dx := gap(n.Bounds[soa.MinX][l], n.Bounds[soa.MaxX][l], x) * scale
		dy := gap(n.Bounds[soa.MinY][l], n.Bounds[soa.MaxY][l], y) * scale
		dz := gap(n.Bounds[soa.MinZ][l], n.Bounds[soa.MaxZ][l], z) * scale
		d2 := float32(float32(dx*dx)+float32(dy*dy)) + float32(dz*dz)
		if !(d2 <= w.Bound) {
			continue
		}
		dist[l] = d2
		key := math.Float32bits(d2)&^nearLane | uint32(l)
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
		for ; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros32(mask) & (soa.Lanes - 1)
			p.Dist[p.Len], p.Place[p.Len] = w.Dist[l], soa.MakePlace(w.Slot, l)
			p.Len++
			p.insert(math.Float32bits(w.Dist[l]))
		}
		w.Bound = math.Float32frombits(p.Best[p.K-1])
	}
}

// nearFirstGo is the twin of the kernels that find the nearest box. Between packets it
// walks as the tier does: each is an entry taken, and what comes before it is no more
// than budget.
func nearFirstGo(w *NearWalk, nodes []soa.Node, packets []soa.Packet, ids [][soa.Lanes]uint32, budget int) {
	for ; budget > 0 && len(w.Stack) > 0; budget-- {
		mask := nearWalk(w, nodes, packets, min(budget, nearPerCall))
		if mask == 0 {
			return
		}
		for ; mask != 0; mask &= mask - 1 {
			l := bits.TrailingZeros32(mask) & (soa.Lanes - 1)
			d, at := w.Dist[l], w.Place
			if at == NoPlace && d <= w.Bound || d < w.Bound || d == w.Bound && ids[w.Slot][l] < ids[at.Slot()][at.Lane()] {
				w.Bound, w.Place = d, soa.MakePlace(w.Slot, l)
			}
		}
	}
}

// insert puts d into the ascending list and drops the largest.
func (p *NearFound) insert(d uint32) {
	below := uint32(0)
	for i, b := range p.Best {
		p.Best[i] = min(b, max(below, d))
		below = b
	}
}
