package collide

import (
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// changedObjects are the objects that changed between two updates.
type changedObjects struct {
	ids  []uint32 // each once
	bits []uint64 // their set

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
	sort  radix.Scratch
	keys  []uint64
	items []uint64 // the result of order
}

// Up to changedMin changed objects, or 1/changedShare of all, searching for the pairs of the
// changed objects is faster than searching for all pairs.
const (
	changedMin   = 16
	changedShare = 12
)

// read collects the changes, the last one of each object. It reports whether they are few.
func (c *changedObjects) read(changes []soa.Change, live int) bool {
	for _, id := range c.ids {
		c.bits[id>>6] = 0
	}
	c.ids, c.live, c.objects, c.spheres, c.turned = c.ids[:0], c.live[:0], c.objects[:0], c.spheres[:0], c.turned[:0]
	for i := len(changes) - 1; i >= 0; i-- {
		o := &changes[i]
		for int(o.ID>>6) >= len(c.bits) {
			c.bits = append(c.bits, 0)
		}
		if c.has(o.ID) {
			continue
		}
		c.bits[o.ID>>6] |= 1 << (o.ID & 63)
		c.ids = append(c.ids, o.ID)
		if !o.Removed {
			c.live = append(c.live, o.ID)
			c.objects = append(c.objects, o.Object)
			c.spheres = append(c.spheres, o.Sphere)
			c.turned = append(c.turned, o.Oriented)
		}
	}
	return len(c.ids) <= max(changedMin, live/changedShare)
}

// cover extends the set to hold all IDs below n.
func (c *changedObjects) cover(n int) {
	for len(c.bits) < (n+63)/64 {
		c.bits = append(c.bits, 0)
	}
}

// bit returns 1 if an object covered by the set changed, else 0.
func (c *changedObjects) bit(id uint32) uint32 {
	return uint32(c.bits[id>>6]>>(id&63)) & 1
}

// once selects one of the two ways in which a pair with the changed object a is found: it returns
// 1 for one of them, and for the only way if b has not changed; else 0. It does not branch,
// because the branch would be unpredictable.
func (c *changedObjects) once(a, b uint32) uint32 {
	below := uint32((uint64(b) - uint64(a)) >> 63)     // b < a
	other := uint32((uint64(a)-uint64(b))>>63) | below // b != a
	return other &^ (below & c.bit(b))
}

// has reports whether an object changed.
func (c *changedObjects) has(id uint32) bool {
	w := int(id >> 6)
	return w < len(c.bits) && c.bits[w]>>(id&63)&1 != 0
}

// against returns the search that pairs the live objects with the objects of their view. The hits
// hold the numbers of the objects.
func (c *changedObjects) against(v linear.View, flt *Filter) *search {
	w, s := &c.work, v.Store()
	w.objects = true
	w.prepare(&c.store, s, flt, false)
	w.pending[1].build(s)
	c.number()
	if w.exact {
		c.bound(v)
	}
	w.pending[0].join()
	return w
}

// number sorts the live objects along the curve and makes nodes of 16.
func (c *changedObjects) number() {
	n := len(c.objects)
	rows, leaves := (n+soa.Lanes-1)/soa.Lanes, (n+soa.Fan-1)/soa.Fan
	nodes := slices.Grow(c.work.pending[0].nodes[:0], leaves+leaves/4+2)[:leaves]
	masks := slices.Grow(c.store.Packets.Masks[:0], rows)[:rows]
	along := slices.Grow(c.along[:0], n)[:n]
	c.work.pending[0].nodes, c.store.Packets.Masks, c.along = nodes, masks, along
	c.items = c.order()
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

// order returns items that index the live objects in the order of the curve.
func (c *changedObjects) order() []uint64 {
	n := len(c.objects)
	if n == 0 {
		return nil
	}
	words := soa.Words(c.objects)
	b, _, _ := build.Survey(words, 8, n)
	world, _ := morton.Fit([3]float32{b[0], b[2], b[4]}, [3]float32{b[1], b[3], b[5]}) // boxes in a tree are finite
	g := world.Grid()
	c.keys = slices.Grow(c.keys[:0], n)[:n]
	build.EncodeBoxes(c.keys, &g, words, 8)
	items, _ := c.sort.Order(c.keys, radix.Options{}) // fails only when it is cancelled
	return items
}
