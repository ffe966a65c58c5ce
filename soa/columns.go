package soa

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// Kind is the use of a column of nodes or packets. It selects the set of rows that [Store.Patch]
// copies.
type Kind uint8

// Kinds of columns, with the set of rows that each follows.
const (
	HotNodes  Kind = iota // node data that queries read; set nodes
	ColdNodes             // node data that only changes read; set nodes
	Labels                // packet data except boxes and bounds; set packets
	Boxes                 // boxes and bounds of packets; set boxes
)

// AnyColumn is a column of nodes or packets with its row type erased.
type AnyColumn struct {
	Name string // name of the field
	Kind Kind

	// Optional means that the column may have no rows while others have some.
	Optional bool

	rows
}

// rows is the interface of a column without its row type.
type rows interface {
	Len() int      // number of rows
	Cap() int      // number of rows that fit into the memory
	RowSize() int  // size of a row in bytes
	WordSize() int // size in bytes of the numbers in a row
	Bytes() []byte // the memory of the rows, without copying
	Adopt([]byte)  // makes such memory the rows of the column, without copying

	resize(n int)                 // see mem.Resize
	fresh(n, more int)            // see mem.FreshWithRoom
	clone()                       // replaces the rows by a copy without slack
	patch(from rows, copied Rows) // see patched
}

// anyColumn wraps a pointer to a column. It does not allocate.
func anyColumn[T any](name string, kind Kind, col *[]T) AnyColumn {
	return AnyColumn{Name: name, Kind: kind, rows: (*elements[T])(col)}
}

func (c AnyColumn) optional() AnyColumn {
	c.Optional = true
	return c
}

// Columns appends all columns of nodes to list. Except for [NodeColumns.Reset], no other function
// lists them.
func (c *NodeColumns) Columns(list []AnyColumn) []AnyColumn {
	return append(list,
		anyColumn("Hot", HotNodes, &c.Hot),
		anyColumn("Parents", ColdNodes, &c.Parents),
		anyColumn("Slots", ColdNodes, &c.Slots),
		anyColumn("Keys", ColdNodes, &c.Keys),
		anyColumn("Cells", ColdNodes, &c.Cells),
		anyColumn("Area", ColdNodes, &c.Area),
		anyColumn("Used", ColdNodes, &c.Used),
		anyColumn("Below", ColdNodes, &c.Below),
		anyColumn("Height", ColdNodes, &c.Height),
		anyColumn("MinTicks", ColdNodes, &c.MinTicks),
		anyColumn("FreeAtTick", ColdNodes, &c.FreeAtTick),
	)
}

// Columns appends all columns of packets to list. Except for [PacketColumns.Clear] and
// [PacketColumns.CopyRow], no other function lists them.
func (c *PacketColumns) Columns(list []AnyColumn) []AnyColumn {
	return append(list,
		anyColumn("Bounds", Boxes, &c.Bounds),
		anyColumn("IDs", Labels, &c.IDs),
		anyColumn("Masks", Labels, &c.Masks).optional(),
		anyColumn("Moving", Labels, &c.Moving),
		anyColumn("Counts", Labels, &c.Counts),
		anyColumn("PacketParents", Labels, &c.Parents),
		anyColumn("PlacementBoxes", Labels, &c.PlacementBoxes),
		anyColumn("Spheres", Boxes, &c.Spheres).optional(),
		anyColumn("OrientedBoxes", Boxes, &c.OrientedBoxes).optional(),
	)
}

// A columnList has room for all columns of a store.
type columnList [24]AnyColumn

func (s *Store) columns(list []AnyColumn) []AnyColumn {
	return s.Packets.Columns(s.Nodes.Columns(list))
}

// Resize sets the number of nodes in every column.
func (c *NodeColumns) Resize(n int) {
	c.Hot = mem.Resize(c.Hot, n)
	c.ResizeCold(n)
}

// ResizeCold sets the number of nodes in every column except Hot.
func (c *NodeColumns) ResizeCold(n int) {
	var room columnList
	for _, col := range c.Columns(room[:0]) {
		if col.Kind == ColdNodes {
			col.resize(n)
		}
	}
}

// Resize sets the number of slots in every column.
func (c *PacketColumns) Resize(n int) {
	var room columnList
	for _, col := range c.Columns(room[:0]) {
		if !col.Optional || col.Len() > 0 {
			col.resize(n)
		}
	}
	if c.masked {
		c.Masks = mem.Resize(c.Masks, n)
	}
}

// Fresh sets the number of slots in every column that is not optional. The contents are unspecified. New
// memory has room for more slots: see mem.FreshWithRoom.
func (c *PacketColumns) Fresh(n, more int) {
	var room columnList
	for _, col := range c.Columns(room[:0]) {
		if !col.Optional {
			col.fresh(n, more)
		}
	}
}

// Bytes returns the size of the memory that the store holds, used or not.
func (s *Store) Bytes() int {
	var room columnList
	bytes := mem.Bytes(s.Pending)
	for _, col := range s.columns(room[:0]) {
		bytes += col.Cap() * col.RowSize()
	}
	return bytes
}

// elements is a column with a row type; it implements rows.
type elements[T any] []T

func (c *elements[T]) Len() int             { return len(*c) }
func (c *elements[T]) Cap() int             { return cap(*c) }
func (c *elements[T]) RowSize() int         { return int(unsafe.Sizeof(*new(T))) }
func (c *elements[T]) resize(n int)         { *c = mem.Resize(*c, n) }
func (c *elements[T]) clone()               { *c = copied(*c) }
func (c *elements[T]) fresh(n, more int)    { *c = mem.FreshWithRoom(*c, n, more) }
func (c *elements[T]) patch(r rows, m Rows) { *c = patched(*c, *r.(*elements[T]), m) }

func (c *elements[T]) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*c))), len(*c)*c.RowSize())
}
