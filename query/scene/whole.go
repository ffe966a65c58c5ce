package scene

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// An instance whose box lies fully inside the volume is taken with all its contents: neither its
// transform nor its part is read. Outgrown boxes of instances are not used for this.

// wholly marks a box that is surely inside the volume.
const wholly = cull.AllSides

// insideTest finds the boxes of instances that are surely inside a volume.
type insideTest struct {
	form   *walk.Volume
	store  *soa.Store // store of the instances
	way    insideWay
	box    cull.Box // of a box query, rounded inward
	planes [cull.MaxPlanes][4]float32
	volume cull.Volume // of the test of planes
	tested []asm.Range // packets of a range that have boxes inside planes
	found  []asm.Range // the rest of them
	bounds space.Extent
}

// insideWay is a kind of test.
type insideWay uint8

const (
	insideNone   insideWay = iota // no box is known to be inside
	insideAll                     // every box is inside
	insideBox                     // by the sides of a box
	insideBall                    // by space.Classify
	insidePlanes                  // by the kernels
)

// set prepares the test for a volume and the instances of a level. No box is inside an oriented box,
// because its planes are not its whole boundary, nor a volume with a tester, which is called for the part instead,
// nor one with a minimum size.
func (f *insideTest) set(v *walk.Volume, instances linear.View) {
	f.form, f.store, f.way = v, instances.Store(), insidePlanes
	switch {
	case v.Kind == walk.KindBox:
		f.way = insideBox
		for a := range 3 {
			f.box[2*a], f.box[2*a+1] = above(v.Min[a]), -above(-v.Max[a])
		}
		return
	case v.Kind == walk.KindBall:
		f.way = insideBall
		return
	case v.Kind == walk.KindOriented || v.Kind == walk.KindFunc || v.Kind == walk.KindFrustum && v.Least > 0:
		f.way = insideNone
		return
	}
	switch n, ok := v.Bounding(&f.planes); {
	case !ok:
		f.way = insideNone
	case n == 0:
		f.way = insideAll
	default:
		f.volume.Shape = cull.ShapeConvex
		f.volume.Convex.SetWithin(f.planes[:n], f.store.Near, f.store.Extent)
	}
}

// above returns the smallest float32 that is at least x, which most often is one.
func above(x float64) float32 {
	if f := float32(x); float64(f) == x {
		return f
	}
	return soa.Above(x, 0)
}

// inBall returns wholly if the box in a lane is inside the ball.
func (f *insideTest) inBall(b *soa.Packet, lane int) uint32 {
	f.bounds.Set(&soa.AABB{
		Min: [3]float32{b[0][lane], b[2][lane], b[4][lane]},
		Max: [3]float32{b[1][lane], b[3][lane], b[5][lane]},
	})
	if space.Classify(f.form, &f.bounds) == exact.Inside {
		return wholly
	}
	return 0
}

// scan tests the boxes in a range of packets against planes.
func (f *insideTest) scan(first, n uint32) {
	if f.way == insidePlanes {
		f.tested = f.volume.Scan(f.tested[:0], f.store.Packets.Bounds, int(first), int(n))
		f.found = f.tested
	}
}

// list appends the instances in lanes of a packet that the volume intersects, after scan.
func (f *insideTest) list(hits []cull.Sided, slot uint32, m uint16) []cull.Sided {
	ids, b := &f.store.Packets.IDs[slot], &f.store.Packets.Bounds[slot]
	inside := uint32(0)
	switch f.way {
	case insideBox:
		return f.box.AppendSides(hits, b, ids, m)
	case insideAll:
		inside = uint32(m)
	case insideBall:
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros16(rest) & (soa.Lanes - 1)
			inside |= f.inBall(b, lane) & 1 << lane
		}
	case insidePlanes:
		if len(f.found) > 0 && f.found[0].First == slot {
			inside, f.found = f.found[0].N, f.found[1:]
		}
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros16(m) & (soa.Lanes - 1)
		hits = append(hits, cull.Sided{ID: ids[lane], Sides: -(inside >> lane & 1)}) // wholly, or 0
	}
	return hits
}

