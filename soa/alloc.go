package soa

import "unsafe"

// Line is the size of a cache line; columns start on one.
const Line = 64

// makeAligned returns n zero elements of T, cap included, that start on a
// cache line. T must hold no pointers: the memory is allocated as bytes.
func makeAligned[T any](n int) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	if n == 0 || size == 0 {
		return make([]T, n)
	}
	raw := make([]byte, n*size+Line-1)
	adviseHuge(raw)
	p := unsafe.Pointer(unsafe.SliceData(raw))
	off := -uintptr(p) & (Line - 1)
	return unsafe.Slice((*T)(unsafe.Add(p, off)), n)
}

// Resize returns a column of n elements that starts on a cache line. The
// memory of col is reused when it is large enough, else the old elements are
// copied into new memory with room for a quarter more. Elements beyond the old
// length are unspecified when memory is reused.
func Resize[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	room := n
	if len(col) > 0 {
		room += n / 4
	}
	grown := makeAligned[T](room)[:n]
	copy(grown, col)
	return grown
}

// Fresh is [Resize] without keeping the contents: for columns that are about
// to be written from end to end.
func Fresh[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	return makeAligned[T](n)
}

// bytesOf returns the memory that a column holds.
func bytesOf[T any](col []T) int {
	var t T
	return cap(col) * int(unsafe.Sizeof(t))
}
