package scene

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/space"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// An instance whose box lies fully inside the volume is taken with all its contents: neither its
// transform nor its part is read. Planes that contain the whole box are not transformed into the
// part. Outgrown boxes of instances are not used for this.

// instanceHit is an instance whose box intersects a volume.
type instanceHit struct {
	id    uint32
	clear uint32 // planes that surely contain the whole box; or wholly
}

// nearPlane is the bit of the near plane of a frustum.
const nearPlane = 1 << 4

// wholly marks a box that is surely inside the volume.
const wholly = math.MaxUint32

// insideTest finds the boxes of instances that are surely inside a volume.
type insideTest struct {
	form   *walk.Volume
	store  *soa.Store // store of the instances
	planes []facet
	room   [cull.MaxPlanes]facet
	bounds space.Extent
}

// facet is a plane in float64, lowered by the rounding error, and for each axis the column of a
// packet with the corner farthest outside.
type facet struct {
	x, y, z, d float64
	at         [3]uint8
}

// set prepares the test for a volume and the instances of a level.
//
// The sum of three products and d is off by at most 2^-51 of their magnitudes, over all
// coordinates in the bounds of the instances.
func (f *insideTest) set(v *walk.Volume, instances linear.View) {
	f.form, f.store, f.planes = v, instances.Store(), f.room[:0]
	if v.Kind == walk.KindBox || v.Kind == walk.KindBall {
		return
	}
	all := instances.Bounds()
	for i := range v.N {
		p := &v.Planes[i]
		to, size := facet{x: p[0], y: p[1], z: p[2]}, math.Abs(p[3])
		for a := range 3 {
			size += float64(math.Abs(p[a]) * float64(max(-all.Min[a], all.Max[a])))
			to.at[a] = uint8(2 * a)
			if p[a] < 0 {
				to.at[a]++
			}
		}
		if size != 0 { // otherwise there is no plane
			to.d = p[3] - (float64(size*0x1p-48) + 0x1p-1000)
		}
		f.planes = append(f.planes, to)
	}
}

// clear returns the planes that surely contain the whole box of a lane, or wholly. Non-finite
// numbers clear no plane. Neither do planes around an oriented box, because they are not its
// whole boundary, and a volume with a tester, which is called for the part instead.
func (f *insideTest) clear(b *soa.Packet, lane int) (planes uint32) {
	switch f.form.Kind {
	case walk.KindBox, walk.KindBall:
		f.bounds.Set(&soa.AABB{
			Min: [3]float32{b[0][lane], b[2][lane], b[4][lane]},
			Max: [3]float32{b[1][lane], b[3][lane], b[5][lane]},
		})
		if space.Classify(f.form, &f.bounds) == exact.Inside {
			return wholly
		}
		return 0
	case walk.KindOriented, walk.KindFunc:
		return 0
	}
	var c [8]float64
	for k := range b {
		c[k] = float64(b[k][lane])
	}
	left := 0
	for i := range f.planes {
		p := &f.planes[i]
		x, y, z := c[p.at[0]&7], c[p.at[1]&7], c[p.at[2]&7]
		if float64(p.x*x)+float64(p.y*y)+float64(p.z*z)+p.d >= 0 {
			planes |= 1 << i
		} else {
			left++
		}
	}
	switch {
	case f.form.Kind == walk.KindFrustum && f.form.Least > 0 && !f.form.Precise:
		return planes &^ nearPlane // the near plane also decides which objects may be small
	case left == 0 && !(f.form.Kind == walk.KindFrustum && f.form.Least > 0):
		return wholly
	case f.form.Kind == walk.KindFrustum && f.form.Precise: // its corners count
		return 0
	}
	return planes
}

// listInstances appends the instances of a range to the list of the current level.
func (w *volumeWalk) listInstances(r query.Range) bool {
	l, s := &w.levels[w.at], w.insideTest.store
	for slot := r.First; slot < r.First+r.Count; slot++ {
		b, ids := &s.Packets.Bounds[slot], &s.Packets.IDs[slot]
		for m := lanes(s, slot, r.Mask); m != 0; m &= m - 1 {
			lane := bits.TrailingZeros16(m) & (soa.Lanes - 1)
			l.hits = append(l.hits, instanceHit{ids[lane], w.insideTest.clear(b, lane)})
		}
	}
	return true
}

// takeInstance takes the whole contents of an instance of a level.
func (w *volumeWalk) takeInstance(depth int, id uint32) bool {
	outer, l := &w.levels[depth], &w.levels[depth+1]
	view, part, transform := instanceOf(outer.view, id)
	if uint64(part) < uint64(len(w.copies)) && w.copies[part].walk == w.number && w.copies[part].alone {
		w.repeatPart(depth, id, part, transform)
		return true
	}
	l.view, l.part, l.transform = view, part, transform
	l.id, l.row, l.form, l.ballLevel = id, noInstance, outer.form, outer.ballLevel
	return w.takePart(depth + 1)
}

// repeatPart adds the objects of a part without instances to the answer once more.
func (w *volumeWalk) repeatPart(depth int, id, part uint32, transform *xform.Transform) {
	c, a := &w.copies[part], w.answer
	from := len(a.IDs)
	if c.from == c.to {
		return
	}
	a.IDs = append(a.IDs, a.IDs[c.from:c.to]...)
	c.from, c.to = from, len(a.IDs)
	a.end(a.add(instance{w.row(depth), id, part, transform}), from)
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
