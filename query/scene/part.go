package scene

import (
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// simple reports whether the kernels alone suffice, by the form: no bound of an object, no second
// test, no tester, no least size, no ball of the caller, which the form slightly enlarges.
func (w *volumeWalk) simple(l *level) bool {
	return !w.filter.Exact && !(l.form.Kind == walk.KindBall && l.treeQuery != nil) && l.form.Kind < walk.KindOriented && !(l.form.Kind == walk.KindFrustum && l.form.Precise) && !l.sized()
}

// firstSlots are the slots of a part that is scanned.
var firstSlots = [walk.ScanSlots]uint32{0, 1, 2, 3, 4, 5, 6, 7}

// isSmall reports whether a part has few slots, which a query scans, or one node with few packets, most of
// which it may have to test.
func isSmall(s *soa.Store) bool {
	n := len(s.Packets.Counts)
	return n <= walk.ScanSlots || len(s.Nodes.Hot) == 1 && len(s.Pending) == 0 && int(s.Nodes.Used[0]) <= walk.MostPackets(s)
}

// prepare sets the volume of the kernels for a part.
func (l *level) prepare(v *cull.Volume, s *soa.Store) {
	switch l.form.Kind {
	case walk.KindFrustum:
		v.Shape = cull.ShapeFrustum
		v.Planes.Set((*[6][4]float32)(l.form.Scaled()), &s.Near, &s.Extent)
	case walk.KindBox:
		v.Shape = cull.ShapeBox
		least, most := l.form.Outward()
		v.Box.Set(&least, &most)
	case walk.KindBall:
		v.Shape = cull.ShapeSphere
		v.Sphere = l.form.Sphere()
	default:
		v.Shape = cull.ShapeConvex
		l.form.SetConvex(&v.Convex, s)
	}
}

// scan queries the objects of a small part with the kernels of a query, without a walk, in the order of a query:
// packets inside the volume first.
func (w *volumeWalk) scan(depth int, s *soa.Store) bool {
	v, p, ranges := &w.volume, &s.Packets, w.ranges[:0]
	if w.entered.turned {
		v = w.entered.image.Own(cull.ShapeConvex)
	} else {
		w.levels[depth].prepare(v, s)
	}
	var slots []uint32
	if len(p.Counts) <= walk.ScanSlots {
		slots = firstSlots[:len(p.Counts)]
	} else {
		w.lists.Reset(0)
		if w.ask == askAppend && w.every {
			from := uint64(len(w.answer.IDs))
			var done bool
			if w.answer.IDs, done = v.Whole(w.answer.IDs, &w.lists, s, &asm.AllNodes, soa.Fan); done {
				return w.end(depth, from)
			}
		}
		if !w.lists.Done() {
			v.Nodes(&w.lists, s.Nodes.Hot, &asm.AllNodes)
		}
		for _, ref := range w.lists.Inside {
			ranges = append(ranges, asm.Range{First: ref.Index(), N: 1})
		}
		slots = w.lists.Packets
	}
	if w.ask == askAppend && w.every {
		from := len(w.answer.IDs)
		ids := w.answer.IDs
		if len(ranges) > 0 {
			ids = cull.EmitIDs(ids, p.IDs, p.Counts, ranges)
		}
		w.answer.IDs, w.ranges = v.AppendIDs(ids, ranges, p.Bounds, p.IDs, slots)
		return w.end(depth, uint64(from))
	}
	ranges = v.Packets(ranges, p.Bounds, slots)
	w.ranges = ranges
	if !w.every {
		w.kept = cull.SelectRanges(w.kept[:0], p, ranges, &w.lane)
		ranges = w.kept
	}
	switch w.ask {
	case askAppend:
		from := len(w.answer.IDs)
		w.answer.IDs = cull.EmitIDs(w.answer.IDs, p.IDs, p.Counts, ranges)
		w.end(depth, uint64(from))
	case askCount:
		w.add(uint64(cull.CountRanges(p.Counts, ranges)))
	case askAny:
		if len(ranges) > 0 {
			w.count = 1
			return false
		}
	}
	return true
}

// allOf returns all slots of a part, if they form one range in the order in which a query returns
// fully contained nodes: the order of the children of the root.
func allOf(s *soa.Store) (r asm.Range, ok bool) {
	n := &s.Nodes
	if len(s.Pending) > 0 || len(n.Hot) == 0 || n.Slots[0].End == 0 {
		return r, false
	}
	first := n.Slots[0].First
	next := first
	for _, ref := range n.Hot[0].Child[:n.Used[0]] {
		at, end := ref.Index(), ref.Index()+1
		if !ref.IsPacket() {
			span := n.Slots[at]
			at, end = span.First, span.End
		}
		if at != next || end <= at {
			return r, false
		}
		next = end
	}
	return asm.Range{First: first, N: next - first}, next > first
}

// touches reports whether the box around the image of an object overlaps the ball of the query,
// in the space nearest to the object in which it is a ball.
//
// The corners of the image are centre and half edges, transformed outwards level by level. The
// rounding error is at most 2^-48 of the magnitudes of all summands at each level.
func (w *volumeWalk) touches(s *soa.Store, slot uint32, lane int) bool {
	level := w.levels[w.at].ballLevel
	var b cell
	b.of(&s.Packets, slot, lane, w.filter.Exact)
	for i := w.at; i > level; i-- {
		b.out(w.levels[i].transform)
	}
	ball := w.levels[level].form
	var gap [3]float64
	for a := range 3 {
		reach := b.reach(a) + ball.Off[a]
		gap[a] = max(b.center[a]-reach-ball.Center[a], ball.Center[a]-b.center[a]-reach, 0)
	}
	return !(exact.Length(&gap)*(1-0x1p-40) > ball.Radius)
}

// cell is the image of a box: a parallelepiped.
type cell struct {
	center, off [3]float64
	edges       [3][3]float64 // half of each edge
}

func (c *cell) set(b *soa.AABB) {
	*c = cell{}
	for a := range 3 {
		lo, hi := float64(b.Min[a])/2, float64(b.Max[a])/2
		c.center[a], c.edges[a][a] = lo+hi, hi-lo
		c.off[a] = float64((max(lo, -lo) + max(hi, -hi)) * 0x1p-51)
	}
}

// setMoved sets the cell to the image of a box: [cell.set] and [cell.out], without the products of zeros.
func (c *cell) setMoved(b *soa.AABB, transform *xform.Transform) {
	var rows [12]float64
	transform.ReadRows(&rows)
	c.center = [3]float64{rows[3], rows[7], rows[11]}
	c.off = [3]float64{math.Abs(rows[3]) * 0x1p-48, math.Abs(rows[7]) * 0x1p-48, math.Abs(rows[11]) * 0x1p-48}
	for k := range 3 {
		lo, hi := float64(b.Min[k])/2, float64(b.Max[k])/2
		middle, half, off := lo+hi, hi-lo, float64((math.Abs(lo)+math.Abs(hi))*0x1p-51)
		for i := range 3 {
			m := rows[4*i+k]
			x, e := float64(m*middle), float64(m*half)
			c.center[i], c.edges[k][i] = c.center[i]+x, e
			c.off[i] += float64((math.Abs(x)+math.Abs(e))*0x1p-48) + float64(math.Abs(m)*off)
		}
	}
}

// setOriented sets the cell to an oriented box.
func (c *cell) setOriented(o *soa.OrientedBox) {
	for a := range 3 {
		c.center[a], c.off[a] = float64(o.Center[a]), 0
		for k := range 3 {
			c.edges[k][a] = float64(o.Axes[k][a])
		}
	}
}

// of sets the cell to the box of the object in a lane, or to its oriented box if exact and
// present.
func (c *cell) of(p *soa.PacketColumns, slot uint32, lane int, exact bool) {
	if exact {
		if o, ok := p.Oriented(slot, lane); ok {
			c.setOriented(&o)
			return
		}
	}
	b := p.Box(slot, lane)
	c.set(&b)
}

// out transforms the cell from the space of a part to the enclosing one.
func (c *cell) out(transform *xform.Transform) {
	if transform.Kind() == xform.Identity {
		return
	}
	rows := transform.Rows()
	was := *c
	for i := range 3 {
		r := rows[4*i : 4*i+4]
		c.center[i], c.off[i] = r[3], max(r[3], -r[3])*0x1p-48
		for j := range 3 {
			m := max(r[j], -r[j])
			x := float64(r[j] * was.center[j])
			c.center[i] += x
			c.off[i] += float64(max(x, -x)*0x1p-48) + float64(m*was.off[j])
		}
		for k := range 3 {
			e := &was.edges[k]
			x, y, z := float64(r[0]*e[0]), float64(r[1]*e[1]), float64(r[2]*e[2])
			c.edges[k][i] = x + y + z
			c.off[i] += float64((max(x, -x) + max(y, -y) + max(z, -z)) * 0x1p-48)
		}
	}
}

// reach returns the half extent of the box around the cell on an axis.
func (c *cell) reach(a int) float64 {
	sum := c.off[a]
	for k := range 3 {
		sum += max(c.edges[k][a], -c.edges[k][a])
	}
	return float64(sum * (1 + 0x1p-48))
}

// box returns a float32 box around the cell, or all of space for a cell beyond float64.
func (c *cell) box() (b soa.AABB) {
	for a := range 3 {
		r := c.reach(a)
		lo, hi := c.center[a]-r, c.center[a]+r
		if (lo-lo)+(hi-hi) != 0 { // the sum is 0 or NaN
			lo, hi = -math.MaxFloat32, math.MaxFloat32
		}
		b.Min[a] = max(soa.Below(lo, 0), -math.MaxFloat32)
		b.Max[a] = min(soa.Above(hi, 0), math.MaxFloat32)
	}
	return b
}
