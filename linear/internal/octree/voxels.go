package octree

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// voxels maps the cells of a thinned tree to the objects in them: a hash table with open addressing and linear probing.
// A slot holds the hash of a cell and its first object. The column of points by ID serves to compare cells, and to find
// the cell that an object leaves. Cells with several objects, of [KeepFirst] or after moves, have lists of them.
//
// Nothing outside the table depends on the order of its slots or lists, so it is not saved: a tree makes it again when
// it needs it. It takes 8 bytes for a slot, of which 1.25 to 1.9 belong to each cell, and 12 for an ID; with lists 12
// more.
type voxels struct {
	grid
	slots  []uint64
	cells  int          // slots in use
	points [][3]float32 // by ID; undefined for IDs that are not live
	links  []voxelLink  // by ID, for as many IDs as points; empty until a cell holds two objects
	valid  bool         // the table holds the objects of the tree
}

// voxelLink links the objects of a cell. The number of objects is valid in the link of the first.
type voxelLink struct{ next, prev, count uint32 }

// single is the link of the only object of a cell.
var single = voxelLink{soa.None, soa.None, 1}

// voxel is a cell: its index on each axis, a whole number. Zero is positive.
type voxel struct {
	x, y, z float64
	near    bool // the indices are less than nearCells
}

// voxelSlot returns the contents of a slot.
func voxelSlot(hash, first uint32) uint64 { return uint64(hash)<<32 | uint64(first+1) }

// grid is a grid of cells.
type grid struct{ side, inverse float64 }

// gridOf returns the grid of cells with that side.
func gridOf(side float64) grid { return grid{side, 1 / side} }

// Products with the inverse have relative errors of less than 2^-50. Below nearCells they have the same floor as the
// quotients, except within cellMargin of a whole number.
const (
	nearCells  = 1 << 20
	cellMargin = 0x1p-29
)

// products returns the coordinates of a point in sides of a cell, rounded.
func (g *grid) products(p *[3]float32) (x, y, z float64) {
	return float64(float64(p[0]) * g.inverse), float64(float64(p[1]) * g.inverse), float64(float64(p[2]) * g.inverse)
}

// cellOf returns the cell of a finite point: the quotients by the side, rounded down.
func (g *grid) cellOf(p *[3]float32) (c voxel) {
	x, y, z := g.products(p)
	c.x, c.y, c.z = math.Floor(x)+0, math.Floor(y)+0, math.Floor(z)+0
	if c.near = isNear(c.x) && isNear(c.y) && isNear(c.z); c.near && isInside(x, c.x) && isInside(y, c.y) && isInside(z, c.z) {
		return c
	}
	return g.divide(p)
}

// divide is cellOf by divisions.
func (g *grid) divide(p *[3]float32) (c voxel) {
	c.x, c.y, c.z = math.Floor(float64(p[0])/g.side)+0, math.Floor(float64(p[1])/g.side)+0, math.Floor(float64(p[2])/g.side)+0
	c.near = isNear(c.x) && isNear(c.y) && isNear(c.z)
	return c
}

// holds reports whether a finite point is in a cell.
func (g *grid) holds(c *voxel, p *[3]float32) bool {
	x, y, z := g.products(p)
	if c.near && isInside(x, c.x) && isInside(y, c.y) && isInside(z, c.z) {
		return true
	}
	if c.near && (isOutside(x, c.x) || isOutside(y, c.y) || isOutside(z, c.z)) {
		return false
	}
	return g.divide(p) == *c
}

func isNear(i float64) bool { return i < nearCells && i > -nearCells }

// isInside reports whether a near whole number i is the floor of a quotient, by a product x.
func isInside(x, i float64) bool { return x-i > cellMargin && x-i < 1-cellMargin }

// isOutside reports whether a near whole number i is not the floor of a quotient, by a product x.
func isOutside(x, i float64) bool { return x-i < -cellMargin || x-i > 1+cellMargin }

// hash returns a hash of a cell.
func (c *voxel) hash() uint32 {
	hi, lo := bits.Mul64(math.Float64bits(c.x)^0x9e3779b97f4a7c15, math.Float64bits(c.y)^0xd1b54a32d192ed03)
	hi, lo = bits.Mul64(hi^lo^0x8cb92ba72f3d8dd7, math.Float64bits(c.z)^0xaef17502108ef2d9)
	return uint32((hi ^ lo) >> 32)
}

