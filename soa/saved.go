package soa

import (
	"fmt"
	"reflect"
	"unsafe"
)

// This file holds the state of a store that snapshots save in addition to its columns and fields:
// heads of lists.

// FreeList is the head of a free list, which recycles rows of columns: 1 + the first free row, 0 if there is none, and
// the number of free rows.
type FreeList struct {
	First  uint32
	Unused int
}

// FreeList returns the list of free nodes.
func (c *NodeColumns) FreeList() FreeList { return FreeList{c.free, c.unused} }

// SetFreeList sets the head of the list of free nodes; its links must be in the columns.
func (c *NodeColumns) SetFreeList(l FreeList) { c.free, c.unused = l.First, l.Unused }

// IDState is the state of IDs outside its columns: 1 + the first free ID, the number of live IDs,
// and the generation before the first one of a new ID.
type IDState struct {
	Free, Floor uint32
	Live        int
}

// State returns the state outside the columns.
func (d *IDs) State() IDState { return IDState{d.free, d.floor, d.live} }

// SetState sets the state outside the columns.
func (d *IDs) SetState(s IDState) { d.free, d.floor, d.live = s.Free, s.Floor, s.Live }

// AppendFree appends the free IDs to dst, in the order of their list.
func (d *IDs) AppendFree(dst []uint32) []uint32 {
	for next := d.free; next != 0; next = uint32(d.Where[next-1]) + 1 { // None ends the list
		dst = append(dst, next-1)
	}
	return dst
}

// Full reports whether the log records nothing until the next tick.
func (l *Log) Full() bool { return l.full }

// SetFull sets whether the log records nothing until the next tick.
func (l *Log) SetFull(full bool) { l.full = full }

// wordSize returns the size of the numbers in a row of type t. It panics if their sizes differ.
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

// WordSize returns the size of the numbers in a row.
func (c *elements[T]) WordSize() int { return wordSize(reflect.TypeFor[T]()) }

// Adopt makes b, in the format of [rows.Bytes], the memory of the column without copying. If b is
// read-only, so is the column.
func (c *elements[T]) Adopt(b []byte) {
	if len(b)%c.RowSize() != 0 {
		panic(fmt.Sprintf("soa: %d bytes for rows of %d", len(b), c.RowSize()))
	}
	n := len(b) / c.RowSize()
	if n == 0 { // a row that begins at the end of b would lie outside its memory
		*c = elements[T]{}
		return
	}
	*c = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:n:n]
}