// listInstances appends the instances of a range to the list of the current level.
func (w *volumeWalk) listInstances(r query.Range) bool {
	l, f := &w.levels[w.at], &w.insideTest
	s := f.store
	f.scan(r.First, r.Count)
	for slot := r.First; slot < r.First+r.Count; slot++ {
		from := len(l.hits)
		if l.hits = f.list(l.hits, slot, lanes(s, slot, r.Mask)); from < fetchAhead {
			l.fetch(l.hits[from:min(len(l.hits), fetchAhead)])
		}
	}
	return true
}

// takeInstance takes the whole contents of an instance of a level.
func (w *volumeWalk) takeInstance(depth int, id uint32) bool {
	if w.repeatParts(depth, []cull.Sided{{ID: id, Sides: wholly}}) > 0 {
		return true
	}
	outer, l := &w.levels[depth], &w.levels[depth+1]
	l.view, l.part, l.transform = instanceOf(outer.view, id)
	l.id, l.row, l.form, l.ballLevel = id, noInstance, outer.form, outer.ballLevel
	return w.takePart(depth + 1)
}

// repeatParts takes the whole contents of the first instances of a list that are inside the volume and whose parts the
// walk has taken before, without instances, and returns their number.
func (w *volumeWalk) repeatParts(depth int, hits []cull.Sided) (done int) {
	outer, a := &w.levels[depth], w.answer
	for ; done < len(hits) && hits[done].Sides == wholly; done++ {
		_, part, transform := instanceOf(outer.view, hits[done].ID)
		if uint64(part) >= uint64(len(w.copies)) || w.copies[part].walk != w.number || !w.copies[part].alone {
			break
		}
		c := &w.copies[part]
		from, n := len(a.IDs), c.to-c.from
		if n == 0 {
			continue
		}
		a.IDs = append(a.IDs, a.IDs[c.from:c.to]...)
		c.from, c.to = from, from+n
		a.Runs = append(a.Runs, Run{a.add(instance{w.row(depth), hits[done].ID, part, transform}), from + n})
	}
	return done
}

// copied is the location of the objects of a part in the answer, if a walk has taken all of them.
type copied struct {
	walk     uint64 // number of that walk
	from, to int
	alone    bool // the part has no instances
}

// takePart takes the whole contents of a part, at any depth.
func (w *volumeWalk) takePart(depth int) bool {
	l := &w.levels[depth]
	switch {
	case !w.every || w.ask > askCount && w.ask != askExplain:
		l.treeQuery = everything
		if v := l.view.Objects(); v.Len() > 0 && !w.queryTree(depth, everything, v) {
			return false
		}
	case w.ask == askCount:
		w.add(l.view.Total())
		return true
	case w.ask == askExplain:
		if l.view.Objects().Len() > 0 {
			w.counters.Ranges++
		}
	default:
		w.copy(depth)
	}
	instances := l.view.Instances()
	if instances.Len() == 0 {
		return true
	}
	l.ids = everything.Begin(instances.Store()).Append(l.ids[:0], &w.gate)
	for _, id := range l.ids {
		w.counters.Instances++
		if !w.takeInstance(depth, id) {
			return false
		}
	}
	return true
}

// copy adds all objects of a part to the answer, as a copy of earlier results of the walk if
// there are any.
func (w *volumeWalk) copy(depth int) {
	l := &w.levels[depth]
	for uint64(len(w.copies)) <= uint64(l.part) {
		w.copies = append(w.copies, copied{})
	}
	c, from := &w.copies[l.part], len(w.answer.IDs)
	if c.walk == w.number {
		w.answer.IDs = append(w.answer.IDs, w.answer.IDs[c.from:c.to]...)
	} else if v := l.view.Objects(); v.Len() > 0 {
		w.answer.IDs = w.emit(v)
	}
	w.end(depth, uint64(from))
	*c = copied{w.number, from, len(w.answer.IDs), l.view.Instances().Len() == 0}
}

// emit adds all objects of a part to the answer, in the order in which a query returns fully
// contained nodes.
func (w *volumeWalk) emit(v linear.View) []uint32 {
	s := v.Store()
	r, ok := allOf(s)
	if !ok {
		return everything.Begin(s).Append(w.answer.IDs, &walk.Everything)
	}
	w.ranges = append(w.ranges[:0], r)
	return cull.EmitIDs(w.answer.IDs, s.Packets.IDs, s.Packets.Counts, w.ranges)
}
