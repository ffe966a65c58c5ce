package soa

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// Kind says what a column of nodes or packets is for, and so which of the sets of
// [Store.Patch] its rows follow.
type Kind uint8

// The kinds of columns.
const (
	HotNodes  Kind = iota // what queries read of nodes: the nodes
	ColdNodes             // what changes read of nodes: the nodes
	Labels                // all of packets but boxes and bounds: the packets
	Boxes                 // boxes and bounds of packets: the boxes
)

// AnyColumn is a column of nodes or packets, whatever the type of its rows.
type AnyColumn struct {
	Name string // of the field
	Kind Kind

	// Optional says that the column may have no rows where others have some.
	Optional bool

	rows
}

// rows is a column without its type.
type rows interface {
	Len() int      // rows
	Cap() int      // rows there is memory for
	RowSize() int  // bytes of a row
	WordSize() int // bytes of the numbers that a row consists of
	Bytes() []byte // the rows as they lie in memory; not a copy
	Adopt([]byte)  // takes such rows for its own; not a copy

	resize(n int)                 // Resize
	fresh(n, more int)            // Fresh, with room for more rows where there is none for n
	clone()                       // takes a copy without slack in its place
	patch(from rows, copied Rows) // patched
}

// anyColumn wraps a column, of which it keeps the pointer: it allocates nothing.
func anyColumn[T any](name string, kind Kind, col *[]T) AnyColumn {
	return AnyColumn{Name: name, Kind: kind, rows: (*elements[T])(col)}
}

func (c AnyColumn) optional() AnyColumn {
	c.Optional = true
	return c
}

// Columns appends the columns of nodes to a list. It is the only place that names
// all of them, but for [NodeColumns.Reset].
func (c *NodeColumns) Columns(list []AnyColumn) []AnyColumn {
	return append(list,
		anyColumn("Hot", HotNodes, &c.Hot),
		anyColumn("Up", ColdNodes, &c.Up),
		anyColumn("Slots", ColdNodes, &c.Slots),
		anyColumn("Keys", ColdNodes, &c.Keys),
		anyColumn("Cells", ColdNodes, &c.Cells),
		anyColumn("Area", ColdNodes, &c.Area),
		anyColumn("Used", ColdNodes, &c.Used),
		anyColumn("Below", ColdNodes, &c.Below),
		anyColumn("Height", ColdNodes, &c.Height),
		anyColumn("Life", ColdNodes, &c.Life),
		anyColumn("Dies", ColdNodes, &c.Dies),
	)
}

// Columns appends the columns of packets to a list. It is the only place that names
// all of them, but for [PacketColumns.Clear] and [PacketColumns.CopyRow].
func (c *PacketColumns) Columns(list []AnyColumn) []AnyColumn {
	return append(list,
		anyColumn("Bounds", Boxes, &c.Bounds),
		anyColumn("IDs", Labels, &c.IDs),
		anyColumn("Masks", Labels, &c.Masks),
		anyColumn("Moving", Labels, &c.Moving),
		anyColumn("Counts", Labels, &c.Counts),
		anyColumn("Owner", Labels, &c.Owner),
		anyColumn("Homes", Labels, &c.Homes),
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

// ResizeCold sets the number of nodes in every column but the hot one.
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
}

// Fresh sets the number of slots in every column, but not of bounds: the contents
// are unspecified. There is room for more: see mem.FreshWithRoom.
func (c *PacketColumns) Fresh(n, more int) {
	var room columnList
	for _, col := range c.Columns(room[:0]) {
		if !col.Optional {
			col.fresh(n, more)
		}
	}
}

// Bytes returns the memory that the store holds, used or not.
func (s *Store) Bytes() int {
	var room columnList
	bytes := mem.Bytes(s.Pending)
	for _, col := range s.columns(room[:0]) {
		bytes += col.Cap() * col.RowSize()
	}
	return bytes
}

// elements are the rows of a column.
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
