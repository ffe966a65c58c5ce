package collide

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// mover is an object with its bounds at the start of a step, and its motion.
type mover struct {
	step     Step
	sphere   [4]float32
	oriented *soa.OrientedBox
	round    bool
	turned   bool
	ready    bool // solid is set
	sized    bool // frame is set

	move  [3]float64        // of the bounds
	solid exact.MovingSolid // the oriented box, or else the box, once needed
	frame exact.Frame       // of the oriented box, once needed
}

// boundImpacts is impacts of bounds.
func (w *search) boundImpacts(dst []Impact, stepsX, stepsY *soa.Column[Step]) []Impact {
	x, y := &w.x.Packets, &w.y.Packets
	var a, b mover
	for w.next() {
		for _, h := range w.walk.Hits {
			slot, lane := h.A.Slot(), h.A.Lane()
			a.step = stepOf(stepsX, x, slot, lane)
			a.set(x, slot, lane)
			for m := h.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
				b.step = stepOf(stepsY, y, h.B, l)
				b.set(y, h.B, l)
				if t, ok := a.impact(&b); ok {
					p := w.pair(x.IDs[slot][lane], y.IDs[h.B][l])
					dst = append(dst, Impact{p.A, p.B, float32(t)})
				}
			}
		}
	}
	return dst
}

// set reads the bounds of the object in a lane, whose step is set.
func (o *mover) set(p *soa.PacketColumns, slot uint32, lane int) {
	o.ready, o.sized, o.turned = false, false, false
	o.sphere, o.round = p.Sphere(slot, lane)
	if len(p.OrientedBoxes) > 0 {
		o.oriented = &p.OrientedBoxes[slot][lane]
		o.turned = o.oriented.Center[0] <= math.MaxFloat32
	}
	s := &o.step
	for a := range 3 { // bounds move as the middle of the box
		o.move[a] = (gap(s.To.Min[a], s.From.Min[a]) + gap(s.To.Max[a], s.From.Max[a])) / 2
	}
}

// impact returns the first time in [0, 1] at which each bound of one object touches each bound of the
// other. The box stands for an object without a bound.
func (o *mover) impact(q *mover) (t float64, ok bool) {
	w := exact.Always
	switch {
	case !o.turned && !q.turned && o.round && q.round:
		ok = o.balls(q, &w)
	case !o.turned && !q.turned && !o.round && !q.round:
		return o.step.impact(&q.step)
	case !o.round && !q.round:
		ok = o.solids(q, &w)
	default:
		several := o.round && o.turned || q.round && q.turned
		ok = (!o.round || !q.round || o.balls(q, &w)) && o.ballBox(q, &w, several) && q.ballBox(o, &w, several) &&
			((!o.turned || q.round && !q.turned) && (!q.turned || o.round && !o.turned) || o.solids(q, &w))
	}
	return w.Enter, ok
}

// balls narrows w to the time in which two spheres overlap.
func (o *mover) balls(q *mover, w *exact.Window) bool {
	var way, d [3]float64
	most := 0.0
	for a := range 3 {
		way[a] = gap(q.sphere[a], o.sphere[a])
		d[a] = q.move[a] - o.move[a]
		most = max(most, math.Abs(q.move[a])+math.Abs(o.move[a]))
	}
	return w.Balls(&way, &d, float64(o.sphere[3])+float64(q.sphere[3]), most)
}

// ballBox narrows w to the time in which the sphere of o, if it has one, overlaps the oriented box of
// q, or its box if q has no bound.
func (o *mover) ballBox(q *mover, w *exact.Window, several bool) bool {
	if !o.round || q.round && !q.turned {
		return true
	}
	var g [3]exact.Gap
	most := 0.0
	if !q.turned {
		from, to := &q.step.From, &q.step.To
		for a := range g {
			c, m := o.sphere[a], o.move[a]
			most = max(most, math.Abs(m))
			g[a].Below = [2]float64{gap(from.Min[a], c), gap(to.Min[a], c) - m}
			g[a].Above = [2]float64{gap(c, from.Max[a]), gap(c, to.Max[a]) + m}
		}
		return w.BallBox(&g, float64(o.sphere[3]), most, several)
	}
	q.setSolid()
	center := [3]float64{float64(o.sphere[0]), float64(o.sphere[1]), float64(o.sphere[2])}
	if q.solid.BallApart(&center, &o.move, float64(o.sphere[3])) {
		return false
	}
	f := &q.frame
	if !q.sized {
		f.Set(q.oriented)
		q.sized = true
	}
	var way, end [3]float64
	for a := range 3 {
		way[a] = float64(o.sphere[a]) - f.Center[a]
		end[a] = way[a] + (o.move[a] - q.move[a])
		most += math.Abs(o.move[a]) + math.Abs(q.move[a]) + f.Half[a]
	}
	way, end = f.Local(way), f.Local(end)
	for a, half := range f.Half {
		g[a].Below = [2]float64{-way[a] - half, -end[a] - half}
		g[a].Above = [2]float64{way[a] - half, end[a] - half}
	}
	return w.BallBox(&g, float64(o.sphere[3]), most, several)
}

// solids narrows w to the time in which the oriented boxes of two objects overlap; the box stands for
// one that has none.
func (o *mover) solids(q *mover, w *exact.Window) bool {
	o.setSolid()
	q.setSolid()
	return w.Solids(&o.solid, &q.solid)
}

// setSolid sets the solid.
func (o *mover) setSolid() {
	switch {
	case o.ready:
	case o.turned:
		o.solid.SetOriented(o.oriented, &o.move)
	default:
		o.solid.SetBox(&o.step.From, &o.step.To)
	}
	o.ready = true
}
