package soa

import (
	"math"
	"unsafe"
)

// None is the null index: no node, no slot, no object.
const None = ^uint32(0)

// Span is a run of packet slots from First up to but not including End. End 0 means that the slots
// are not contiguous.
type Span struct {
	First, End uint32
}

// KeySpan is a closed interval of keys.
type KeySpan struct {
	Low, High uint64
}

// The assertions here and in layout.go, spheres.go and orientedbox.go fix the memory layout of rows
// on every machine.
var (
	_ [0]struct{} = [unsafe.Sizeof(Span{}) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Span{}.End) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(KeySpan{}) - 16]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(KeySpan{}.High) - 8]struct{}{}
)

// NodeColumns are the nodes of a tree. A tree without packets has no nodes. Queries read only the
// column Hot; changes, Find and Validate read the others.
type NodeColumns struct {
	Hot        []Node        // bounds, references, masks of 16 children
	Parents    []Up          // parent node and lane; NoParent at the root
	Slots      []Span        // slots below
	Keys       [][Fan]uint64 // above cells: first key of each lane; NoKey in unused lanes
	Cells      []KeySpan     // key span of a cell; NoSpan: the node is not a cell
	Area       []float32     // node of packets: half the surface area of the packets when they were cut
	Used       []uint8       // used lanes, dense from 0; 0 in a free node
	Below      []uint32      // objects below; at nodes above height 0 valid only if Counted
	Height     []uint8       // 0 if all children are packets, else above the heights of all children
	MinTicks   []uint8       // least number of ticks that the node stays when empty
	FreeAtTick []uint32      // tick at which the empty node is freed; 0: it is in use

	free   uint32 // 1 + first free node, 0: none; linked through Up
	unused int    // number of free nodes
	limit  int    // largest number of nodes; 0: MaxNodes
}

// NoKey is larger than every key. It is the first key of an unused lane.
const NoKey = ^uint64(0)

// PacketColumns are the packets of a tree, one row for each slot.
type PacketColumns struct {
	Bounds         []Packet        // boxes in columns
	IDs            [][Lanes]uint32 // 0 in free lanes
	Masks          [][Lanes]uint32 // type masks, 0 in free lanes; empty while all objects have the same mask
	Moving         []uint16        // one bit per lane; 0: static
	Counts         []uint8         // used lanes, dense from 0
	Parents        []Up            // parent link; NoParent: pending or unused
	PlacementBoxes []AABB          // placement box; empty if all objects are displaced

	Spheres       []SphereLanes   // bounding spheres; empty until one is set
	OrientedBoxes []OrientedLanes // oriented boxes; empty until one is set

	Mask uint32 // type mask of all objects while Masks is empty

	masked bool // Masks is in use, if only for later slots
	limit  int  // largest number of slots; 0: MaxSlots
}

// Store is the data that queries read: the columns of a tree at one version.
type Store struct {
	Nodes   NodeColumns
	Packets PacketColumns

	Pending []uint32 // slots of the pending list

	// Extent is the largest |coordinate| of all boxes on each axis. Near is the same for all boxes
	// except a few far or large outliers, and at most Extent. Both may be larger than necessary
	// until the next tick.
	Near, Extent [3]float32

	// Count is the number of objects.
	Count int

	// Counted means that Below is valid in all nodes, as after a refit. In nodes of height 0 it is
	// always valid.
	Counted bool

	// Log holds the last changes; nil means that changes are not recorded.
	Log *Log

	// Version counts changes. A view holds the version at which it was taken.
	Version uint64

	// Tree is the number of the tree that the store belongs to, unique in the process. It is 0 if
	// no number has been assigned.
	Tree uint64
}

// Clear makes the slot an empty packet without an owner.
func (c *PacketColumns) Clear(slot uint32) {
	c.Bounds[slot] = EmptyNode.Bounds
	c.IDs[slot] = [Lanes]uint32{}
	if len(c.Masks) > 0 {
		c.Masks[slot] = [Lanes]uint32{}
	}
	c.Moving[slot], c.Counts[slot] = 0, 0
	c.clearBounds(slot)
	c.Parents[slot] = NoParent
	c.PlacementBoxes[slot] = Empty()
}

