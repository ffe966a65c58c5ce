package octree

import (
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Deferred holds moves that will be made together, in the order of the calls: an object that moves twice gets the
// last body.
type Deferred struct {
	To       Bodies
	ids      [3][]uint32 // of the objects that get boxes, spheres, oriented boxes
	runs     []moveRun   // the moves in the order of the calls
	whole    []uint32    // scratch: all IDs, in the order of the bodies
	straight int         // number of first moves that are of the objects 0, 1, 2, …
	loose    int         // single moves to boxes that may be outside the fast bounds

	// Of batches, which may be bulk motion together.
	batched int   // moves
	wide    bool  // some boxes may be outside the fast bounds:
	around  Moves // the boxes of these batches
}

// moveRun is a run of moves to bodies of one kind.
type moveRun struct {
	kind, n int
	batch   bool // of batches, not of single moves
}

// Len returns the number of moves, 0 for nil.
func (d *Deferred) Len() int {
	if d == nil {
		return 0
	}
	return d.To.Len()
}

// Bytes returns the memory of the lists in bytes, 0 for nil.
func (d *Deferred) Bytes() int {
	if d == nil {
		return 0
	}
	return d.To.Bytes() + mem.Bytes(d.ids[0]) + mem.Bytes(d.ids[1]) + mem.Bytes(d.ids[2]) + mem.Bytes(d.runs) + mem.Bytes(d.whole)
}

// Reset empties the lists, and keeps their memory.
func (d *Deferred) Reset() {
	d.To.Reset()
	for kind := range d.ids {
		d.ids[kind] = d.ids[kind][:0]
	}
	d.runs, d.straight, d.loose, d.batched, d.wide = d.runs[:0], 0, 0, 0, false
}

// HasBatch reports whether there are moves of batches.
func (d *Deferred) HasBatch() bool { return d.batched > 0 }

// add adds n moves to bodies of one kind.
func (d *Deferred) add(kind, n int, batch bool) {
	if k := len(d.runs) - 1; k >= 0 && d.runs[k].kind == kind && d.runs[k].batch == batch {
		d.runs[k].n += n
	} else if n > 0 {
		d.runs = append(d.runs, moveRun{kind, n, batch})
	}
}

// AddBox adds a move to a box, which is known if it is inside the fast bounds.
func (d *Deferred) AddBox(id uint32, box *soa.AABB, known bool) {
	if !known {
		d.loose++
	}
	d.ids[0] = append(d.ids[0], id) // two statements: without growth each stores no pointer
	d.To.Boxes = append(d.To.Boxes, soa.AABB{})
	to := &d.To.Boxes[len(d.To.Boxes)-1]
	to.Min[0], to.Min[1], to.Min[2] = box.Min[0], box.Min[1], box.Min[2] // number by number: the caller has just written
	to.Max[0], to.Max[1], to.Max[2] = box.Max[0], box.Max[1], box.Max[2] // the box in other pieces, on which loads wait
	d.add(0, 1, false)
}

// AddSphere adds a move to a sphere.
func (d *Deferred) AddSphere(id uint32, sphere *[4]float32) {
	d.ids[1], d.To.Spheres = append(d.ids[1], id), append(d.To.Spheres, *sphere)
	d.loose++
	d.add(1, 1, false)
}

// AddOriented adds a move to an oriented box.
func (d *Deferred) AddOriented(id uint32, box *soa.OrientedBox) {
	d.ids[2], d.To.Oriented = append(d.ids[2], id), append(d.To.Oriented, *box)
	d.loose++
	d.add(2, 1, false)
}

// fewBoxes is the number of boxes up to which it is faster to compare each with the fast bounds than to survey them.
const fewBoxes = 40

// Follow reports whether the moves of d, and then those of a batch, are of the objects 0, 1, 2, … in this order, and
// all of these are live.
func (d *Deferred) Follow(t *Tree, ids []uint32) bool {
	n := d.Len()
	return d != nil && d.straight == n && n+len(ids) <= t.IDs.Len() && t.IDs.Cap() == t.IDs.Len() && areFrom(uint32(n), ids)
}

// AddBatch adds the moves of a batch of live objects. It returns their description, or the index of the first invalid
// body; then it adds nothing. follows is the result of Follow.
func (d *Deferred) AddBatch(t *Tree, ids []uint32, to *Bodies, follows bool) (m Moves, bad int) {
	n, k := len(to.Boxes), len(to.Boxes)+len(to.Spheres)
	switch {
	case n < len(ids):
		m, bad = d.addBodies(t, to)
	case n <= fewBoxes:
		m, bad = d.addFew(t, to.Boxes)
	default:
		m, bad = d.addBoxes(t, to.Boxes)
	}
	if bad >= 0 {
		return m, bad
	}
	if follows {
		d.straight += len(ids)
	}
	d.ids[0] = append(d.ids[0], ids[:n]...)
	d.add(0, n, true)
	if n < len(ids) {
		d.ids[1], d.ids[2] = append(d.ids[1], ids[n:k]...), append(d.ids[2], ids[k:]...)
		d.add(1, k-n, true)
		d.add(2, len(ids)-k, true)
	}
	d.batched += len(ids)
	return m, -1
}

// addBodies adds valid bodies to the list, and returns their description, or the index of the first invalid one.
func (d *Deferred) addBodies(t *Tree, to *Bodies) (m Moves, bad int) {
	d.To.Boxes, d.To.Spheres, d.To.Oriented = reserve(d.To.Boxes, len(to.Boxes)), reserve(d.To.Spheres, len(to.Spheres)), reserve(d.To.Oriented, len(to.Oriented))
	old := d.To
	centres, union, bad := t.surveyBodies(to, surveyStride, func(i, end int) { // copies while the bodies are in the cache
		part := to.part(i, end)
		d.To.Boxes = append(d.To.Boxes, part.Boxes...)
		d.To.Spheres = append(d.To.Spheres, part.Spheres...)
		d.To.Oriented = append(d.To.Oriented, part.Oriented...)
	})
	if bad >= 0 {
		d.To = old
		return m, bad
	}
	m = Moves{Centres: BoxOf(centres), union: BoxOf(union)}
	d.widen(&m)
	return m, -1
}

// addBoxes is addBodies for boxes, with less work for a call.
func (d *Deferred) addBoxes(t *Tree, boxes []soa.AABB) (m Moves, bad int) {
	list := reserve(d.To.Boxes, len(boxes))
	m = noMoves
	for i := 0; i < len(boxes); i += surveyStride {
		part := boxes[i:min(i+surveyStride, len(boxes))]
		centres, union, bad := build.Survey(soa.BoxWords(part), 6, len(part))
		if bad >= 0 {
			return m, i + bad
		}
		list = append(list, part...)
		m = Moves{m.Centres.Union(BoxOf(centres)), m.union.Union(BoxOf(union))}
	}
	d.To.Boxes = list
	if t.FastBounds.holdAll(&m) {
		return noMoves, -1
	}
	d.widen(&m)
	return m, -1
}

// addFew is addBoxes for so few boxes that each is compared with the fast bounds. Only those outside them count. Most
// batches have none: a loop of its own finds the first, which saves 4 % of a frame with one to ten moves.
func (d *Deferred) addFew(t *Tree, boxes []soa.AABB) (m Moves, bad int) {
	fast := &t.FastBounds
	first := 0
	for first < len(boxes) && fast.Contains(&boxes[first]) {
		first++
	}
	m = noMoves
	if first < len(boxes) {
		for i := first; i < len(boxes); i++ {
			box := &boxes[i]
			if i > first && fast.Contains(box) {
				continue
			}
			if box.Check() != nil {
				return m, i
			}
			m.add(box)
		}
		d.widen(&m)
	}
	d.To.Boxes = append(d.To.Boxes, boxes...)
	return m, -1
}

// add adds a valid box, with zeros that are +0 as those of a survey. The built-in functions take longer, to order NaNs.
func (m *Moves) add(box *soa.AABB) {
	for a := range 3 {
		lo, hi := box.Min[a]+0, box.Max[a]+0
		c := float32(lo*0.5) + float32(hi*0.5) + 0 // as AABB.Center
		if lo < m.union.Min[a] {
			m.union.Min[a] = lo
		}
		if hi > m.union.Max[a] {
			m.union.Max[a] = hi
		}
		if c < m.Centres.Min[a] {
			m.Centres.Min[a] = c
		}
		if c > m.Centres.Max[a] {
			m.Centres.Max[a] = c
		}
	}
}

// widen adds the description of moves that may be outside the fast bounds.
func (d *Deferred) widen(m *Moves) {
	if !d.wide {
		d.wide, d.around = true, *m
	} else {
		d.around = Moves{d.around.Centres.Union(m.Centres), d.around.union.Union(m.union)}
	}
}

// reserve returns a list with room for n more elements, on huge pages if it is long: the moves read it in any order.
func reserve[T any](list []T, n int) []T { return mem.Resize(list, len(list)+n)[:len(list)] }

// all returns the IDs in the order of the bodies, valid until the next call.
func (d *Deferred) all() []uint32 {
	if len(d.ids[0]) == d.Len() {
		return d.ids[0]
	}
	d.whole = append(append(append(d.whole[:0], d.ids[0]...), d.ids[1]...), d.ids[2]...)
	return d.whole
}

// each calls f with each run, the IDs of its objects, and the index of the first in the order of the bodies.
func (d *Deferred) each(f func(r moveRun, ids []uint32, first int)) {
	var at [3]int
	first := [3]int{0, len(d.ids[0]), len(d.ids[0]) + len(d.ids[1])}
	for _, r := range d.runs {
		k := r.kind
		f(r, d.ids[k][at[k]:at[k]+r.n], first[k]+at[k])
		at[k] += r.n
	}
}

// countOutside counts the boxes of batches whose centres are outside the world.
func (d *Deferred) countOutside(t *Tree) {
	lo, hi := t.World.Bounds()
	d.each(func(r moveRun, _ []uint32, first int) {
		for i, last := first, first+r.n; r.batch && i < last; {
			end := min(d.To.End(i, NextStride), last)
			boxes := t.NextBoxes(&d.To, i, end)
			for j := range boxes {
				if !insideHalfOpen(&lo, &hi, boxes[j].Center()) {
					t.Outside++
				}
			}
			i = end
		}
	})
}

// jumpOneIn is the share of objects, one in so many, from which a rebuild costs less than to take displaced objects out
// and to insert them one by one (go test ./linear -run '^$' -bench Jump).
const jumpOneIn = 12

// jump decides by so many moves, or by the first of these if none of them makes its object displaced.
const jumpSamples, firstSamples = 64, 16

// jump reports whether so many objects become displaced that the tree is rebuilt, by a sample. Boxes are then written
// in place before: it takes longer to list objects, and to make those pending that move far.
func (d *Deferred) jump(t *Tree) bool {
	n, most := d.Len(), t.IDs.Len()/jumpOneIn
	if t.Config.Policy != PolicyAuto || t.Config.TickBudget > 0 || n <= max(most, jumpSamples) {
		return false
	}
	ids, leave := d.all(), 0
	for k := range jumpSamples {
		i := (k%firstSamples*(jumpSamples/firstSamples) + k/firstSamples) * n / jumpSamples
		if slot, _ := t.Locate(ids[i]); t.leaves(slot, &t.NextBoxes(&d.To, i, i+1)[0]) {
			leave++
		}
		if k == firstSamples-1 && leave == 0 {
			return false
		}
	}
	return leave*n > most*jumpSamples
}

// isWhole reports whether the moves name every object of a tree once, in the order of the bodies: see IsWhole.
func (d *Deferred) isWhole(t *Tree) bool {
	n := d.Len()
	if n != t.IDs.Cap() || n != t.IDs.Len() {
		return false
	}
	if d.straight == n && slices.IsSortedFunc(d.runs, func(a, b moveRun) int { return a.kind - b.kind }) {
		return true
	}
	next := uint32(0)
	for _, ids := range d.ids {
		if !areFrom(next, ids) {
			return false
		}
		next += uint32(len(ids))
	}
	return true
}

// areFrom reports whether IDs are consecutive numbers from first on.
func areFrom(first uint32, ids []uint32) bool {
	for ; len(ids) >= 4; ids, first = ids[4:], first+4 {
		if (ids[0]^first)|(ids[1]^(first+1))|(ids[2]^(first+2))|(ids[3]^(first+3)) != 0 {
			return false
		}
	}
	for i, id := range ids {
		if id != first+uint32(i) {
			return false
		}
	}
	return true
}
