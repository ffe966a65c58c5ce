package scene

import (
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// imageBounds decides for most objects of a part whether their images are beyond a distance from a point, with fewer
// operations than [search.boxed] and [volumeWalk.touches].
//
// In the space of the distance the box around the image of a box from lo to hi has the centre m*(lo+hi)/2, from the
// point, and the half sides |m|*(hi-lo)/2. These are computed without a bound of the rounding errors of each: instead
// slack is above 2^-40 of the summands that boxes within the bounds of the part can have, and cells are wider than the
// exact images by less than that.
type imageBounds struct {
	axes  [3]imageAxis // the one with the longest images first, which excludes most boxes
	most  float64      // squared distance, slightly increased
	least float64      // and decreased
	set   bool         // axes are set for the current part: a sphere query sets them at its first object

	rows, sums [3][4]float64 // m and the image of the origin; sums of the absolute values of their summands
}

// imageAxis is an axis of the space of the distance.
type imageAxis struct {
	half  [3]float64 // half of the row of m
	abs   [3]float64 // its absolute values
	at    float64    // of the image of the origin, from the point
	slack float64
}

// begin sets m to the identity.
func (m *imageBounds) begin() {
	m.rows = [3][4]float64{{0: 1}, {1: 1}, {2: 1}}
	m.sums = m.rows
}

// through transforms the images further.
func (m *imageBounds) through(t *xform.Transform) {
	outer, rows, sums := t.Rows(), m.rows, m.sums
	for a := range 3 {
		for j := range 4 {
			x, sum := 0.0, 0.0
			for k := range 3 {
				x += outer[4*a+k] * rows[k][j]
				sum += math.Abs(outer[4*a+k]) * sums[k][j]
			}
			m.rows[a][j], m.sums[a][j] = x, sum
		}
		m.rows[a][3] += outer[4*a+3]
		m.sums[a][3] += math.Abs(outer[4*a+3])
	}
}

// end sets the point, which may be off by some distance on each axis, and the bounds of the part.
func (m *imageBounds) end(point, off *[3]float64, bounds *soa.AABB) {
	var length [3]float64
	for a := range m.axes {
		x, sum := &m.axes[a], m.sums[a][3]+math.Abs(point[a])
		for j := range 3 {
			x.half[j], x.abs[j] = m.rows[a][j]/2, math.Abs(m.rows[a][j]/2)
			sum += 2 * m.sums[a][j] * max(math.Abs(float64(bounds.Min[j])), math.Abs(float64(bounds.Max[j])))
			length[a] += m.rows[a][j] * m.rows[a][j]
		}
		x.at, x.slack = m.rows[a][3]-point[a], off[a]+sum*0x1p-40
	}
	m.set = true
	for _, a := range [2]int{1, 2} {
		if length[a] > length[0] {
			m.axes[0], m.axes[a], length[0], length[a] = m.axes[a], m.axes[0], length[a], length[0]
		}
	}
}

// ofBall prepares it for the space nearest to the objects at a depth in which the query is a ball.
func (m *imageBounds) ofBall(levels *[linear.MaxDepth + 1]level, depth int) {
	l := &levels[depth]
	m.begin()
	for i := depth; i > l.ballLevel; i-- {
		m.through(levels[i].transform)
	}
	ball, bounds := levels[l.ballLevel].form, l.view.Bounds()
	m.end(&ball.Center, &ball.Off, &bounds)
	m.limit(ball.Radius)
}

// limit sets the distance.
func (m *imageBounds) limit(distance float64) {
	most, least := distance*(1+0x1p-30), distance*(1-0x1p-30)
	m.most, m.least = most*most, least*least
}

// beyond reports whether the box around the image of a box is surely farther away than the distance.
//
// within and low repeat its loop: calls of one function for the gap on an axis made nearest searches a tenth slower.
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

// within reports whether the box around the image of a box is surely within the distance.
func (m *imageBounds) within(b *soa.AABB) bool {
	var c, h [3]float64
	for j := range 3 {
		lo, hi := float64(b.Min[j]), float64(b.Max[j])
		c[j], h[j] = lo+hi, hi-lo
	}
	sum := 0.0
	for a := range m.axes {
		x := &m.axes[a]
		d := math.Abs(x.half[0]*c[0]+x.half[1]*c[1]+x.half[2]*c[2]+x.at) + x.slack
		gap := max(d-(x.abs[0]*h[0]+x.abs[1]*h[1]+x.abs[2]*h[2]), 0)
		sum += gap * gap
	}
	return sum <= m.least
}

// low returns a lower bound of the distance of the box around the image of a box.
func (m *imageBounds) low(b *soa.AABB) float64 {
	var c, h, gap [3]float64
	for j := range 3 {
		lo, hi := float64(b.Min[j]), float64(b.Max[j])
		c[j], h[j] = lo+hi, hi-lo
	}
	for a := range m.axes {
		x := &m.axes[a]
		d := math.Abs(x.half[0]*c[0]+x.half[1]*c[1]+x.half[2]*c[2]+x.at) - x.slack
		gap[a] = max(d-(x.abs[0]*h[0]+x.abs[1]*h[1]+x.abs[2]*h[2]), 0)
	}
	return exact.Length(&gap) * (1 - 0x1p-30)
}

// fewPackets is the number of packets up to which their boxes are not tested.
const fewPackets = 8

// beyondPacket reports whether all objects in a slot are farther away, by the box of the packet in its node.
func (m *imageBounds) beyondPacket(s *soa.Store, slot uint32) bool {
	if len(s.Packets.Parents) <= fewPackets {
		return false
	}
	up := s.Packets.Parents[slot]
	if up.Node() >= uint32(len(s.Nodes.Hot)) { // pending, or in a file that was not checked completely
		return false
	}
	b, l := &s.Nodes.Hot[up.Node()].Bounds, up.Lane()
	return m.beyond(&soa.AABB{
		Min: [3]float32{b[soa.MinX][l], b[soa.MinY][l], b[soa.MinZ][l]},
		Max: [3]float32{b[soa.MaxX][l], b[soa.MaxY][l], b[soa.MaxZ][l]},
	})
}