// Box returns the box in a lane of a slot.
func (c *PacketColumns) Box(slot uint32, lane int) AABB {
	b := &c.Bounds[slot]
	return AABB{
		Min: [3]float32{b[MinX][lane], b[MinY][lane], b[MinZ][lane]},
		Max: [3]float32{b[MaxX][lane], b[MaxY][lane], b[MaxZ][lane]},
	}
}

// Object returns the object in a lane of a slot.
func (c *PacketColumns) Object(slot uint32, lane int) Object {
	return Object{
		Box:    c.Box(slot, lane),
		Mask:   c.MaskAt(slot, lane),
		Static: c.Moving[slot]>>lane&1 == 0,
	}
}

// SetBox overwrites the box in a lane.
func (c *PacketColumns) SetBox(slot uint32, lane int, box *AABB) {
	b := &c.Bounds[slot]
	for a := range 3 {
		b[2*a][lane], b[2*a+1][lane] = box.Min[a], box.Max[a]
	}
}

// CopyRow makes a slot equal to another one in every column.
func (c *PacketColumns) CopyRow(to, from uint32) { c.CopyRowOf(to, c, from) }

// CopyRowOf copies a slot of p, which may be other columns, in every column. Every optional column
// that c uses must be in use in p.
func (c *PacketColumns) CopyRowOf(to uint32, p *PacketColumns, from uint32) {
	c.Bounds[to], c.IDs[to] = p.Bounds[from], p.IDs[from]
	if len(c.Masks) > 0 {
		c.Masks[to] = p.Masks[from]
	}
	c.Moving[to], c.Counts[to] = p.Moving[from], p.Counts[from]
	c.Parents[to], c.PlacementBoxes[to] = p.Parents[from], p.PlacementBoxes[from]
	c.copyBoundsRow(to, p, from)
}

// Move copies an object from one lane to another.
func (c *PacketColumns) Move(to uint32, toLane int, from uint32, lane int) {
	b, d := &c.Bounds[from], &c.Bounds[to]
	for k := range b {
		d[k][toLane] = b[k][lane]
	}
	c.IDs[to][toLane] = c.IDs[from][lane]
	if len(c.Masks) > 0 {
		c.Masks[to][toLane] = c.Masks[from][lane]
	}
	c.Moving[to] = c.Moving[to]&^(1<<toLane) | c.Moving[from]>>lane&1<<toLane
	if c.Bounded() {
		c.CopyBounds(to, toLane, c, from, lane)
	}
}

// Drop removes the objects in the lanes from n on, so that n lanes are in use.
func (c *PacketColumns) Drop(slot uint32, n int) {
	b := &c.Bounds[slot]
	least, most := math.Float32frombits(0x7f800000), math.Float32frombits(0xff800000) // bounds of the empty box
	for l := n; l < int(c.Counts[slot]); l++ {
		b[MinX][l], b[MinY][l], b[MinZ][l] = least, least, least
		b[MaxX][l], b[MaxY][l], b[MaxZ][l] = most, most, most
		c.IDs[slot][l] = 0
		if len(c.Masks) > 0 {
			c.Masks[slot][l] = 0
		}
		if c.Bounded() {
			c.DropBounds(slot, l)
		}
	}
	c.Moving[slot] &= 1<<n - 1
	c.Counts[slot] = uint8(n)
}

// Put writes an object into a lane. Unless the column of masks is in use, its mask must be c.Mask.
func (c *PacketColumns) Put(slot uint32, lane int, id uint32, o *Object) {
	c.SetBox(slot, lane, &o.Box)
	c.IDs[slot][lane] = id
	if len(c.Masks) > 0 {
		c.Masks[slot][lane] = o.Mask
	}
	c.Moving[slot] &^= 1 << lane
	if !o.Static {
		c.Moving[slot] |= 1 << lane
	}
	c.DropBounds(slot, lane)
}

// BoxWords returns axis-aligned boxes as a flat slice of six words each, without copying.
func BoxWords(boxes []AABB) []float32 {
	if len(boxes) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(boxes))), 6*len(boxes))
}

// Words returns the objects as a flat slice of eight words each, without copying, in the form that
// kernels read: minimum, maximum, mask, flag.
func Words(objects []Object) []float32 {
	if len(objects) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(objects))), 8*len(objects))
}
