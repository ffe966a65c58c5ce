// Package mem allocates aligned memory for columns, on cache lines and on huge pages where the
// system has them, and prefetches rows.
package mem

import (
	"math/bits"
	"strings"
	"unsafe"
)

// Line is the size of a cache line.
const Line = 64

// hugeMin is the size in bytes from which on a column is put on huge pages. A tree has such a
// column from about 12,000 objects on.
const hugeMin = 512 << 10

// Make returns n elements of T, capacity n, that start on a cache line, or lie in one. The elements are
// unspecified: columns are written before they are read, and clearing would write all of them
// twice, and before the advice about huge pages. The memory is allocated as bytes: Make panics if T
// holds pointers.
func Make[T any](n int) []T {
	mustBePlain[T]()
	size := n * int(unsafe.Sizeof(*new(T)))
	if size <= 0 {
		return make([]T, n)
	}
	col := unsafe.Slice((*T)(onLine(size)), n)
	if size >= hugeMin {
		adviseHuge(uintptr(unsafe.Pointer(&col[0])), uintptr(size))
	}
	return col
}

// onLine returns memory for a column. Blocks of the heap whose size is a multiple of a line start
// on one, and those whose size is a smaller power of 2 lie in one. So most columns take no more
// than they need.
func onLine(size int) unsafe.Pointer {
	if size <= Line/2 {
		n := max(1<<bits.Len(uint(size-1)), 8)
		if p := raw(n); uintptr(p)%uintptr(n) == 0 {
			return p
		}
	} else if size < hugeMin {
		if p := raw((size + Line - 1) &^ (Line - 1)); uintptr(p)%Line == 0 {
			return p
		}
	}
	p := raw(size + Line - 1)
	return unsafe.Add(p, -uintptr(p)&(Line-1))
}

// raw returns n bytes of the heap, unspecified and not touched. [strings.Builder] is the way to
// allocate bytes without clearing them.
func raw(n int) unsafe.Pointer {
	var b strings.Builder
	b.Grow(n)
	if p := unsafe.StringData(b.String()); p != nil {
		return unsafe.Pointer(p)
	}
	return unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
}

// Bytes returns the size in bytes of the memory that a column holds.
func Bytes[T any](col []T) int { return cap(col) * SizeOf[T]() }

// SizeOf returns the size of a row in bytes.
func SizeOf[T any]() int {
	var t T
	return int(unsafe.Sizeof(t))
}
