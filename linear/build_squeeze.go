package linear

import (
	"math/bits"

	"github.com/zoctree/zoctree/morton"
)

// Bits that all keys of a build share tell nothing apart. In a flat scene they are
// bits of one axis, between those of the others, and an item, which holds the top
// bits of a key, is filled with them: many items are equal where keys are not. So
// such keys are squeezed for the sort: the bits that vary are moved up, in their
// order, and so the order of keys stays what it is.
//
//	key        0zyx 0zyx 0zyx …      z = 0 in all keys
//	squeezed   yxyx yx…
//
// What the topology then tells of keys is stretched again.
type squeeze struct {
	on    bool
	fixed uint64 // what all keys share
	vary  uint64 // the bits that do not

	// A bit goes up by the number of shared bits above it: by 1<<i, if need be, in
	// step i, where move[i] has it.
	move [6]uint64
}

// squeezeMin is the least number of shared bits among the top ones that is worth a
// pass over the keys; a variable for tests. The world being a cube whose side is a
// power of two, up to three or four are shared in any scene.
var squeezeMin = 5

// squeezeKeys is the least number of keys for which one looks.
const squeezeKeys = 4096

// pays reports whether to squeeze keys that vary in these bits: only if there are
// some that would come to the top.
func pays(vary uint64) bool {
	shared := bits.OnesCount64(^vary & uint64(morton.MaxKey) >> lowBits)
	return shared >= squeezeMin && vary<<(64-lowBits) != 0
}

// squeezing returns how to squeeze keys that differ from key in these bits.
func squeezing(key, vary uint64) (q squeeze) {
	q.on, q.fixed, q.vary = true, key&^vary, vary
	up := 0
	for b := uint64(1) << (63 - 1); b != 0; b >>= 1 {
		if vary&b == 0 {
			up++
			continue
		}
		at := b
		for i := range q.move {
			if up>>i&1 != 0 {
				q.move[i] |= at
				at <<= 1 << i
			}
		}
	}
	return q
}

// squeeze squeezes keys in place. Few bits are shared as a rule, and then the last
// steps move nothing.
func (q *squeeze) squeeze(keys []uint64) {
	m := q.move
	few := m[4]|m[5] == 0
	for i, x := range keys {
		x &= q.vary
		x += x & m[0]
		x += (x & m[1]) * 3
		x += (x & m[2]) * (1<<4 - 1)
		x += (x & m[3]) * (1<<8 - 1)
		if !few {
			x += (x & m[4]) * (1<<16 - 1)
			x += (x & m[5]) * (1<<32 - 1)
		}
		keys[i] = x
	}
}

// stretch moves the bits of a squeezed key back to where they were.
func (q *squeeze) stretch(x uint64) uint64 {
	for i := len(q.move) - 1; i >= 0; i-- {
		moved := x & (q.move[i] << (1 << i))
		x = x&^moved | moved>>(1<<i)
	}
	return x
}

// key returns what was squeezed.
func (q *squeeze) key(x uint64) uint64 {
	if !q.on {
		return x
	}
	return q.stretch(x) | q.fixed
}

// face returns the face of a cell of keys that is x for squeezed ones: it ends in
// zeros behind the last one of x.
func (q *squeeze) face(x uint64) uint64 {
	if !q.on {
		return x
	}
	x = q.stretch(x)
	return x | q.fixed&^(x&-x-1)
}

// differing returns the bits in which keys differ from key.
func differing(keys []uint64, key uint64) (vary uint64) {
	for _, k := range keys {
		vary |= k ^ key
	}
	return vary
}
