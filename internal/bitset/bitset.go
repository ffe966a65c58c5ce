// Package bitset implements sets of small numbers, such as the changed rows of a column, with one
// bit for each.
package bitset

import (
	"math/bits"
	"slices"
)

// Set is a set of small numbers, scanned in ascending order. It has a bit for each number up to the
// largest one added since it was last cleared. The zero Set is empty and ready to use. One
// goroutine may change a set at a time, with no concurrent reader.
type Set struct {
	words []uint64
	n     int // number of members
}

// Of returns the set whose bits are in words. The set takes ownership of words.
func Of(words []uint64) (b Set) {
	b.words = words
	for _, m := range words {
		b.n += bits.OnesCount64(m)
	}
	return b
}

// Len returns the number of members.
func (b *Set) Len() int { return b.n }

// Words returns the bits: number i is bit i%64 of word i/64. The slice is read-only and valid until
// the set changes. Numbers behind the last word are not in the set.
func (b *Set) Words() []uint64 { return b.words }

// Add adds i to the set. It allocates only to grow.
func (b *Set) Add(i uint32) {
	w := int(i >> 6)
	for w >= len(b.words) {
		b.words = append(b.words, 0)
	}
	if m := uint64(1) << (i & 63); b.words[w]&m == 0 {
		b.words[w] |= m
		b.n++
	}
}

// AddIf adds i to the set if bit is 1, and nothing if it is 0, without a branch on it.
func (b *Set) AddIf(i, bit uint32) {
	w := int(i >> 6)
	for w >= len(b.words) {
		b.words = append(b.words, 0)
	}
	m := uint64(bit) << (i & 63) &^ b.words[w]
	b.words[w] |= m
	b.n += int(m >> (i & 63))
}

// Remove removes i from the set, if it is a member.
func (b *Set) Remove(i uint32) {
	if b.Has(i) {
		b.words[i>>6] &^= 1 << (i & 63)
		b.n--
	}
}

// Next returns the smallest member that is at least from; ok is false if there is none.
func (b *Set) Next(from uint32) (i uint32, ok bool) {
	for w := int(from >> 6); w < len(b.words); w++ {
		m := b.words[w]
		if w == int(from>>6) {
			m &= ^uint64(0) << (from & 63)
		}
		if m != 0 {
			return uint32(w<<6 + bits.TrailingZeros64(m)), true
		}
	}
	return 0, false
}

// Has reports whether i is in the set.
func (b *Set) Has(i uint32) bool {
	w := int(i >> 6)
	return w < len(b.words) && b.words[w]>>(i&63)&1 != 0
}

// Some is a buffer for [Set.Take]: large enough for a kernel to work on, and small enough for the
// stack, which each caller clears.
type Some [128]uint32

// Take moves the smallest members of the set into list, as many as fit, and returns them in
// ascending order. from holds the word at which Take starts, and then the word at which the next
// call resumes. Numbers added between two calls must not be less than the numbers taken.
func (b *Set) Take(list *Some, from *int) []uint32 {
	n := 0
	for w := *from; b.n > 0 && w < len(b.words); w++ {
		m := b.words[w]
		if m == 0 {
			continue
		}
		if n > len(list)-64 {
			break
		}
		b.words[w] = 0
		start := n
		for ; m != 0; m &= m - 1 {
			list[n] = uint32(w<<6 + bits.TrailingZeros64(m))
			n++
		}
		b.n -= n - start
		*from = w + 1 // not beyond: empty words may get members before the next call
	}
	return list[:n]
}

// Join adds the members of o.
func (b *Set) Join(o *Set) {
	if o.n == 0 {
		return
	}
	for len(b.words) < len(o.words) {
		b.words = append(b.words, 0)
	}
	for w, m := range o.words {
		b.n += bits.OnesCount64(m &^ b.words[w])
		b.words[w] |= m
	}
}

// Trim frees the memory that the members do not need.
func (b *Set) Trim() {
	n := len(b.words)
	for n > 0 && b.words[n-1] == 0 {
		n--
	}
	if n == 0 {
		b.words = nil
		return
	}
	b.words = slices.Clone(b.words[:n])
}

// Clone returns a copy of the set.
func (b *Set) Clone() Set { return Set{slices.Clone(b.words), b.n} }

// Clear empties the set and keeps its memory, in constant time. Later costs depend only on members
// added afterwards.
func (b *Set) Clear() { b.words, b.n = b.words[:0], 0 }
