package instance

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Bounds is the size of a part from which the boxes of its instances are computed. The box of an
// instance contains the image of the bounds, or, with Turns, of the ball of the
// radius. The part can therefore change within that size without a new box.
type Bounds struct {
	Box    soa.AABB // never empty: an empty part has the box of its origin
	Radius float64
}

// boundsOf returns the size of a part in its current state.
func boundsOf(st *State) Bounds {
	to := Bounds{st.Bounds, st.Radius}
	if st.Bounds == soa.Empty() {
		to.Box = soa.AABB{}
	}
	return to
}

// shrinkBelow is the ratio below which a part that shrinks gets new boxes: of the sums of the sides of its bounds, or
// of its radii. The hysteresis keeps a part that oscillates from changing its boxes.
const shrinkBelow = 0.8

// holdsBounds reports whether the boxes of instances without Turns contain a part in its current state.
func (to *Bounds) holdsBounds(st *State) bool { return octree.Covers(to.Box, st.Bounds) }

// holdsRadius reports whether the boxes of instances with Turns contain a part in its current state.
func (to *Bounds) holdsRadius(st *State) bool { return st.Radius <= to.Radius }

// fitsBounds reports whether these boxes contain the part and are not too large.
func (to *Bounds) fitsBounds(st *State) bool {
	if st.Bounds == soa.Empty() {
		return to.Box == soa.AABB{}
	}
	return to.holdsBounds(st) && sides(&st.Bounds) >= float64(shrinkBelow*sides(&to.Box))
}

func (to *Bounds) fitsRadius(st *State) bool {
	return to.holdsRadius(st) && st.Radius >= float64(shrinkBelow*to.Radius)
}

// sides returns the sum of the sides of a box.
func sides(b *soa.AABB) (sum float64) {
	for a := range 3 {
		sum += float64(b.Max[a]) - float64(b.Min[a])
	}
	return sum
}

// turnRoom is the relative margin of the ball of an instance with Turns. Under rotation of one
// similarity, the stretch varies by 2^-17.
const turnRoom = 0x1p-16

// writeBox writes the box of an instance under a transform, and returns its reach. A box that is not finite exceeds
// float32.
func (to *Bounds) writeBox(box *soa.AABB, p *xform.Transform, turns bool) (reach float64) {
	if !turns {
		writeImage(box, p, &to.Box)
		return Stays
	}
	reach = float64(float64(to.Radius*longest(p)) * (1 + turnRoom))
	for a, x := range p.Offset() {
		box.Min[a], box.Max[a] = soa.Below(x, reach), soa.Above(x, -reach)
	}
	return reach
}

// isFinite reports whether no side of a box exceeds float32.
func isFinite(b *soa.AABB) bool {
	return b.Min[0] >= -math.MaxFloat32 && b.Max[0] <= math.MaxFloat32 && b.Min[1] >= -math.MaxFloat32 && b.Max[1] <= math.MaxFloat32 &&
		b.Min[2] >= -math.MaxFloat32 && b.Max[2] <= math.MaxFloat32
}

// Stays is the reach of an instance without Turns.
const Stays = -1

// Turns reports whether the instance has Turns.
func (row *Placement) Turns() bool { return row.Reach >= 0 }

// turnsTo reports whether the instance has Turns, and its box under the transform from is also right under p.
func (row *Placement) turnsTo(to *Bounds, from, p *xform.Transform) bool {
	if !row.Turns() || from.Offset() != p.Offset() {
		return false
	}
	least := float64(to.Radius * longest(p))
	return float64(least*(1+turnRoom/4)) <= row.Reach && row.Reach <= float64(least*(1+2*turnRoom))
}

// longest returns an upper bound of the lengths of the images of unit vectors.
func longest(p *xform.Transform) float64 {
	_, most := p.Stretch()
	return most
}

// imageOf returns a box that contains the image of a box. It is infinite where the image, or the
// box itself, exceeds float32.
func imageOf(p *xform.Transform, b *soa.AABB) (image soa.AABB) {
	writeImage(&image, p, b)
	return image
}

// writeImage writes the result of imageOf.
func writeImage(image *soa.AABB, p *xform.Transform, b *soa.AABB) {
	if isFinite(b) {
		p.WriteBox(image, b)
		return
	}
	e := soa.Empty()
	if *image = e; *b != e {
		image.Min, image.Max = e.Max, e.Min
	}
}

// BoxOf returns the expected box of an instance; ok is false if the reach is wrong.
func (row *Placement) BoxOf(transform *xform.Transform, to *Bounds) (box soa.AABB, ok bool) {
	if !row.Turns() {
		return imageOf(transform, &to.Box), true
	}
	for a, x := range transform.Offset() {
		box.Min[a], box.Max[a] = soa.Below(x, row.Reach), soa.Above(x, -row.Reach)
	}
	return box, row.turnsTo(to, transform, transform)
}

// SetTransform sets p to the transform of three rows of four numbers: see linear.NewTransform.
func SetTransform(p *xform.Transform, rows *[12]float64) error {
	switch fault, largest := p.Set(rows); fault {
	case xform.Infinite:
		return fmt.Errorf("linear: transform %v is not finite", *rows)
	case xform.Range:
		return fmt.Errorf("linear: transform %v: the largest number of its matrix is %g, want at most 2^100 and at least 2^-100", *rows, largest)
	case xform.Singular:
		return fmt.Errorf("linear: transform %v has no usable inverse: it stretches one direction more than 2^20 times as much as another", *rows)
	}
	return nil
}
