package linear

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// told is what the boxes of the places of a part are made of: the box of a place is that of
// the image of the bounds, or, if the place turns, of the ball of the radius. So the part
// may move in what has been told without a new box anywhere.
type told struct {
	bounds AABB // never empty: an empty part is told as the point of its origin
	radius float64
}

// tellOf returns what is to be told of a part as it is.
func tellOf(st *state) told {
	to := told{st.bounds, st.radius}
	if st.bounds == soa.Empty() {
		to.bounds = AABB{}
	}
	return to
}

// A part that shrinks is told anew when its sides together, or its radius, have become less
// than this share of what was told: one that breathes leaves its places alone.
const tellBelow = 0.8

// holdsBounds reports whether the boxes of places that do not turn hold a part as it is.
func (to *told) holdsBounds(st *state) bool { return covers(to.bounds, st.bounds) }

// holdsRadius reports whether the boxes of places that turn hold a part as it is.
func (to *told) holdsRadius(st *state) bool { return st.radius <= to.radius }

// fitsBounds reports whether they are as small as they should be, too.
func (to *told) fitsBounds(st *state) bool {
	if st.bounds == soa.Empty() {
		return to.bounds == AABB{}
	}
	return to.holdsBounds(st) && sides(&st.bounds) >= float64(tellBelow*sides(&to.bounds))
}

func (to *told) fitsRadius(st *state) bool {
	return to.holdsRadius(st) && st.radius >= float64(tellBelow*to.radius)
}

// sides returns the summed sides of a box.
func sides(b *AABB) (sum float64) {
	for a := range 3 {
		sum += float64(b.Max[a]) - float64(b.Min[a])
	}
	return sum
}

// turnRoom is how much farther than it has to, relatively, the ball of a place that turns
// reaches: what [Transform.Stretch] says of one similarity that is turned differs by 2^-17.
const turnRoom = 0x1p-16

// box returns the box of a place under a pose, and its reach. A box that is not finite is
// one that float32 cannot hold.
func (to *told) box(p *Transform, turns bool) (box AABB, reach float64) {
	if !turns {
		return imageOf(p, &to.bounds), stays
	}
	reach = float64(float64(to.radius*p.longest()) * (1 + turnRoom))
	for a := range 3 {
		box.Min[a], box.Max[a] = soa.Below(p.t[a], reach), soa.Above(p.t[a], -reach)
	}
	return box, reach
}

// stays is the reach of a place that does not turn.
const stays = -1

func (row *placement) turns() bool { return row.reach >= 0 }

// turnsTo reports whether the place turns, and the box that it has under a pose is right for
// another one.
func (row *placement) turnsTo(to *told, from, p *Transform) bool {
	if !row.turns() || from.t != p.t {
		return false
	}
	least := float64(to.radius * p.longest())
	return float64(least*(1+turnRoom/4)) <= row.reach && row.reach <= float64(least*(1+2*turnRoom))
}

// longest returns a bound of the lengths of the images of unit vectors.
func (p *Transform) longest() float64 {
	if p.kind == TransformIdentity {
		return 1
	}
	return p.most
}

// imageOf returns a box that holds the image of a box, and is infinite where it reaches
// beyond float32, or the box does.
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
	return p.box(b)
}
