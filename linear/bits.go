package linear

import (
	"math/bits"
	"slices"
)

// bitset is a set of small numbers, scanned in ascending order.
type bitset struct {
	words []uint64
	n     int // members
}

// add puts i into the set.
func (b *bitset) add(i uint32) {
	w := int(i >> 6)
	for w >= len(b.words) {
		b.words = append(b.words, 0)
	}
	if m := uint64(1) << (i & 63); b.words[w]&m == 0 {
		b.words[w] |= m
		b.n++
	}
}

func (b *bitset) has(i uint32) bool {
	w := int(i >> 6)
	return w < len(b.words) && b.words[w]>>(i&63)&1 != 0
}

// take empties the set and appends its members to list.
func (b *bitset) take(list []uint32) []uint32 {
	if b.n == 0 {
		return list
	}
	for w, m := range b.words {
		for ; m != 0; m &= m - 1 {
			list = append(list, uint32(w<<6+bits.TrailingZeros64(m)))
		}
		b.words[w] = 0
	}
	b.n = 0
	return list
}

// join adds the members of o.
func (b *bitset) join(o *bitset) {
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

func (b *bitset) clone() bitset { return bitset{slices.Clone(b.words), b.n} }

// clear empties the set.
func (b *bitset) clear() {
	clear(b.words)
	b.n = 0
}
