package soa

import (
	"fmt"
	"slices"
)

// Column is a payload column: it maps object IDs to values of a program's own type in a dense
// slice, so that query results index it directly. IDs that have not been set have the zero value.
// The zero Column is empty and ready to use.
//
// A column is independent of the tree. When an ID is reused, it still has the value of the earlier
// object: set the values of the IDs that InsertBatch returns. Call [Column.Delete] for removed
// objects whose values must not be kept alive. A program that holds a [Handle] resolves it first: a
// stale handle yields no ID.
//
// A column may be changed by one goroutine at a time, with no concurrent reader. Any number of
// goroutines may read it between changes.
type Column[T any] struct {
	values []T // zero from the length to the capacity
}

// Len returns the largest ID that has been set plus one, or 0 if none has been set.
func (c *Column[T]) Len() int { return len(c.values) }

// Grow reserves memory for the IDs 0 to n-1, so that setting them does not allocate. It panics if n
// is negative.
func (c *Column[T]) Grow(n int) {
	if n < 0 {
		panic(fmt.Sprintf("soa: column grown to %d values", n))
	}
	if n > len(c.values) {
		c.values = slices.Grow(c.values, n-len(c.values))
	}
}

// Get returns the value of an ID, or the zero value if it has none.
func (c *Column[T]) Get(id uint32) (v T) {
	if uint64(id) < uint64(len(c.values)) {
		v = c.values[id]
	}
	return v
}

// Set sets the value of an ID. Beyond the capacity it reallocates to about twice the size, so n
// calls cost O(n). It panics if id is [None].
func (c *Column[T]) Set(id uint32, v T) { *c.At(id) = v }

// SetBatch sets the value of each ID to the value at the same index, in ascending order of the
// index. It panics if the lengths differ.
func (c *Column[T]) SetBatch(ids []uint32, values []T) {
	if len(ids) != len(values) {
		panic(fmt.Sprintf("soa: %d IDs and %d values", len(ids), len(values)))
	}
	for i, id := range ids {
		c.Set(id, values[i])
	}
}

// At returns a pointer to the value of an ID, which counts as set from now on. The pointer is valid
// until the column grows. At panics if id is [None].
func (c *Column[T]) At(id uint32) *T {
	if uint64(id) >= uint64(len(c.values)) {
		c.extend(id)
	}
	return &c.values[id]
}

// extend makes id the last ID of the column.
func (c *Column[T]) extend(id uint32) {
	if id == None {
		panic("soa: a value for no object")
	}
	n := int(id) + 1
	c.Grow(n)
	c.values = c.values[:n]
}

// Delete sets the values of the IDs to zero, which releases the memory that the old values refer
// to. IDs without a value are skipped.
func (c *Column[T]) Delete(ids ...uint32) {
	var zero T
	for _, id := range ids {
		if uint64(id) < uint64(len(c.values)) {
			c.values[id] = zero
		}
	}
}

// Clear deletes all values and keeps the memory.
func (c *Column[T]) Clear() {
	clear(c.values)
	c.values = c.values[:0]
}

// Trim deletes the values of the IDs from n on, and gives back the memory that the others do
// not need: n is [IDs.Cap] of a tree's IDs after a Trim of that. A negative n panics.
func (c *Column[T]) Trim(n int) {
	if n < 0 {
		panic(fmt.Sprintf("soa: column trimmed to %d values", n))
	}
	c.values = slices.Clone(c.values[:min(n, len(c.values))])
}

// Values returns the values of the IDs 0 to Len-1 without copying. The slice is valid until the
// column grows.
func (c *Column[T]) Values() []T { return c.values }
