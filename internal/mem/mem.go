// Package mem holds what columns ask of the machine: memory that begins on a cache
// line, on huge pages where the system has them, and rows fetched ahead.
package mem

import "unsafe"

// Line is the size of a cache line.
const Line = 64

// Make returns n zero elements of T, capacity n, that start on a cache line. T
// must hold no pointers: the memory is allocated as bytes.
func Make[T any](n int) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	if n == 0 || size == 0 {
		return make([]T, n)
	}
	raw := make([]byte, n*size+Line-1)
	adviseHuge(raw)
	p := unsafe.Pointer(unsafe.SliceData(raw))
	return unsafe.Slice((*T)(unsafe.Add(p, -uintptr(p)&(Line-1))), n)
}

// Bytes returns the memory that a column holds.
func Bytes[T any](col []T) int {
	var t T
	return cap(col) * int(unsafe.Sizeof(t))
}
