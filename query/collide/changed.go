package collide

import (
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/soa"
)

// changedObjects are the objects that changed between two updates.
type changedObjects struct {
	ids follow.IDs

	// The live ones among them.
	live    []uint32
	objects []soa.Object
	spheres [][4]float32
	turned  []bool // they have oriented boxes

	// The live objects in the order of the curve, numbered 0, 1, 2, …: their IDs, their boxes as
	// lanes of the nodes of work, and in rows of 16 their masks and, if bounds count, their boxes
	// and bounds.
	along []uint32
	store soa.Store
	work  search
	curve follow.Curve
	items []uint64 // the result of the curve
}

// Up to changedMin changed objects, or 1/changedShare of all, searching for the pairs of the
// changed objects is faster than searching for all pairs.
const (
	changedMin   = 16
	changedShare = 12
)

// read collects the changes, the last one of each object. It reports whether they are few.
func (c *changedObjects) read(changes []soa.Change, live int) bool {
	c.ids.Reset()
	c.live, c.objects, c.spheres, c.turned = c.live[:0], c.objects[:0], c.spheres[:0], c.turned[:0]
	for i := len(changes) - 1; i >= 0; i-- {
		if o := &changes[i]; c.ids.Add(o.ID) && !o.Removed {
			c.live = append(c.live, o.ID)
			c.objects = append(c.objects, o.Object)
			c.spheres = append(c.spheres, o.Sphere)
			c.turned = append(c.turned, o.Oriented)
		}
	}
	return len(c.ids.List) <= max(changedMin, live/changedShare)
}

// once selects one of the two ways in which a pair with the changed object a is found: it returns
// 1 for one of them, and for the only way if b has not changed; else 0. It does not branch,
// because the branch would be unpredictable.
func (c *changedObjects) once(a, b uint32) uint32 {
	below := uint32((uint64(b) - uint64(a)) >> 63)     // b < a
	other := uint32((uint64(a)-uint64(b))>>63) | below // b != a
	return other &^ (below & c.ids.Bit(b))
}

// against returns the search that pairs the live objects with the objects of their view. The hits
// hold the numbers of the objects.
func (c *changedObjects) against(v linear.View, flt *Filter) *search {
	w, s := &c.work, v.Store()
	w.objects = true
	c.store.Packets.UseMasks()
	w.prepare(&c.store, s, flt, false)
	w.pending[1].Build(s)
	c.number()
	if w.exact {
		c.bound(v)
	}
	w.pending[0].Join()
	return w
}

// number sorts the live objects along the curve and makes nodes of 16.
func (c *changedObjects) number() {
	n := len(c.objects)
	rows, leaves := (n+soa.Lanes-1)/soa.Lanes, (n+soa.Fan-1)/soa.Fan
	nodes := slices.Grow(c.work.pending[0].Nodes[:0], leaves+leaves/4+2)[:leaves]
	masks := slices.Grow(c.store.Packets.Masks[:0], rows)[:rows]
	along := slices.Grow(c.along[:0], n)[:n]
	c.work.pending[0].Nodes, c.store.Packets.Masks, c.along = nodes, masks, along
	c.items = c.curve.Order(soa.Words(c.objects), 8, n)
	for k, item := range c.items {
		i := radix.Index(item)
		o := &c.objects[i]
		l := k & (soa.Fan - 1)
		node := &nodes[k/soa.Fan]
		if l == 0 {
			*node = soa.EmptyNode
		}
		node.Bounds[0][l], node.Bounds[1][l] = o.Box.Min[0], o.Box.Max[0]
		node.Bounds[2][l], node.Bounds[3][l] = o.Box.Min[1], o.Box.Max[1]
		node.Bounds[4][l], node.Bounds[5][l] = o.Box.Min[2], o.Box.Max[2]
		flag := soa.RefMoving
		if o.Static {
			flag = soa.RefStatic
		}
		node.Child[l], node.Mask[l] = soa.PacketRef(uint32(k))|flag, o.Mask
		masks[k/soa.Lanes][k&(soa.Lanes-1)] = o.Mask
		along[k] = c.live[i]
	}
}

// bound fills the rows of boxes and bounds. It takes oriented boxes from the view, because the
// log does not hold them.
func (c *changedObjects) bound(v linear.View) {
	p := &c.store.Packets
	rows := len(p.Masks)
	p.Bounds, p.Spheres = mem.Fresh(p.Bounds, rows), mem.Fresh(p.Spheres, rows)
	for k, item := range c.items {
		i := radix.Index(item)
		p.SetBox(uint32(k/soa.Lanes), k%soa.Lanes, &c.objects[i].Box)
		p.SetSphere(uint32(k/soa.Lanes), k%soa.Lanes, c.spheres[i])
	}
	p.OrientedBoxes = p.OrientedBoxes[:0]
	if !slices.Contains(c.turned, true) {
		return
	}
	p.OrientedBoxes = mem.Fresh(p.OrientedBoxes, rows)
	for k, item := range c.items {
		slot, lane := uint32(k/soa.Lanes), k%soa.Lanes
		p.DropOriented(slot, lane)
		if i := radix.Index(item); c.turned[i] {
			if b, ok := v.Oriented(c.live[i]); ok {
				p.SetOriented(slot, lane, &b)
			}
		}
	}
}
