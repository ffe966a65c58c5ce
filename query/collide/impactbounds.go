package collide

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// bounds is an object with its bounds at the start of a step, and its motion.
type bounds struct {
	round    bool
	turned   bool
	step     Step
	sphere   [4]float32
	oriented soa.OrientedBox

	move     [3]float64 // of the bounds
	min, max [3]float64 // around the bounds during the step
}

// mover is an object in motion, for tests.
type mover struct {
	*bounds
	ready bool // solid is set
	sized bool // frame is set

	solid exact.MovingSolid // the oriented box, or else the box, once needed
	frame exact.Frame       // of the oriented box, once needed
}

// castRoom is the number of objects, and of pairs, that are read before they are tested: cache misses overlap,
// and most objects are read once for several pairs.
const castRoom = 128

// candidates are pairs whose swept boxes overlap, as indices of two casts.
type candidates struct {
	first, second cast
	n             int
	pairs         [castRoom][2]uint8
}

// cast is a set of objects.
type cast struct {
	n      int
	lanes  [castRoom]soa.Location
	ids    [castRoom]uint32
	bounds [castRoom]bounds
	table  [2 * castRoom]uint8 // the index of an object, by its location, or of another one
}

// add adds the object in a lane, unless it is in the set, and returns its index.
func (c *cast) add(p *soa.PacketColumns, slot uint32, lane int) uint8 {
	at := soa.MakeLocation(slot, lane)
	entry := &c.table[at%(2*castRoom)]
	if i := *entry; int(i) < c.n && c.lanes[i] == at {
		return i
	}
	i := uint8(c.n)
	*entry, c.lanes[i], c.ids[i] = i, at, p.IDs[slot][lane]
	c.n++
	return i
}

// read reads the bounds of the objects.
func (c *cast) read(steps *soa.Column[Step], p *soa.PacketColumns) {
	for i, id := range c.ids[:c.n] {
		if c.bounds[i].step = (Step{}); steps != nil {
			c.bounds[i].step = steps.Get(id)
		}
	}
	for i, at := range c.lanes[:c.n] {
		b := &c.bounds[i]
		b.sphere, b.round = p.Sphere(at.Slot(), at.Lane())
		if b.turned = false; len(p.OrientedBoxes) > 0 {
			b.oriented = p.OrientedBoxes[at.Slot()][at.Lane()]
			b.turned = b.oriented.Center[0] <= math.MaxFloat32
		}
	}
	for i, at := range c.lanes[:c.n] {
		b := &c.bounds[i]
		if b.step == (Step{}) {
			box := p.Box(at.Slot(), at.Lane())
			b.step = Step{box, box}
		}
		b.surround()
	}
}

// boundImpacts is impacts of bounds.
func (w *search) boundImpacts(dst []Impact, stepsX, stepsY *soa.Column[Step]) []Impact {
	x, y := &w.x.Packets, &w.y.Packets
	if w.candidates == nil {
		w.candidates = new(candidates)
	}
	c := w.candidates
	a, b := &c.first, &c.second
	if w.x == w.y && stepsX == stepsY {
		b = a
	}
	for w.next() {
		for i, h := range w.walk.Hits {
			first := a.add(x, h.A.Slot(), h.A.Lane())
			for m := h.Mask; m != 0; m &= m - 1 {
				c.pairs[c.n] = [2]uint8{first, b.add(y, h.B, bits.TrailingZeros32(m)&(soa.Lanes-1))}
				c.n++
			}
			if most := max(c.n, a.n, b.n); most >= castRoom-soa.Lanes || i+1 == len(w.walk.Hits) {
				a.read(stepsX, x)
				if a != b {
					b.read(stepsY, y)
				}
				dst = c.append(dst, w, b)
				c.n, a.n, b.n = 0, 0, 0
			}
		}
	}
	return dst
}

// append appends the impacts of the pairs, whose second objects are in a cast.
func (c *candidates) append(dst []Impact, w *search, second *cast) []Impact {
	var a, b mover
	for _, p := range c.pairs[:c.n] {
		if o := &c.first.bounds[p[0]]; o != a.bounds {
			a.bounds, a.ready, a.sized = o, false, false
		}
		b.bounds, b.ready, b.sized = &second.bounds[p[1]], false, false
		if a.apart(b.bounds) {
			continue
		}
		if t, ok := a.impact(&b); ok {
			p := w.pair(c.first.ids[p[0]], second.ids[p[1]])
			dst = append(dst, Impact{p.A, p.B, float32(t)})
		}
	}
	return dst
}

// surround sets the motion, and the box around the bounds during the step.
func (o *bounds) surround() {
	from, to, t := &o.step.From, &o.step.To, &o.oriented
	for a := range 3 { // bounds move as the middle of the box
		m := (gap(to.Min[a], from.Min[a]) + gap(to.Max[a], from.Max[a])) / 2
		o.move[a] = m
		var c, r float64
		switch {
		case o.turned:
			c, r = float64(t.Center[a]), math.Abs(float64(t.Axes[0][a]))+math.Abs(float64(t.Axes[1][a]))+math.Abs(float64(t.Axes[2][a]))
		case o.round:
			c, r = float64(o.sphere[a]), float64(o.sphere[3])
		default:
			lo, hi := min(from.Min[a], to.Min[a]), max(from.Max[a], to.Max[a])
			o.min[a], o.max[a] = float64(lo), float64(hi)
			continue
		}
		m /= 2
		c += m
		r += math.Abs(m)
		r += float64((math.Abs(c) + r) * 0x1p-49) // exceeds the rounding errors
		o.min[a], o.max[a] = c-r, c+r
	}
}

// apart reports whether the boxes around the bounds during the step are apart.
func (o *bounds) apart(q *bounds) bool {
	for a := range 3 {
		if o.min[a] > q.max[a] || q.min[a] > o.max[a] {
			return true
		}
	}
	return false
}

// impact returns the first time in [0, 1] at which each bound of one object touches each bound of the
// other. The box stands for an object without a bound.
func (o *mover) impact(q *mover) (t float64, ok bool) {
	w := exact.Always
	switch {
	case !o.turned && !q.turned && o.round && q.round:
		ok = o.balls(q, &w, false)
	case !o.turned && !q.turned && !o.round && !q.round:
		return o.step.impact(&q.step)
	case !o.round && !q.round:
		ok = o.solids(q, &w)
	default:
		several := o.round && o.turned || q.round && q.turned
		ok = (!o.round || !q.round || o.balls(q, &w, several)) && o.ballBox(q, &w, several) && q.ballBox(o, &w, several) &&
			((!o.turned || q.round && !q.turned) && (!q.turned || o.round && !o.turned) || o.solids(q, &w))
	}
	return w.Enter, ok
}

// balls narrows w to the time in which two spheres overlap.
func (o *mover) balls(q *mover, w *exact.Window, several bool) bool {
	a, b := &o.sphere, &q.sphere
	way := [3]float64{gap(b[0], a[0]), gap(b[1], a[1]), gap(b[2], a[2])}
	return w.Balls(&way, &o.move, &q.move, float64(a[3])+float64(b[3]), several)
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
		f.Set(&q.oriented)
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
		o.solid.SetOriented(&o.oriented, &o.move)
	default:
		o.solid.SetBox(&o.step.From, &o.step.To)
	}
	o.ready = true
}
