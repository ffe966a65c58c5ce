package soa

import (
	"fmt"
	"reflect"
	"unsafe"
)

// What snapshots keep of a store, beside its columns and fields: heads of lists.

// FreeList is a list of free rows: 1 + the first one, 0 if there is none, and how many
// rows there are in it.
type FreeList struct {
	First  uint32
	Unused int
}

// FreeList returns the list of free nodes.
func (c *NodeColumns) FreeList() FreeList { return FreeList{c.free, c.unused} }

// SetFreeList makes a list that is in the columns the one of free nodes.
func (c *NodeColumns) SetFreeList(l FreeList) { c.free, c.unused = l.First, l.Unused }

// FreeList returns the list of free blocks, by their slots.
func (c *PacketColumns) FreeList() FreeList { return FreeList{c.free, c.unused} }

// SetFreeList makes a list that is in the columns the one of free blocks.
func (c *PacketColumns) SetFreeList(l FreeList) { c.free, c.unused = l.First, l.Unused }

// IDState is what an index knows beside its columns: 1 + the first free ID, how many are
// live, and the generation before that of a new ID.
type IDState struct {
	Free, Floor uint32
	Live        int
}

// State returns it.
func (d *IDs) State() IDState { return IDState{d.free, d.floor, d.live} }

// SetState makes the columns an index in that state.
func (d *IDs) SetState(s IDState) { d.free, d.floor, d.live = s.Free, s.Floor, s.Live }

// AppendFree appends the free IDs to dst, in the order of their list.
func (d *IDs) AppendFree(dst []uint32) []uint32 {
	for next := d.free; next != 0; next = uint32(d.Where[next-1]) + 1 { // None ends the list
		dst = append(dst, next-1)
	}
	return dst
}

// Full reports whether the log forgets until the next tick.
func (l *Log) Full() bool { return l.full }

// SetFull says whether it does.
func (l *Log) SetFull(full bool) { l.full = full }

// wordSize returns the size of the numbers of which a row of that type consists, all alike.
func wordSize(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Array:
		return wordSize(t.Elem())
	case reflect.Struct:
		size := wordSize(t.Field(0).Type)
		for i := 1; i < t.NumField(); i++ {
			if wordSize(t.Field(i).Type) != size {
				panic(fmt.Sprintf("soa: the fields of %v are of several sizes", t))
			}
		}
		return size
	}
	return int(t.Size())
}

// WordSize returns the size of the numbers of which a row consists.
func (c *elements[T]) WordSize() int { return wordSize(reflect.TypeFor[T]()) }

// Adopt makes rows that lie in memory as [rows.Bytes] has them those of the column. If
// they are not to be written, the column is not.
func (c *elements[T]) Adopt(b []byte) {
	if len(b)%c.RowSize() != 0 {
		panic(fmt.Sprintf("soa: %d bytes for rows of %d", len(b), c.RowSize()))
	}
	n := len(b) / c.RowSize()
	*c = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:n:n]
}
