package scene

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// each tests the objects of a part under transforms other than similarities: those whose distances in the part give a
// lower bound for the scene that is not beyond.
func (w *search) each(level int, v linear.View) {
	r, path := &w.levels[level], w.addPath(level)
	s, f := v.Store(), keepsIn(&w.keep, &w.filter, v)
	q, p := &w.outward, &s.Packets
	q.Begin(s, &r.Point, w.within(r), f)
	w.images.set(w, level)
	plain := !w.filter.Exact || !p.Bounded() // the oriented box of an object may be larger than its box by a rounding
	for slot, lanes := q.Next(s, f); lanes != 0; slot, lanes = q.Next(s, f) {
		for ; lanes != 0; lanes &= lanes - 1 {
			lane := bits.TrailingZeros32(lanes) & (soa.Lanes - 1)
			if plain {
				if box := p.Box(slot, lane); w.images.beyond(&box) {
					continue
				}
			}
			x, rank := q.Neighbor(s, lane, f)
			low := max(r.lower(query.Neighbor(x).Low()), r.low)
			if w.beyond(low) {
				continue
			}
			if low = max(low, w.boxed(level, p, slot, lane)); !w.beyond(low) {
				w.offer(near{low, noDist2, x.ID, rank, path})
				w.images.limit(w.last(), w.levels[r.metricLevel].scale)
			}
		}
		q.Lower(w.within(r))
	}
}

// boxed returns a lower bound of the distance of the box around the image of the box of an
// object, or of its oriented box, in metricLevel.
func (w *search) boxed(level int, p *soa.PacketColumns, slot uint32, lane int) float32 {
	var b cell
	b.of(p, slot, lane, w.filter.Exact)
	metric := w.levels[level].metricLevel
	for at := level; at != metric; at-- {
		b.out(w.levels[at].transform)
	}
	return w.levels[metric].distance(&b)
}

// imageBounds finds most boxes for which [search.boxed] is beyond the result, with fewer operations.
//
// In the space of the distance the box around the image of a box from lo to hi has the centre m*(lo+hi)/2, from the
// point, and the half sides |m|*(hi-lo)/2. These are computed without a bound of the rounding errors of each: instead
// slack is above 2^-40 of the summands that boxes within the bounds of the part can have, and the box of boxed is wider
// than the exact one by less than that.
type imageBounds struct {
	axes [3]imageAxis // the one with the longest images first, which excludes most boxes
	most float64      // squared distance, beyond which boxes are beyond the result
}

// imageAxis is an axis of the space of the distance.
type imageAxis struct {
	half  [3]float64 // half of the row of m
	abs   [3]float64 // its absolute values
	at    float64    // of the image of the origin, from the point
	slack float64
}

// set sets it for a part.
func (m *imageBounds) set(w *search, level int) {
	r := &w.levels[level]
	metric := &w.levels[r.metricLevel]
	rows := [3][4]float64{{0: 1}, {1: 1}, {2: 1}}
	sums := rows // of absolute values
	for at := level; at != r.metricLevel; at-- {
		outer := w.levels[at].transform.Rows()
		inner, absolute := rows, sums
		for a := range 3 {
			for j := range 4 {
				x, sum := 0.0, 0.0
				for k := range 3 {
					x += outer[4*a+k] * inner[k][j]
					sum += math.Abs(outer[4*a+k]) * absolute[k][j]
				}
				rows[a][j], sums[a][j] = x, sum
			}
			rows[a][3] += outer[4*a+3]
			sums[a][3] += math.Abs(outer[4*a+3])
		}
	}
	bounds := r.view.Bounds()
	var length [3]float64
	for a := range m.axes {
		x, sum := &m.axes[a], sums[a][3]+math.Abs(metric.Center[a])
		for j := range 3 {
			x.half[j], x.abs[j] = rows[a][j]/2, math.Abs(rows[a][j]/2)
			sum += 2 * sums[a][j] * max(math.Abs(float64(bounds.Min[j])), math.Abs(float64(bounds.Max[j])))
			length[a] += rows[a][j] * rows[a][j]
		}
		x.at, x.slack = rows[a][3]-metric.Center[a], metric.Off[a]+sum*0x1p-40
	}
	for _, a := range [2]int{1, 2} {
		if length[a] > length[0] {
			m.axes[0], m.axes[a], length[0], length[a] = m.axes[a], m.axes[0], length[a], length[0]
		}
	}
	m.limit(w.last(), metric.scale)
}

// limit sets the distance in the scene beyond which boxes are to be found, and the scale of the space of the distance.
func (m *imageBounds) limit(last float32, scale float64) {
	most := after(last) / scale * (1 + 0x1p-30)
	m.most = most * most
}

// beyond reports whether the box around the image of a box is farther away. It may miss some that are.
func (m *imageBounds) beyond(b *soa.AABB) bool {
	var c, h [3]float64
	for j := range 3 {
		lo, hi := float64(b.Min[j]), float64(b.Max[j])
		c[j], h[j] = lo+hi, hi-lo
	}
	sum := 0.0
	for a := range m.axes {
		x := &m.axes[a]
		d := math.Abs(x.half[0]*c[0]+x.half[1]*c[1]+x.half[2]*c[2]+x.at) - x.slack
		gap := max(d-(x.abs[0]*h[0]+x.abs[1]*h[1]+x.abs[2]*h[2]), 0)
		if sum += gap * gap; sum > m.most {
			return true
		}
	}
	return false
}