// home returns the slot at which the search for a hash begins. A larger hash never has a smaller one.
func (v *voxels) home(hash uint32) int { return int(uint64(hash) * uint64(len(v.slots)) >> 32) }

// find returns the slot of a cell and its first object, or a free slot for the cell and None.
func (v *voxels) find(hash uint32, c *voxel) (at int, first uint32) {
	for at = v.home(hash); ; {
		s := v.slots[at]
		if s == 0 {
			return at, soa.None
		}
		if uint32(s>>32) == hash {
			if id := uint32(s) - 1; v.holds(c, &v.points[id]) {
				return at, id
			}
		}
		if at++; at == len(v.slots) {
			at = 0
		}
	}
}

// locate returns the slot of the cell of a point, or a free one.
func (v *voxels) locate(p *[3]float32) (hash uint32, at int, first uint32) {
	c := v.cellOf(p)
	hash = c.hash()
	at, first = v.find(hash, &c)
	return hash, at, first
}

const minVoxelSlots = 16

// reserve makes room for more cells. One slot in 5 stays free.
func (v *voxels) reserve(more int) {
	cells := v.cells + more
	if cells <= len(v.slots)/5*4 {
		return
	}
	old := v.slots
	n := max(minVoxelSlots, len(old)+len(old)/2, cells+cells/2)
	v.slots = mem.Make[uint64](n)
	clear(v.slots)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := v.home(uint32(s >> 32))
		for v.slots[at] != 0 {
			if at++; at == n {
				at = 0
			}
		}
		v.slots[at] = s
	}
}

// setPoint sets the point of an object without a list.
func (v *voxels) setPoint(id uint32, p *[3]float32) {
	if int64(id) >= int64(len(v.points)) {
		v.points = mem.Resize(v.points, int(id)+1)
	}
	v.points[id] = *p
	if len(v.links) > 0 {
		v.growLinks()
		v.links[id] = single
	}
}

// growLinks makes links for all points.
func (v *voxels) growLinks() {
	n := len(v.links)
	if n < len(v.points) {
		v.links = mem.Resize(v.links, len(v.points))
		for i := n; i < len(v.links); i++ {
			v.links[i] = single
		}
	}
}

// count returns the number of objects of the cell with that first object.
func (v *voxels) count(first uint32) int {
	if len(v.links) == 0 {
		return 1
	}
	return int(v.links[first].count)
}

// enter adds an object, whose point is set, to the cell with that slot and first object. There is room for a cell.
func (v *voxels) enter(hash uint32, at int, first, id uint32) {
	v.slots[at] = voxelSlot(hash, id)
	if first == soa.None {
		v.cells++
		return
	}
	v.growLinks()
	v.links[id] = voxelLink{first, soa.None, v.links[first].count + 1}
	v.links[first].prev = id
}

// add adds an object.
func (v *voxels) add(id uint32, p *[3]float32) {
	v.reserve(1)
	hash, at, first := v.locate(p)
	v.setPoint(id, p)
	v.enter(hash, at, first, id)
}

// remove removes an object.
func (v *voxels) remove(id uint32) {
	hash, at, first := v.locate(&v.points[id])
	if v.count(first) == 1 {
		v.free(at)
		return
	}
	l, n := v.links[id], v.links[first].count-1
	if l.next != soa.None {
		v.links[l.next].prev = l.prev
	}
	if id == first {
		first = l.next
		v.slots[at] = voxelSlot(hash, first)
	} else {
		v.links[l.prev].next = l.next
	}
	v.links[first].count = n
}

// move gives an object another point.
func (v *voxels) move(id uint32, p *[3]float32) {
	if c := v.cellOf(p); v.holds(&c, &v.points[id]) {
		v.points[id] = *p
		return
	}
	v.remove(id)
	v.add(id, p)
}

// free frees a slot, and moves the slots after it back as far as their searches begin.
func (v *voxels) free(at int) {
	n := len(v.slots)
	v.cells--
	for i := at; ; {
		if i++; i == n {
			i = 0
		}
		s := v.slots[i]
		if s == 0 {
			break
		}
		back, need := i-v.home(uint32(s>>32)), i-at // slots from its home, and from the free slot
		if back < 0 {
			back += n
		}
		if need < 0 {
			need += n
		}
		if back >= need {
			v.slots[at] = s
			at = i
		}
	}
	v.slots[at] = 0
}

