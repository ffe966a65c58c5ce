package collide

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Kinds of bounds.
const (
	boxed  = 0 // none: the box stands for the object
	round  = 1 // a sphere
	turned = 2 // an oriented box
	double = round | turned
)

// bounds is an object with its bounds at the start of a step, and its motion.
type bounds struct {
	kind     uint8
	shaped   bool // the shape in the cast is set
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
	shapes [castRoom]exact.Moving // the oriented box, or else the box, once needed
	table  [2 * castRoom]uint8    // the index of an object, by its location, or of another one
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
		var isRound, isTurned bool
		b.sphere, isRound = p.Sphere(at.Slot(), at.Lane())
		if len(p.OrientedBoxes) > 0 {
			b.oriented = p.OrientedBoxes[at.Slot()][at.Lane()]
			isTurned = b.oriented.Center[0] <= math.MaxFloat32
		}
		b.kind = bit(isRound)*round | bit(isTurned)*turned
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

// bit returns 1 for true.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
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
	c.n, a.n, b.n = 0, 0, 0
	flush := func() {
		a.read(stepsX, x)
		if a != b {
			b.read(stepsY, y)
		}
		dst = c.append(dst, w, b)
		c.n, a.n, b.n = 0, 0, 0
	}
	for w.next() {
		for _, h := range w.walk.Hits {
			first := a.add(x, h.A.Slot(), h.A.Lane())
			for m := h.Mask; m != 0; m &= m - 1 {
				c.pairs[c.n] = [2]uint8{first, b.add(y, h.B, bits.TrailingZeros32(m)&(soa.Lanes-1))}
				c.n++
			}
			if max(c.n, a.n, b.n) >= castRoom-soa.Lanes {
				flush()
			}
		}
	}
	flush()
	return dst
}

// append appends the impacts of the pairs, whose second objects are in a cast.
func (c *candidates) append(dst []Impact, w *search, second *cast) []Impact {
	n := 0
	for _, p := range c.pairs[:c.n] { // without branches, which would be mispredicted
		c.pairs[n] = p
		n += c.first.bounds[p[0]].meets(&second.bounds[p[1]])
	}
	var a, b mover
	for _, p := range c.pairs[:n] {
		o, q := &c.first.bounds[p[0]], &second.bounds[p[1]]
		verdict := exact.Unsure
		switch o.kind | q.kind<<2 {
		case boxed | turned<<2, turned | boxed<<2, turned | turned<<2:
			verdict = c.first.shape(p[0]).Judge(second.shape(p[1]))
		case round | boxed<<2, round | turned<<2:
			verdict = second.shape(p[1]).JudgeBall(&o.sphere, &o.move)
		case boxed | round<<2, turned | round<<2:
			verdict = c.first.shape(p[0]).JudgeBall(&q.sphere, &q.move)
		}
		if verdict == exact.Apart {
			continue
		}
		t := 0.0
		if verdict == exact.Unsure {
			if o != a.bounds {
				a.bounds, a.ready, a.sized = o, false, false
			}
			b.bounds, b.ready, b.sized = q, false, false
			var ok bool
			if t, ok = a.impact(&b); !ok {
				continue
			}
		}
		pair := w.pair(c.first.ids[p[0]], second.ids[p[1]])
		dst = append(dst, Impact{pair.A, pair.B, float32(t)})
	}
	return dst
}

// shape returns the shape of an object.
func (c *cast) shape(i uint8) *exact.Moving {
	m := &c.shapes[i]
	if o := &c.bounds[i]; !o.shaped {
		if o.shaped = true; o.kind == turned {
			m.SetOriented(&o.oriented, &o.move)
		} else {
			m.SetBox(&o.step.From, &o.step.To, &o.move)
		}
	}
	return m
}

// surround sets the motion, and the box around the bounds during the step.
func (o *bounds) surround() {
	o.shaped = false
	from, to, t := &o.step.From, &o.step.To, &o.oriented
	for a := range 3 { // bounds move as the middle of the box
		o.move[a] = (gap(to.Min[a], from.Min[a]) + gap(to.Max[a], from.Max[a])) / 2
	}
	switch {
	case o.kind&turned != 0:
		for a := range 3 {
			o.extend(a, float64(t.Center[a]), math.Abs(float64(t.Axes[0][a]))+math.Abs(float64(t.Axes[1][a]))+math.Abs(float64(t.Axes[2][a])))
		}
	case o.kind&round != 0:
		for a := range 3 {
			o.extend(a, float64(o.sphere[a]), float64(o.sphere[3]))
		}
	default:
		for a := range 3 {
			o.min[a], o.max[a] = float64(min(from.Min[a], to.Min[a])), float64(max(from.Max[a], to.Max[a]))+0 // not -0, see meets
		}
	}
}

// extend sets the bounds on an axis of the box around bounds with that centre and radius at the start.
func (o *bounds) extend(a int, c, r float64) {
	m := o.move[a] / 2
	c += m
	r += math.Abs(m)
	r += float64((math.Abs(c) + r) * 0x1p-49) // exceeds the rounding errors
	o.min[a], o.max[a] = c-r, c+r
}

// meets returns 1 if the boxes around the bounds during the step touch, else 0. A difference of 0 is +0, as no
// maximum is -0.
func (o *bounds) meets(q *bounds) int {
	gaps := math.Float64bits(q.max[0]-o.min[0]) | math.Float64bits(o.max[0]-q.min[0]) |
		math.Float64bits(q.max[1]-o.min[1]) | math.Float64bits(o.max[1]-q.min[1]) |
		math.Float64bits(q.max[2]-o.min[2]) | math.Float64bits(o.max[2]-q.min[2])
	return int(gaps>>63 ^ 1)
}

// impact returns the first time in [0, 1] at which each bound of one object touches each bound of the
// other. The box stands for an object without a bound.
func (o *mover) impact(q *mover) (t float64, ok bool) {
	w := exact.Always
	switch {
	case o.kind == round && q.kind == round:
		ok = o.balls(q, &w, false)
	case o.kind|q.kind == boxed:
		return o.step.impact(&q.step)
	case (o.kind|q.kind)&round == 0:
		ok = o.solids(q, &w)
	default:
		several := o.kind == double || q.kind == double
		ok = (o.kind&q.kind&round == 0 || o.balls(q, &w, several)) && o.ballBox(q, &w, several) && q.ballBox(o, &w, several) &&
			((o.kind&turned == 0 || q.kind == round) && (q.kind&turned == 0 || o.kind == round) || o.solids(q, &w))
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
	if o.kind&round == 0 || q.kind == round {
		return true
	}
	var g [3]exact.Gap
	most := 0.0
	if q.kind&turned == 0 {
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
	case o.kind&turned != 0:
		o.solid.SetOriented(&o.oriented, &o.move)
	default:
		o.solid.SetBox(&o.step.From, &o.step.To)
	}
	o.ready = true
}
