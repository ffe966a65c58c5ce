package collide

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/asm/pair"
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

// mover is an object with its bounds at the start of a step, and its motion.
type mover struct {
	kind     uint8
	step     Step
	sphere   [4]float32
	oriented soa.OrientedBox
	move     [3]float64 // of the bounds

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
	pairs         [castRoom]pair.MovingPair
}

// cast is a set of objects.
type cast struct {
	n      int
	lanes  [castRoom]soa.Location
	shapes [castRoom]pair.Moving
	table  [2 * castRoom]uint8 // the index of an object, by its location, or of another one
}

// add adds the object in a lane, unless it is in the set, and returns its index.
func (c *cast) add(slot uint32, lane int) uint16 {
	at := soa.MakeLocation(slot, lane)
	entry := &c.table[at%(2*castRoom)]
	if i := *entry; int(i) < c.n && c.lanes[i] == at {
		return uint16(i)
	}
	i := c.n
	*entry, c.lanes[i] = uint8(i), at
	c.n++
	return uint16(i)
}

// read reads the shapes of the objects.
func (c *cast) read(steps *soa.Column[Step], p *soa.PacketColumns) {
	var values []Step
	if steps != nil {
		values = steps.Values()
	}
	boxes := unsafe.Slice((*[2]soa.AABB)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	pair.ReadMoving(c.shapes[:], c.lanes[:c.n], boxes, p)
}

// A step is two boxes.
var _ [0]struct{} = [unsafe.Sizeof(Step{}) - unsafe.Sizeof([2]soa.AABB{})]struct{}{}

// read reads an object of a cast.
func (o *mover) read(c *cast, i uint16, steps *soa.Column[Step], p *soa.PacketColumns) {
	slot, lane := c.lanes[i].Slot(), c.lanes[i].Lane()
	var isRound, isTurned bool
	o.sphere, isRound = p.Sphere(slot, lane)
	o.oriented, isTurned = p.Oriented(slot, lane)
	o.kind = bit(isRound)*round | bit(isTurned)*turned
	o.step = stepOf(steps, p, slot, lane)
	move := &c.shapes[i].Move
	o.move = [3]float64{move[0], move[1], move[2]}
	o.ready, o.sized = false, false
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
	if w.candidates == nil {
		w.candidates = new(candidates)
	}
	c := w.candidates
	a, b := &c.first, &c.second
	if w.x == w.y && stepsX == stepsY {
		b = a
	}
	c.n, a.n, b.n = 0, 0, 0
	for w.next() {
		for _, h := range w.walk.Hits {
			first := a.add(h.A.Slot(), h.A.Lane())
			for m := h.Mask; m != 0; m &= m - 1 {
				c.pairs[c.n] = pair.MovingPair{X: first, Y: b.add(h.B, bits.TrailingZeros32(m)&(soa.Lanes-1))}
				c.n++
			}
			if max(c.n, a.n, b.n) >= castRoom-soa.Lanes {
				dst = w.appendCandidates(dst, b, stepsX, stepsY)
			}
		}
	}
	return w.appendCandidates(dst, b, stepsX, stepsY)
}

// appendCandidates appends the impacts of the candidates, whose second objects are in a cast, and removes them.
func (w *search) appendCandidates(dst []Impact, second *cast, stepsX, stepsY *soa.Column[Step]) []Impact {
	c, x, y := w.candidates, &w.x.Packets, &w.y.Packets
	first := &c.first
	first.read(stepsX, x)
	if first != second {
		second.read(stepsY, y)
	}
	pairs := c.pairs[:c.n]
	pairs = pairs[:pair.KeepMeeting(pairs, first.shapes[:], second.shapes[:])]
	pair.Judge(pairs, first.shapes[:], second.shapes[:])
	var a, b mover
	current := -1
	for _, p := range pairs {
		if p.Verdict == pair.Apart {
			continue
		}
		t := 0.0
		if p.Verdict == pair.Unsure {
			if current != int(p.X) {
				current = int(p.X)
				a.read(first, p.X, stepsX, x)
			}
			b.read(second, p.Y, stepsY, y)
			var ok bool
			if t, ok = a.impact(&b); !ok {
				continue
			}
		}
		at, to := first.lanes[p.X], second.lanes[p.Y]
		ids := w.pair(x.IDs[at.Slot()][at.Lane()], y.IDs[to.Slot()][to.Lane()])
		dst = append(dst, Impact{ids.A, ids.B, float32(t)})
	}
	c.n, first.n, second.n = 0, 0, 0
	return dst
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
