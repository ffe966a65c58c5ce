package linear

import (
	"math"

	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// instanceBounds is the size of a part from which the boxes of its instances are computed. The box of an
// instance contains the image of the bounds, or, with InstanceOptions.Turns, of the ball of the
// radius. The part can therefore change within that size without a new box.
type instanceBounds struct {
	bounds AABB // never empty: an empty part has the box of its origin
	radius float64
}

// instanceBoundsOf returns the size of a part in its current state.
func instanceBoundsOf(st *state) instanceBounds {
	to := instanceBounds{st.bounds, st.radius}
	if st.bounds == soa.Empty() {
		to.bounds = AABB{}
	}
	return to
}

// shrinkBelow is the ratio below which a part that shrinks gets new boxes: of the sums of the sides
// of its bounds, or of its radii. The hysteresis keeps a part that oscillates from changing its
// boxes.
const shrinkBelow = 0.8

// holdsBounds reports whether the boxes of instances without Turns contain a part in its current
// state.
func (to *instanceBounds) holdsBounds(st *state) bool { return octree.Covers(to.bounds, st.bounds) }

// holdsRadius reports whether the boxes of instances with Turns contain a part in its current
// state.
func (to *instanceBounds) holdsRadius(st *state) bool { return st.radius <= to.radius }

// fitsBounds reports whether these boxes contain the part and are not too large.
func (to *instanceBounds) fitsBounds(st *state) bool {
	if st.bounds == soa.Empty() {
		return to.bounds == AABB{}
	}
	return to.holdsBounds(st) && sides(&st.bounds) >= float64(shrinkBelow*sides(&to.bounds))
}

func (to *instanceBounds) fitsRadius(st *state) bool {
	return to.holdsRadius(st) && st.radius >= float64(shrinkBelow*to.radius)
}

// sides returns the sum of the sides of a box.
func sides(b *AABB) (sum float64) {
	for a := range 3 {
		sum += float64(b.Max[a]) - float64(b.Min[a])
	}
	return sum
}

// turnRoom is the relative margin of the ball of an instance with Turns. Under rotation of one
// similarity, the stretch varies by 2^-17.
const turnRoom = 0x1p-16

// box returns the box of an instance under a transform, and its reach. A box that is not finite
// exceeds float32.
func (to *instanceBounds) box(p *Transform, turns bool) (box AABB, reach float64) {
	if !turns {
		return imageOf(p, &to.bounds), stays
	}
	reach = float64(float64(to.radius*p.longest()) * (1 + turnRoom))
	for a, x := range p.form().Offset() {
		box.Min[a], box.Max[a] = soa.Below(x, reach), soa.Above(x, -reach)
	}
	return box, reach
}

// stays is the reach of an instance without Turns.
const stays = -1

func (row *placement) turns() bool { return row.reach >= 0 }

// turnsTo reports whether the instance has Turns, and its box under the transform from is also
// right under p.
func (row *placement) turnsTo(to *instanceBounds, from, p *Transform) bool {
	if !row.turns() || from.form().Offset() != p.form().Offset() {
		return false
	}
	least := float64(to.radius * p.longest())
	return float64(least*(1+turnRoom/4)) <= row.reach && row.reach <= float64(least*(1+2*turnRoom))
}

// longest returns an upper bound of the lengths of the images of unit vectors.
func (p *Transform) longest() float64 {
	_, most := p.form().Stretch()
	return most
}

// imageOf returns a box that contains the image of a box. It is infinite where the image, or the
// box itself, exceeds float32.
func imageOf(p *Transform, b *AABB) AABB {
	for a := range 3 {
		if b.Min[a] < -math.MaxFloat32 || b.Max[a] > math.MaxFloat32 {
			e := soa.Empty()
			if *b == e {
				return e
			}
			return AABB{Min: e.Max, Max: e.Min}
		}
	}
	return p.form().Box(b)
}