// members appends the objects of the cell with that first object.
func (v *voxels) members(dst []uint32, first uint32) []uint32 {
	dst = append(dst, first)
	if len(v.links) > 0 {
		for id := v.links[first].next; id != soa.None; id = v.links[id].next {
			dst = append(dst, id)
		}
	}
	return dst
}

// isNearest reports whether a point is nearer to the centre of its cell than all objects of the cell.
func (v *voxels) isNearest(c *voxel, p *[3]float32, first uint32) bool {
	if len(v.links) == 0 {
		return v.isNearer(c, p, &v.points[first])
	}
	for id := first; id != soa.None; id = v.links[id].next {
		if !v.isNearer(c, p, &v.points[id]) {
			return false
		}
	}
	return true
}

// isNearer reports whether point p is nearer to the centre of a cell than q.
func (g *grid) isNearer(c *voxel, p, q *[3]float32) bool {
	return g.distance2(c, p) < g.distance2(c, q)
}

// distance2 returns the squared distance of a point from the centre of a cell.
func (g *grid) distance2(c *voxel, p *[3]float32) float64 {
	x, y, z := float64(p[0])-float64((c.x+0.5)*g.side), float64(p[1])-float64((c.y+0.5)*g.side), float64(p[2])-float64((c.z+0.5)*g.side)
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// clear empties the table and keeps its memory.
func (v *voxels) clear() {
	clear(v.slots)
	v.cells, v.links = 0, v.links[:0]
}

// bytes returns the memory of the table in bytes.
func (v *voxels) bytes() int {
	return mem.Bytes(v.slots) + mem.Bytes(v.points) + mem.Bytes(v.links)
}

// thinned checks that a tree that thins holds points, and that its table of cells holds these.
func (c *checker) thinned() {
	t := c.t
	if !t.Thins() {
		return
	}
	for id := range uint32(t.IDs.Cap()) {
		if !t.IDs.Alive(id) {
			continue
		}
		slot, lane := t.Locate(id)
		p := &c.s.Packets
		box := p.Box(slot, lane)
		_, sphere := p.Sphere(slot, lane)
		_, oriented := p.Oriented(slot, lane)
		if box.Min != box.Max || sphere || oriented {
			c.fail("object %d of a tree that thins has the box %v to %v, a sphere %v and an oriented box %v", id, box.Min, box.Max, sphere, oriented)
		}
		if v := t.voxels; v != nil && v.valid && (int64(id) >= int64(len(v.points)) || v.points[id] != box.Min) {
			c.fail("object %d at %v is elsewhere in the table of cells", id, box.Min)
		}
	}
	if v := t.voxels; v != nil && v.valid && len(c.errs) == 0 {
		c.voxels(v)
	}
}

// voxels checks the table of cells, which has the points of all objects.
func (c *checker) voxels(v *voxels) {
	cells, objects := 0, 0
	var members []uint32
	seen := map[uint32]bool{}
	for at, s := range v.slots {
		if s == 0 {
			continue
		}
		cells++
		first := uint32(s) - 1
		if !c.t.IDs.Alive(first) {
			c.fail("slot %d of the table of cells holds object %d, which does not exist", at, first)
			return
		}
		cell := v.divide(&v.points[first])
		if hash := uint32(s >> 32); hash != cell.hash() {
			c.fail("slot %d of the table of cells has the hash %#x, cell %v has %#x", at, hash, cell, cell.hash())
		} else if found, _ := v.find(hash, &cell); found != at {
			c.fail("cell %v is in slot %d of the table of cells, and found in %d", cell, at, found)
		}
		members = v.members(members[:0], first)
		if n := v.count(first); n != len(members) {
			c.fail("cell %v has %d objects, counted as %d", cell, len(members), n)
		}
		prev := soa.None
		for _, id := range members {
			if !c.t.IDs.Alive(id) || seen[id] || v.divide(&v.points[id]) != cell {
				c.fail("cell %v holds object %d, which is not there or listed twice", cell, id)
				return
			}
			if len(v.links) > 0 && v.links[id].prev != prev {
				c.fail("object %d of cell %v follows %d, linked to %d", id, cell, prev, v.links[id].prev)
			}
			seen[id], prev = true, id
		}
		objects += len(members)
	}
	if cells != v.cells || objects != c.t.IDs.Len() || cells >= len(v.slots) && cells > 0 {
		c.fail("the table of %d cells, counted as %d, in %d slots, holds %d of %d objects", cells, v.cells, len(v.slots), objects, c.t.IDs.Len())
	}
}
