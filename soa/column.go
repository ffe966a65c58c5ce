package soa

import (
	"fmt"
	"slices"
)

// Column holds one value of a caller's type for each object, by object ID: the
// answer of a query indexes it directly. IDs without a value have the zero
// value. The zero Column is empty and ready.
//
// A column knows nothing of the tree. An ID that is freed and given out again
// still has the value of the object before, so set the values of what
// InsertBatch returns, and [Column.Delete] what is removed if the value must not
// be kept alive. Who holds a handle resolves it first: a stale one gives no ID.
//
// One goroutine may change a column at a time, and none while others read it.
// Any number of goroutines may read it between changes.
type Column[T any] struct {
	values []T // zero from the length to the capacity
}

// Len returns one more than the largest ID that has been set, at least 0.
func (c *Column[T]) Len() int { return len(c.values) }

// Grow makes room for the IDs 0 to n-1, so that setting them allocates nothing.
// A negative n panics.
func (c *Column[T]) Grow(n int) {
	if n < 0 {
		panic(fmt.Sprintf("soa: column grown to %d values", n))
	}
	if n > len(c.values) {
		c.values = slices.Grow(c.values, n-len(c.values))
	}
}

// Get returns the value of an ID, the zero value when it has none.
func (c *Column[T]) Get(id uint32) (v T) {
	if uint64(id) < uint64(len(c.values)) {
		v = c.values[id]
	}
	return v
}

// Set gives an ID a value. Beyond the capacity it reallocates, to about twice
// the size, so n calls cost O(n). [None] panics.
func (c *Column[T]) Set(id uint32, v T) { *c.At(id) = v }

// SetBatch gives each ID the value at the same index, in this order. Slices of
// different lengths panic.
func (c *Column[T]) SetBatch(ids []uint32, values []T) {
	if len(ids) != len(values) {
		panic(fmt.Sprintf("soa: %d IDs and %d values", len(ids), len(values)))
	}
	for i, id := range ids {
		c.Set(id, values[i])
	}
}

// At returns the place of an ID's value, which counts as set from now on. The
// pointer is good until the column grows. [None] panics.
func (c *Column[T]) At(id uint32) *T {
	if uint64(id) >= uint64(len(c.values)) {
		c.extend(id)
	}
	return &c.values[id]
}

// extend makes the ID the last one.
func (c *Column[T]) extend(id uint32) {
	if id == None {
		panic("soa: a value for no object")
	}
	n := int(id) + 1
	c.Grow(n)
	c.values = c.values[:n]
}

// Delete gives the IDs the zero value, which releases what the old ones refer
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

// Values returns the values of the IDs 0 to Len-1 without copying. The slice is
// good until the column grows.
func (c *Column[T]) Values() []T { return c.values }
