package soa

import "github.com/zoctree/zoctree/internal/mem"

// Resize returns a column of n elements that starts on a cache line. The
// memory of col is reused when it is large enough, else the old elements are
// copied into new memory with room for a quarter more. Elements beyond the old
// length are zero in new memory, and unspecified when memory is reused.
func Resize[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	room := n
	if len(col) > 0 {
		room += n / 4
	}
	grown := mem.Make[T](room)
	clear(grown[copy(grown, col):])
	return grown[:n]
}

// Fresh is [Resize] without keeping the contents, and new memory is unspecified too:
// for columns that are about to be written from end to end.
func Fresh[T any](col []T, n int) []T {
	if n <= cap(col) {
		return col[:n]
	}
	return mem.Make[T](n)
}
