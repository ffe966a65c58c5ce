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

// someMembers are members of a set on their way out: so many that a kernel has
// work, so few that they need no memory of the tree.
type someMembers [1024]uint32

// take moves the least members of the set into list, as many as fit, and returns
// them. from is the word to begin at, and then the one to go on from: what is
// added meanwhile must not be less than what is taken.
func (b *bitset) take(list *someMembers, from *int) []uint32 {
	n := 0
	for ; b.n > 0 && *from < len(b.words); *from++ {
		m := b.words[*from]
		if m == 0 {
			continue
		}
		if n > len(list)-64 {
			break
		}
		b.words[*from] = 0
		start := n
		for ; m != 0; m &= m - 1 {
			list[n] = uint32(*from<<6 + bits.TrailingZeros64(m))
			n++
		}
		b.n -= n - start
	}
	return list[:n]
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
