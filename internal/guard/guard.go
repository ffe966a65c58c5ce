// Package guard allocates slices next to guard pages for tests: a slice ends, or starts, exactly at
// a page without access. Assembly that reads or writes out of range then faults in the test that
// runs it, instead of silently reading adjacent memory.
//
// The memory around a slice, for a size that is not a whole number of pages:
//
//	Tail          | no access | canary bytes | slice | no access |
//	Head          | no access | slice | canary bytes | no access |
//	AlignedTail   | no access | canary bytes | slice | < align canary bytes | no access |
//
// A read beyond the slice on its canary side is not detected, so a kernel that can overrun on both
// sides is tested on both a Tail and a Head. A write there is detected when the test ends. An empty
// slice lies between two pages without access: any access to its address, or to the byte before it,
// faults.
//
// Where pages cannot be protected ([Enforced] is false), canary bytes on both sides replace them:
// writes are detected at the end of the test, reads are not.
package guard

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"
)

// Tail returns n zero values of T that end at a guard page: the last byte of the slice is the last
// byte before a page without access. When the test ends, the canary bytes are checked and the
// memory is free for other slices.
//
// T must hold no Go pointers, because the garbage collector does not scan the slice. The slice is
// aligned for T, and in general to the largest power of two that divides its size in bytes, up to a
// page. If the size of T is a multiple of 64, the alignment is at least 64.
func Tail[T any](t testing.TB, n int) []T {
	t.Helper()
	return AlignedTail[T](t, n, 1)
}

// AlignedTail is [Tail] with the first byte moved down to a multiple of align, a power of two of at
// most 4096. The fewer than align bytes between the slice and the page without access are canary
// bytes.
func AlignedTail[T any](t testing.TB, n, align int) []T {
	t.Helper()
	if align <= 0 || align > 4096 || align&(align-1) != 0 {
		panic(fmt.Sprintf("guard: alignment %d is not a power of two of at most 4096", align))
	}
	size := sizeOf[T](n)
	m := newMapping(t, size)
	return place[T](t, m, (m.hi-size)&^(align-1), n)
}

// Head returns n zero values of T that start at a guard page: the first byte of the slice is the
// first byte after a page without access. So it is aligned to at least 4096. T must hold no Go
// pointers, as for [Tail].
func Head[T any](t testing.TB, n int) []T {
	t.Helper()
	m := newMapping(t, sizeOf[T](n))
	return place[T](t, m, m.lo, n)
}

// mapping is memory for a slice at any offset between lo and hi, both multiples of the page size in
// address and in offset. The code under test must not access memory below lo or from hi on.
type mapping struct {
	base   unsafe.Pointer
	lo, hi int // offsets from base
	mem    []byte
	first  int    // offset of mem[0]: this package accesses only mem
	all    []byte // the whole mapping, for the release
}

func sizeOf[T any](n int) int {
	if n < 0 {
		panic(fmt.Sprintf("guard: %d elements", n))
	}
	return n * int(unsafe.Sizeof(*new(T)))
}

// place fills m, except the slice at offset off, with canary bytes and returns the slice.
func place[T any](t testing.TB, m *mapping, off, n int) []T {
	size := sizeOf[T](n)
	below := m.mem[:off-m.first]
	above := m.mem[off+size-m.first:]
	clear(m.mem[off-m.first:][:size])
	fill(below)
	fill(above)
	t.Cleanup(func() {
		if i := overwritten(below); i >= 0 {
			t.Errorf("guard: wrote %#02x %d bytes before the slice of %d %T", below[i], len(below)-i, n, *new(T))
		}
		if i := overwritten(above); i >= 0 {
			t.Errorf("guard: wrote %#02x at byte %d beyond the slice of %d %T", above[i], i, n, *new(T))
		}
		m.release(t)
	})
	return unsafe.Slice((*T)(unsafe.Add(m.base, off)), n)
}

// fill fills memory with canary bytes.
func fill(mem []byte) {
	for len(mem) > 0 {
		mem = mem[copy(mem, canaries[:]):]
	}
}

// overwritten returns the index of the first byte that is not the canary byte, or -1.
func overwritten(mem []byte) int {
	for at := 0; at < len(mem); at += len(canaries) {
		part := mem[at:min(at+len(canaries), len(mem))]
		if bytes.Equal(part, canaries[:len(part)]) {
			continue
		}
		for i, b := range part {
			if b != canaries[i] {
				return at + i
			}
		}
	}
	return -1
}

// canaries is the pattern of canary bytes, which repeats after 256 bytes. Each byte differs from the next, so that a
// constant written over the pattern is detected within two bytes.
var canaries = func() (pattern [4096]byte) {
	for i := range pattern {
		pattern[i] = byte(i*167 + 0x5A)
	}
	return pattern
}()

// pages returns size rounded up to whole pages; 0 stays 0.
func pages(size, page int) int { return (size + page - 1) / page * page }
